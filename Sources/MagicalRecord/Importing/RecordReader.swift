import CoreData

/// A record as read, or the error that prevented reading it.
typealias ReadRecord = Result<Any, any Error>

/// Reads records in batches.
protocol RecordReader: AnyObject {
    /// Returns at most `count` further records; none at the end.
    ///
    /// - Throws: an error if reading cannot continue. A single record that does not parse is a failure among the results.
    func next(_ count: Int) throws -> [ReadRecord]
    /// The number of records, if it is known before reading them.
    var total: Int? { get }
}

/// Reads records from an array.
final class ArrayReader: RecordReader {
    private var rest: ArraySlice<Any>
    let total: Int?

    init(_ records: [Any]) {
        rest = records[...]
        total = records.count
    }

    func next(_ count: Int) -> [ReadRecord] {
        let part = rest.prefix(count)
        rest = rest.dropFirst(count)
        return part.map(ReadRecord.success)
    }
}

/// Reads records from JSON text in pieces: the elements of a list, or several objects in a row, with or without line breaks
/// between them. Memory use depends on the batch, not on the size of the text.
final class JSONTextReader: RecordReader {
    private let read: () throws -> Data?
    private var splitter = JSONSplitter()
    private var waiting: [Data] = []
    private var isAtEnd = false

    /// Creates a reader.
    ///
    /// - Parameter read: returns the next bytes, any number, and nil at the end.
    init(_ read: @escaping () throws -> Data?) {
        self.read = read
    }

    var total: Int? { nil }

    func next(_ count: Int) throws -> [ReadRecord] {
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
        var whole = Data(capacity: texts.reduce(2) { $0 + $1.count + 1 })
        whole.append(UInt8(ascii: "["))
        for (index, text) in texts.enumerated() {
            if index > 0 { whole.append(UInt8(ascii: ",")) }
            whole.append(text)
        }
        whole.append(UInt8(ascii: "]"))
        if let list = try? JSONSerialization.jsonObject(with: whole) as? [Any], list.count == texts.count {
            return list.map(ReadRecord.success)
        }
        return texts.map { text in
            ReadRecord {
                do {
                    return try JSONSerialization.jsonObject(with: text)
                } catch {
                    throw MagicalRecordError(.malformedRecord, "The record is not valid JSON.", underlying: error)
                }
            }
        }
    }
}

/// Splits JSON text into its top-level objects by scanning for braces and strings.
struct JSONSplitter {
    private var current = Data()
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var numberLength = 0

    /// The maximum length of a number, in characters. Some 770 significant digits suffice to round any decimal to a Double.
    private static let longestNumber = 4096

    /// Consumes more text and passes each completed object to `found`.
    ///
    /// - Throws: ``MagicalRecordError/Code/malformedRecord`` for unexpected text between records and for numbers of more than
    ///   4,096 digits.
    mutating func append(_ data: Data, _ found: (Data) -> Void) throws {
        try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var start = depth > 0 ? 0 : -1
            for index in bytes.indices {
                let byte = bytes[index]
                if isInString {
                    if isEscaped {
                        isEscaped = false
                    } else if byte == UInt8(ascii: "\\") {
                        isEscaped = true
                    } else if byte == UInt8(ascii: "\"") {
                        isInString = false
                    }
                    continue
                }
                switch byte {
                case UInt8(ascii: "{"):
                    if depth == 0 { start = index }
                    depth += 1
                case UInt8(ascii: "}"):
                    guard depth > 0 else { throw Self.stray(byte) }
                    depth -= 1
                    if depth == 0 {
                        current.append(contentsOf: bytes[start...index])
                        found(current)
                        current = Data()
                        start = -1
                    }
                case UInt8(ascii: "\"") where depth > 0:
                    isInString = true
                    numberLength = 0
                case UInt8(ascii: "0")...UInt8(ascii: "9") where depth > 0:
                    numberLength += 1
                    if numberLength > Self.longestNumber { throw Self.tooLong() }
                default:
                    numberLength = 0
                    if depth == 0 && !Self.mayStandBetween(byte) { throw Self.stray(byte) }
                }
            }
            if depth > 0, start >= 0 { current.append(contentsOf: bytes[start...]) }
        }
    }

    /// Checks a whole document for numbers that are too long.
    ///
    /// - Throws: ``MagicalRecordError/Code/malformedRecord`` for one of more than 4,096 digits.
    static func checkNumbers(in data: Data) throws {
        var (length, isInString, isEscaped) = (0, false, false)
        for byte in data {
            let isDigit = !isInString && byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
            length = isDigit ? length + 1 : 0
            if length > longestNumber { throw tooLong() }
            if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
            isEscaped = isInString && byte == UInt8(ascii: "\\") && !isEscaped
        }
    }

    /// Ends the text.
    ///
    /// - Throws: ``MagicalRecordError/Code/malformedRecord`` if the text ends inside a record.
    func finish() throws {
        guard depth == 0 else {
            throw MagicalRecordError(.malformedRecord, "The JSON text ends in the middle of a record.")
        }
    }

    /// Returns whether a byte may stand between records: blanks, line breaks, commas, list brackets, a record separator, and
    /// the bytes of a byte order mark.
    private static func mayStandBetween(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, 0x1E, 0xEF, 0xBB, 0xBF: return true
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","): return true
        default: return false
        }
    }

    private static func tooLong() -> MagicalRecordError {
        MagicalRecordError(
            .malformedRecord, "The JSON text has a number of more than \(longestNumber) digits.",
            advice: "Write long numbers as texts.")
    }

    private static func stray(_ byte: UInt8) -> MagicalRecordError {
        MagicalRecordError(
            .malformedRecord, "Unexpected \"\(String(UnicodeScalar(byte)))\" between records.",
            advice: "A source must be a JSON list of objects, one object, or objects one after the other.")
    }
}
