import CoreData

extension MagicalRecord {
    /// What an import does to the relationships a record speaks of.
    public enum RelationshipMode: Hashable, Sendable {
        /// The relationship becomes what the record says: members it does not name are taken out. The default.
        case replace
        /// The record's objects are added, as the original did; only an explicit null empties the relationship.
        case add
        /// A relationship that has members already stays as it is.
        case keep
    }
}

extension MagicalRecord {
    /// What an import does with records whose object exists.
    public enum ExistingObjects: Hashable, Sendable {
        /// The object gets the record's values. The default.
        case update
        /// The record is skipped.
        case skip
    }
}

extension MagicalRecord {
    /// How an import behaves.
    public struct ImportOptions: Sendable {
        /// What happens to relationships. Relationships a record does not mention always stay as they are.
        public var relationships: MagicalRecord.RelationshipMode
        /// What happens when a record's object exists.
        public var existing: MagicalRecord.ExistingObjects
        /// How many records are worked on at a time. Objects are looked up once for each entity and chunk; an import into
        /// the store also saves after each chunk and releases its objects.
        public var chunkSize: Int
        /// Whether the first failure ends the import. By default failures are noted in the report, and the import goes on.
        public var stopsAtFirstFailure: Bool
        /// The key path of the list of records inside a JSON document; `nil` for a document that is the list, or one
        /// record.
        public var recordsKeyPath: String?

        /// Options; each has the default its property names.
        public init(
            relationships: MagicalRecord.RelationshipMode = .replace,
            existing: MagicalRecord.ExistingObjects = .update,
            chunkSize: Int = 1_000,
            stopsAtFirstFailure: Bool = false,
            recordsKeyPath: String? = nil
        ) {
            precondition(chunkSize > 0, "A chunk needs at least one record.")
            self.relationships = relationships
            self.existing = existing
            self.chunkSize = chunkSize
            self.stopsAtFirstFailure = stopsAtFirstFailure
            self.recordsKeyPath = recordsKeyPath
        }
    }
}
