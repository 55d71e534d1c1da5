/// Writes JSON as bytes, without intermediate values: recordings have up to a million events. Bytes for a file are flushed
/// regularly.
///
/// The text may be embedded in a `script` element of a page: `<` and the line separators of Unicode are escaped.
package struct JSONWriter {
    package private(set) var bytes: ContiguousArray<UInt8> = []
    /// True if the next value or key is preceded by another one of its object or array.
    private var needsComma = false

    /// The file to write to; nil if the bytes are kept.
    private let output: RecordingOutput?

    private static let mostBytes = 1 << 16

    package init(capacity: Int = 0) {
        output = nil
        bytes.reserveCapacity(capacity)
    }

    package init(to output: RecordingOutput) { self.output = output }

    /// Flushes the buffer if it is large.
    mutating func passOn() {
        if output != nil, bytes.count >= Self.mostBytes { finish() }
    }

    /// Flushes the buffer.
    package mutating func finish() {
        guard let output else { return }
        bytes.withUnsafeBytes(output.write)
        bytes.removeAll(keepingCapacity: true)
    }

    // MARK: Structure

    package mutating func object(_ body: (inout JSONWriter) -> Void) { nest("{", "}", body) }
    package mutating func array(_ body: (inout JSONWriter) -> Void) { nest("[", "]", body) }

    package mutating func array<Values: Sequence>(_ values: Values, _ write: (inout JSONWriter, Values.Element) -> Void)
    {
        array { json in
            for value in values {
                write(&json, value)
                json.passOn()
            }
        }
    }

    /// Writes an array of numbers, such as a column of a table.
    package mutating func array(_ numbers: [Int]) {
        array { json in
            for number in numbers {
                json.write(number)
                json.passOn()
            }
        }
    }

    /// Writes the key of an object's next value. Keys are not escaped.
    package mutating func key(_ name: StaticString) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func nest(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void) {
        beginValue()
        bytes.append(UInt8(ascii: open))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }

    private mutating func beginValue() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    // MARK: Numbers

    package mutating func write(_ number: Int) {
        beginValue()
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        append(UInt64(number.magnitude))
    }

    /// Writes nanoseconds as microseconds, exactly.
    mutating func write(microseconds nanoseconds: Int64) {
        beginValue()
        if nanoseconds < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, fraction) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
        append(whole)
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var (digits, divisor) = (fraction, 100 as UInt64)
        while digits > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(digits / divisor))
            digits %= divisor
            divisor /= 10
        }
    }

    private mutating func append(_ number: UInt64) {
        guard number >= 10 else { return bytes.append(UInt8(ascii: "0") + UInt8(number)) }
        let first = bytes.count
        var rest = number
        while rest > 0 {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            bytes.append(UInt8(ascii: "0") + UInt8(digit))
            rest = quotient
        }
        bytes[first...].reverse()
    }

    // MARK: Text

    package mutating func write(_ text: String) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { appendEscaped($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var (written, index) = (0, 0)
        while index < text.count {
            let byte = text[index]
            let length: Int
            switch byte {
            case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "<"): length = 1
            // U+2028 and U+2029 end a line in older JavaScript.
            case 0xE2 where index + 2 < text.count && text[index + 1] == 0x80 && text[index + 2] & 0xFE == 0xA8:
                length = 3
            default:
                index += 1
                continue
            }
            bytes.append(contentsOf: text[written..<index])
            escape(length == 1 ? UInt16(byte) : 0x2000 | UInt16(text[index + 2] - 0x80))
            index += length
            written = index
        }
        bytes.append(contentsOf: text[written...])
    }

    private mutating func escape(_ unit: UInt16) {
        bytes.append(UInt8(ascii: "\\"))
        switch unit {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x22, 0x5C: bytes.append(UInt8(unit))
        default:
            bytes.append(UInt8(ascii: "u"))
            for shift in [12, 8, 4, 0] as [UInt16] {
                let digit = UInt8(unit >> shift & 0xF)
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }
}

extension JSONWriter {
    package mutating func field(_ name: StaticString, _ value: Int) {
        key(name)
        write(value)
    }

    package mutating func field(_ name: StaticString, _ value: String) {
        key(name)
        write(value)
    }

    mutating func field(_ name: StaticString, microseconds: Int64) {
        key(name)
        write(microseconds: microseconds)
    }

    mutating func field(_ name: StaticString, _ values: [String]) {
        key(name)
        array(values) { $0.write($1) }
    }

    // Nil, zero and empty values are omitted.

    package mutating func optionalField(_ name: StaticString, _ value: Int?) {
        if let value, value != 0 { field(name, value) }
    }

    package mutating func optionalField(_ name: StaticString, _ value: String?) {
        if let value, !value.isEmpty { field(name, value) }
    }

    mutating func optionalField(_ name: StaticString, microseconds: Int64) {
        if microseconds != 0 { field(name, microseconds: microseconds) }
    }

    mutating func optionalField(_ name: StaticString, _ values: [String]) {
        if !values.isEmpty { field(name, values) }
    }
}
