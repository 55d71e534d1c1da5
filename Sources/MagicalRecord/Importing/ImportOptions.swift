import CoreData

extension MagicalRecord {
    /// The way in which an import sets the relationships that a record contains.
    public enum RelationshipMode: Hashable, Sendable {
        /// The relationship becomes what the record says: members that it does not contain are removed. The default.
        case replace
        /// The record's objects are added, as in the original; only an explicit null empties the relationship.
        case add
        /// A relationship that has members already is not changed.
        case keep
    }
}

extension MagicalRecord {
    /// The treatment of records that identify an existing object.
    public enum ExistingObjects: Hashable, Sendable {
        /// The object gets the record's values. The default.
        case update
        /// The record is skipped.
        case skip
    }
}

extension MagicalRecord {
    /// Options of an import.
    public struct ImportOptions: Sendable {
        /// The way in which relationships are set. Relationships that a record does not contain are never changed.
        public var relationships: MagicalRecord.RelationshipMode
        /// The treatment of records that identify an existing object.
        public var existing: MagicalRecord.ExistingObjects
        /// The number of records in a chunk. Objects are looked up once for each entity and chunk; an import into the store
        /// also saves each chunk and releases its objects.
        public var chunkSize: Int
        /// Whether the first failure ends the import. By default the import reports failures and continues.
        public var stopsAtFirstFailure: Bool
        /// The key path of the list of records inside a JSON document; nil for a document that is the list, or one record.
        public var recordsKeyPath: String?

        /// Creates options with the defaults that the properties describe.
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
