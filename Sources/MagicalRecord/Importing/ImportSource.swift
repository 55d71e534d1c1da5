import CoreData

extension MagicalRecord {
    /// The source of the records of an import.
    ///
    /// ```swift
    /// .records(dictionaries)          // in memory
    /// .json(text), .data(data)        // a list of objects, one object, or objects one after the other
    /// .file(url)                      // the same in a file, read piece by piece
    /// .stream { … }                   // the same, from wherever
    /// ```
    /// Files and streams are read in pieces, so memory use does not depend on their size. NDJSON is supported.
    public struct ImportSource: Sendable {
        let makeReader: @Sendable (MagicalRecord.ImportOptions) throws -> any RecordReader

        /// Returns a source of dictionaries in memory.
        public static func records(_ records: [[String: any Sendable]]) -> MagicalRecord.ImportSource {
            MagicalRecord.ImportSource { _ in ArrayReader(records) }
        }

        /// Returns a source of dictionaries in memory, as `JSONSerialization` returns them.
        ///
        /// Mutable objects in them, such as an `NSMutableString`, must not be changed until the import has ended.
        public static func records(_ records: [[String: Any]]) -> MagicalRecord.ImportSource {
            let records = Unchecked(records)
            return MagicalRecord.ImportSource { _ in ArrayReader(records.value) }
        }

        /// Returns a source of JSON text.
        public static func json(_ text: String) -> MagicalRecord.ImportSource { .data(Data(text.utf8)) }

        /// Returns a source of JSON data.
        public static func data(_ data: Data) -> MagicalRecord.ImportSource {
            MagicalRecord.ImportSource { options in
                if let path = options.recordsKeyPath { return try reader(of: data, at: path) }
                var rest: Data? = data
                return JSONTextReader {
                    defer { rest = nil }
                    return rest
                }
            }
        }

        /// Returns a source that reads a JSON file: in pieces, or as a whole if the options have a key path.
        public static func file(_ url: URL) -> MagicalRecord.ImportSource {
            MagicalRecord.ImportSource { options in
                let file = try ImportFile(url)
                if let path = options.recordsKeyPath { return try reader(of: try file.rest(), at: path) }
                return JSONTextReader { try file.next(1 << 18) }
            }
        }

        /// Returns a source of JSON text that `read` returns in pieces, cut anywhere, and nil at the end. `read` is called on
        /// the importing context's queue.
        public static func stream(_ read: @escaping @Sendable () throws -> Data?) -> MagicalRecord.ImportSource {
            MagicalRecord.ImportSource { _ in JSONTextReader(read) }
        }

        private static func reader(of data: Data, at path: String) throws -> any RecordReader {
            try JSONSplitter.checkNumbers(in: data)
            let document = try JSONSerialization.jsonObject(with: data)
            switch PayloadPath(path).value(in: Payload(document)) {
            case let list as [Any]: return ArrayReader(list)
            case let record as [String: Any]: return ArrayReader([record])
            default:
                throw MagicalRecordError(
                    .malformedRecord, "The document has neither a list nor an object at \(path).", key: path)
            }
        }
    }
}
