import CoreData

/// A record as it was read, or why it could not be.
typealias ReadRecord = Result<Any, any Error>

/// Hands out records a few at a time.
protocol RecordReader: AnyObject {
    /// The next records, at most `count`; none at the end.
    ///
    /// - Throws: when reading cannot go on. A single record that does not parse is a failure among the results.
    func next(_ count: Int) throws -> [ReadRecord]
    /// How many records there are, when that is known before reading them.
    var total: Int? { get }
}

/// Records that are in memory.
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

/// Records in JSON text that is read piece by piece: the elements of a list, or objects one after the other, on lines
/// of their own or not. Needs the memory of the records it hands out, whatever the size of the text.
final class JSONTextReader: RecordReader {
    private let read: () throws -> Data?
    private var splitter = JSONSplitter()
    private var waiting: [Data] = []
    private var isAtEnd = false

    /// - Parameter read: returns the next bytes, any number, and `nil` at the end.
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

    /// Parses all together, which is much quicker; one by one when that fails, to find the one that is wrong.
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

/// Cuts JSON text into its top-level objects, looking only at braces and strings.
struct JSONSplitter {
    private var current = Data()
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var numberLength = 0

    /// The longest number that is read, in characters. The longest that tells one Double from another has some 770.
    private static let longestNumber = 4096

    /// Takes more text; hands out the objects it completes.
    ///
    /// - Throws: ``MagicalRecordError/Code/malformedRecord`` for text between records that cannot be there, and for numbers
    ///   of more than 4,096 characters.
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

    /// Looks through a whole document for numbers too long to be read.
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

    /// - Throws: when the text ends inside a record.
    func finish() throws {
        guard depth == 0 else {
            throw MagicalRecordError(.malformedRecord, "The JSON text ends in the middle of a record.")
        }
    }

    /// Blanks, line ends, commas, the brackets of the list, a record separator, and a byte order mark.
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
