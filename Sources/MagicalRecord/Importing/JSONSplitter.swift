import Foundation

/// Splits JSON text into its top-level objects by scanning for braces and strings.
struct JSONSplitter {
    private var current = Data()
    /// The place of the next byte, and that of the record being read.
    private var place = JSONPlace(), start = JSONPlace()
    /// The number of complete records.
    private var count = 0
    private var depth = 0
    private var isInText = false
    private var isEscaped = false
    private var numberLength = 0

    /// The maximum length of a number, in characters. Some 770 significant digits suffice to round any decimal to a Double.
    private static let longestNumber = 4096

    /// Passes each object that more text completes to `found`. Throws ``MagicalRecordError/Code/malformedRecord`` for
    /// unexpected text between records and for too long numbers.
    mutating func append(_ data: Data, _ found: (JSONText) -> Void) throws {
        try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var begin = 0
            var index = 0
            // The bytes before this one are part of `place`.
            var passed = 0
            do {
                while index < bytes.count {
                    let byte = bytes[index]
                    index += 1
                    if depth == 0, byte != UInt8(ascii: "{") {
                        guard Self.separators.contains(byte) else { throw Self.stray(byte) }
                        continue
                    }
                    guard try isOutsideText(byte) else { continue }
                    switch byte {
                    case UInt8(ascii: "{"):
                        if depth == 0 {
                            begin = index - 1
                            place.pass(bytes[passed..<begin])
                            (passed, start) = (begin, place)
                        }
                        depth += 1
                    case UInt8(ascii: "}"):
                        depth -= 1
                        guard depth == 0 else { continue }
                        current.append(contentsOf: bytes[begin..<index])
                        found(JSONText(data: current, place: start))
                        current = Data()
                        count += 1
                    default: break
                    }
                }
            } catch {
                place.pass(bytes[passed..<index - 1])
                throw place.adding(to: error).inRecord(count)
            }
            place.pass(bytes[passed...])
            if depth > 0 { current.append(contentsOf: bytes[begin...]) }
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
        try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            for index in bytes.indices {
                do {
                    _ = try document.isOutsideText(bytes[index])
                } catch {
                    throw JSONPlace().passing(bytes[..<index]).adding(to: error)
                }
            }
        }
    }

    /// Throws ``MagicalRecordError/Code/malformedRecord`` if the text ends inside a record.
    func finish() throws {
        guard depth == 0 else {
            let error = MagicalRecordError(
                .malformedRecord,
                "The JSON text ends in the middle of a record, at \(place); the record begins at \(start).",
                advice: "Read the source to its end: it may be incomplete.")
            throw error.inRecord(count)
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
