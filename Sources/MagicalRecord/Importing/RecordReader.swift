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
        var waiting: [Data] = []
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

    private static func parse(_ texts: [Data]) -> [ReadRecord] {
        #if canImport(ObjectiveC)
        return parseTogether(texts)
        #else
        let quick = texts.map { QuickJSON.object(in: $0) }
        var others = parseTogether(texts.indices.filter { quick[$0] == nil }.map { texts[$0] }).makeIterator()
        return quick.compactMap { record in record.map { ReadRecord.success($0) } ?? others.next() }
        #endif
    }

    /// Parses all texts as one list, which is much faster; one by one if that fails, to find the invalid one.
    private static func parseTogether(_ texts: [Data]) -> [ReadRecord] {
        guard !texts.isEmpty else { return [] }
        var whole = Data(capacity: texts.reduce(1) { $0 + $1.count + 1 })
        whole.append(UInt8(ascii: "["))
        for text in texts {
            whole.append(text)
            whole.append(UInt8(ascii: ","))
        }
        whole[whole.count - 1] = UInt8(ascii: "]")
        if let list = try? JSONSerialization.jsonObject(with: whole) as? [Any], list.count == texts.count {
            return list.map(ReadRecord.success)
        }
        return texts.map { text in
            ReadRecord { try JSONSerialization.jsonObject(with: text) }.mapError { error in
                MagicalRecordError(.malformedRecord, "The record is not valid JSON.", underlying: error)
            }
        }
    }
}

/// Splits JSON text into its top-level objects by scanning for braces and strings.
struct JSONSplitter {
    private var current = Data()
    private var depth = 0
    private var isInText = false
    private var isEscaped = false
    private var numberLength = 0

    /// The maximum length of a number, in characters. Some 770 significant digits suffice to round any decimal to a Double.
    private static let longestNumber = 4096

    /// Passes each object that more text completes to `found`. Throws ``MagicalRecordError/Code/malformedRecord`` for
    /// unexpected text between records and for too long numbers.
    mutating func append(_ data: Data, _ found: (Data) -> Void) throws {
        try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var start = 0
            for index in bytes.indices {
                let byte = bytes[index]
                if depth == 0, byte != UInt8(ascii: "{") {
                    guard Self.separators.contains(byte) else { throw Self.stray(byte) }
                    continue
                }
                guard try isOutsideText(byte) else { continue }
                switch byte {
                case UInt8(ascii: "{"):
                    if depth == 0 { start = index }
                    depth += 1
                case UInt8(ascii: "}"):
                    depth -= 1
                    guard depth == 0 else { continue }
                    current.append(contentsOf: bytes[start...index])
                    found(current)
                    current = Data()
                default: break
                }
            }
            if depth > 0 { current.append(contentsOf: bytes[start...]) }
        }
    }

    /// Returns whether the next byte of a record is outside its texts, and checks the length of its numbers.
    @inline(__always)
    private mutating func isOutsideText(_ byte: UInt8) throws -> Bool {
        if isInText {
            isInText = isEscaped || byte != UInt8(ascii: "\"")
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            return false
        }
        if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            numberLength += 1
            guard numberLength <= Self.longestNumber else {
                throw MagicalRecordError(
                    .malformedRecord, "The JSON text has a number of more than \(Self.longestNumber) digits.",
                    advice: "Write long numbers as texts.")
            }
        } else {
            numberLength = 0
            isInText = byte == UInt8(ascii: "\"")
        }
        return true
    }

    /// Throws ``MagicalRecordError/Code/malformedRecord`` for a document with a number of more than 4,096 digits.
    static func checkNumbers(in data: Data) throws {
        var document = JSONSplitter()
        for byte in data { _ = try document.isOutsideText(byte) }
    }

    /// Throws ``MagicalRecordError/Code/malformedRecord`` if the text ends inside a record.
    func finish() throws {
        guard depth == 0 else {
            throw MagicalRecordError(.malformedRecord, "The JSON text ends in the middle of a record.")
        }
    }

    /// Bytes that may stand between records: blanks, line breaks, commas, list brackets, a record separator, and those of a byte
    /// order mark.
    private static let separators = Array(" \t\n\r,[]\u{1E}\u{FEFF}".utf8)

    private static func stray(_ byte: UInt8) -> MagicalRecordError {
        MagicalRecordError(
            .malformedRecord, "Unexpected \"\(String(UnicodeScalar(byte)))\" between records.",
            advice: "A source must be a JSON list of objects, one object, or objects one after the other.")
    }
}
