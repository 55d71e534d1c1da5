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

    /// The treatment of records that identify an existing object.
    public enum ExistingObjects: Hashable, Sendable {
        /// The object gets the record's values. The default.
        case update
        /// The record is skipped.
        case skip
    }

    /// Options of an import.
    public struct ImportOptions: Sendable {
        /// The way in which relationships are set. Relationships that a record does not contain are never changed.
        public var relationships: RelationshipMode
        /// The treatment of records that identify an existing object.
        public var existing: ExistingObjects
        /// The number of records in a chunk. Objects are looked up once for each entity and chunk; an import into the store
        /// also saves each chunk and releases its objects.
        public var chunkSize: Int
        /// Whether the first failure ends the import. By default the import reports failures and continues.
        public var stopsAtFirstFailure: Bool
        /// The key path of the list of records inside a JSON document; nil for a document that is the list, or one record.
        public var recordsKeyPath: String?

        /// Creates options with the defaults that the properties describe.
        public init(
            relationships: RelationshipMode = .replace, existing: ExistingObjects = .update, chunkSize: Int = 1_000,
            stopsAtFirstFailure: Bool = false, recordsKeyPath: String? = nil
        ) {
            precondition(chunkSize > 0, "A chunk needs at least one record.")
            self.relationships = relationships
            self.existing = existing
            self.chunkSize = chunkSize
            self.stopsAtFirstFailure = stopsAtFirstFailure
            self.recordsKeyPath = recordsKeyPath
        }
    }

    /// The source of the records of an import: dictionaries, or JSON with a list of objects, one object, or objects one after
    /// the other (NDJSON). Files and streams are read in pieces, so memory use does not depend on their size.
    public struct ImportSource: Sendable {
        let makeReader: @Sendable (ImportOptions) throws -> RecordReader

        /// Returns a source of dictionaries in memory.
        public static func records(_ records: [[String: any Sendable]]) -> ImportSource {
            ImportSource { _ in RecordReader(records) }
        }

        /// Returns a source of dictionaries in memory, as `JSONSerialization` returns them. Mutable objects in them must not be
        /// changed until the import has ended.
        public static func records(_ records: [[String: Any]]) -> ImportSource {
            let records = Unchecked(records)
            return ImportSource { _ in RecordReader(records.value) }
        }

        /// Returns a source of JSON text.
        public static func json(_ text: String) -> ImportSource { .data(Data(text.utf8)) }

        /// Returns a source of JSON data.
        public static func data(_ data: Data) -> ImportSource {
            ImportSource { options in
                if let path = options.recordsKeyPath { return try reader(of: data, at: path) }
                var rest: Data? = data
                return RecordReader(json: {
                    defer { rest = nil }
                    return rest
                })
            }
        }

        /// Returns a source that reads a JSON file: in pieces, or as a whole if the options have a key path.
        public static func file(_ url: URL) -> ImportSource {
            ImportSource { options in
                #if canImport(Darwin)
                let file = try FileHandle(forReadingFrom: url)
                #else
                guard url.isFileURL else {
                    throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: url])
                }
                // Closing any other descriptor of an open store's file would release the locks that SQLite holds on it.
                let file = try ReadableFile(url.path)
                #endif
                let read = { () throws -> Data? in
                    let data: Data? = try file.read(upToCount: 1 << 18)
                    return data?.isEmpty == false ? data : nil
                }
                guard let path = options.recordsKeyPath else { return RecordReader(json: read) }
                var whole = Data()
                while let data = try read() { whole.append(data) }
                return try reader(of: whole, at: path)
            }
        }

        /// Returns a source of JSON text that `read` returns in pieces, cut anywhere, and nil at the end. `read` is called on
        /// the importing context's queue.
        public static func stream(_ read: @escaping @Sendable () throws -> Data?) -> ImportSource {
            ImportSource { _ in RecordReader(json: read) }
        }

        private static func reader(of data: Data, at path: String) throws -> RecordReader {
            try JSONSplitter.checkNumbers(in: data)
            let document = try JSONText(data: data).parsed("The document")
            switch PayloadPath(path).value(in: Payload(document)) {
            case let list as [Any]: return RecordReader(list)
            case let record as [String: Any]: return RecordReader([record])
            default:
                throw MagicalRecordError(
                    .malformedRecord, "The document has neither a list nor an object at \(path).", key: path)
            }
        }
    }
}
