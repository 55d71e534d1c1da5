import CoreData

extension MagicalRecord {
    /// Where records to be imported come from.
    ///
    /// ```swift
    /// .records(dictionaries)          // in memory
    /// .json(text), .data(data)        // a list of objects, one object, or objects one after the other
    /// .file(url)                      // the same in a file, read piece by piece
    /// .stream { … }                   // the same, from wherever
    /// ```
    /// Files and streams are never in memory as a whole; NDJSON is read the same way.
    public struct ImportSource: Sendable {
        let makeReader: @Sendable (MagicalRecord.ImportOptions) throws -> any RecordReader

        /// Dictionaries in memory.
        public static func records(_ records: [[String: any Sendable]]) -> MagicalRecord.ImportSource {
            MagicalRecord.ImportSource { _ in ArrayReader(records) }
        }

        /// Dictionaries in memory as `JSONSerialization` returns them.
        ///
        /// Objects in them that can change, such as an `NSMutableString`, must not be changed until the import has ended.
        public static func records(_ records: [[String: Any]]) -> MagicalRecord.ImportSource {
            let records = Unchecked(records)
            return MagicalRecord.ImportSource { _ in ArrayReader(records.value) }
        }

        /// JSON text.
        public static func json(_ text: String) -> MagicalRecord.ImportSource { .data(Data(text.utf8)) }

        /// JSON data.
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

        /// A JSON file. With a key path in the options it is read as a whole, without one piece by piece.
        public static func file(_ url: URL) -> MagicalRecord.ImportSource {
            MagicalRecord.ImportSource { options in
                let file = try ImportFile(url)
                if let path = options.recordsKeyPath { return try reader(of: try file.rest(), at: path) }
                return JSONTextReader { try file.next(1 << 18) }
            }
        }

        /// JSON text that `read` hands out piece by piece, cut anywhere; `nil` at the end. Called on the queue of the
        /// importing context.
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
