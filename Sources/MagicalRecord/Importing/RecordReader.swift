import CoreData

/// A record as read, or the error that prevented reading it.
typealias ReadRecord = Result<Any, any Error>

/// Reads records in batches.
struct RecordReader {
    /// The number of records, if it is known before reading them.
    let total: Int?
    /// Returns at most `count` further records; none at the end. Throws an error if reading cannot continue. A single record
    /// that does not parse is a failure among the results.
    let next: (_ count: Int) throws -> [ReadRecord]

    /// Creates a reader of an array.
    init(_ records: [Any]) {
        var rest = records[...]
        total = records.count
        next = { count in
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).map(ReadRecord.success)
        }
    }

    /// Creates a reader of JSON text that `read` returns in pieces, and nil at the end: the elements of a list, or several
    /// objects in a row. Memory use depends on the batch, not on the size of the text.
    init(json read: @escaping () throws -> Data?) {
        var splitter = JSONSplitter()
        var waiting: [JSONText] = []
        var isAtEnd = false
        total = nil
        next = { count in
            while waiting.count < count, !isAtEnd {
                if let data = try read() {
                    try splitter.append(data) { waiting.append($0) }
                } else {
                    isAtEnd = true
                    try splitter.finish()
                }
            }
            let texts = waiting.prefix(count)
            waiting.removeFirst(texts.count)
            return Self.parse(Array(texts))
        }
    }

    private static func parse(_ texts: [JSONText]) -> [ReadRecord] {
        #if canImport(ObjectiveC)
        return parseTogether(texts)
        #else
        let quick = texts.map { QuickJSON.object(in: $0.data) }
        var others = parseTogether(texts.indices.filter { quick[$0] == nil }.map { texts[$0] }).makeIterator()
        return quick.compactMap { record in record.map { ReadRecord.success($0) } ?? others.next() }
        #endif
    }

    /// Parses all texts as one list, which is much faster; one by one if that fails, to find the invalid one.
    private static func parseTogether(_ texts: [JSONText]) -> [ReadRecord] {
        guard !texts.isEmpty else { return [] }
        var whole = Data(capacity: texts.reduce(1) { $0 + $1.data.count + 1 })
        whole.append(UInt8(ascii: "["))
        for text in texts {
            whole.append(text.data)
            whole.append(UInt8(ascii: ","))
        }
        whole[whole.count - 1] = UInt8(ascii: "]")
        if let list = try? JSONSerialization.jsonObject(with: whole) as? [Any], list.count == texts.count {
            return list.map(ReadRecord.success)
        }
        return texts.map { text in ReadRecord { try text.parsed("The record") } }
    }
}
