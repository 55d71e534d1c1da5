import Foundation

/// Reads strings files: texts by key, in the source form (`"key" = "text";`) or as compiled by a build.
///
/// The localized names of a model's entities and properties are stored in one.
public enum StringsFile {
    /// Reads a strings file in any of its forms: text in UTF-8 or UTF-16, or a property list. Values other than text, such as
    /// plural rules, are skipped.
    ///
    /// - Throws: ``ModelFormatError`` with the line for malformed data; memory is bounded by a small multiple of the input.
    public static func read(_ data: Data) throws(ModelFormatError) -> [String: String] {
        if data.starts(with: Array("bplist".utf8)) { return try texts(of: PropertyList.read(data)) }
        let text = try decoded(data)
        if text.drop(while: \.isWhitespace).hasPrefix("<") { return try texts(of: PropertyList.read(Data(text.utf8))) }
        var parser = StringsParser(text)
        return try parser.parse()
    }

    /// Reads a strings file.
    public static func read(at url: URL) throws(ModelFormatError) -> [String: String] {
        let data = try FileAccess.data(at: url)
        do throws(ModelFormatError) {
            return try read(data)
        } catch {
            throw error.inFile(url.path)
        }
    }

    private static func texts(of list: PropertyListNode) throws(ModelFormatError) -> [String: String] {
        guard let entries = list.dictionary else {
            throw ModelFormatError(.malformed, "the strings file is no dictionary")
        }
        return entries.compactMapValues(\.string)
    }

    /// Returns the text without its byte order mark. Old editors wrote UTF-16.
    private static func decoded(_ data: Data) throws(ModelFormatError) -> String {
        let start = Array(data.prefix(2))
        let text: String?
        if start == [0xFF, 0xFE] || start == [0xFE, 0xFF] {
            text = String(data: data, encoding: .utf16)
        } else if start.count == 2, start.contains(0) {
            text = String(data: data, encoding: start[0] == 0 ? .utf16BigEndian : .utf16LittleEndian)
        } else {
            text = String(validUTF8: data)
        }
        guard let text else {
            throw ModelFormatError(
                .malformed, "the strings file is not in UTF-8 or UTF-16", advice: "Save it in one of these")
        }
        return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }
}

/// Parses the text form: pairs with semicolons, and comments between them.
private struct StringsParser {
    private let scalars: [Unicode.Scalar]
    private var place = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func parse() throws(ModelFormatError) -> [String: String] {
        var texts: [String: String] = [:]
        try skipBlanks()
        while place < scalars.count {
            let key = try word()
            try skipBlanks()
            // A key without a text is its own text.
            texts[key] = take("=") ? try value() : key
            try skipBlanks()
            guard take(";") else { throw failure("a semicolon is missing after the text of \"\(key)\"") }
            try skipBlanks()
        }
        return texts
    }

    private mutating func value() throws(ModelFormatError) -> String {
        try skipBlanks()
        return try word()
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard place < scalars.count, scalars[place] == scalar else { return false }
        place += 1
        return true
    }

    private mutating func skipBlanks() throws(ModelFormatError) {
        while place < scalars.count {
            if scalars[place].properties.isWhitespace {
                place += 1
            } else if scalars[place] == "/", place + 1 < scalars.count, scalars[place + 1] == "/" {
                while place < scalars.count, scalars[place] != "\n", scalars[place] != "\r" { place += 1 }
            } else if scalars[place] == "/", place + 1 < scalars.count, scalars[place + 1] == "*" {
                let start = place
                place += 2
                while place + 1 < scalars.count, scalars[place] != "*" || scalars[place + 1] != "/" { place += 1 }
                guard place + 1 < scalars.count else { throw failure("a comment is not closed", at: start) }
                place += 2
            } else {
                return
            }
        }
    }

    private mutating func word() throws(ModelFormatError) -> String {
        guard place < scalars.count else { throw failure("the file ends in the middle of a pair") }
        if take("\"") { return try quoted() }
        var text = String.UnicodeScalarView()
        while place < scalars.count, Self.isPlain(scalars[place]) {
            text.append(scalars[place])
            place += 1
        }
        guard !text.isEmpty else { throw failure("\"\(scalars[place])\" stands where a key or a text should") }
        return String(text)
    }

    /// Returns whether a scalar may occur without quotation marks.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || "_$/:.-".unicodeScalars.contains(scalar)
    }

    private mutating func quoted() throws(ModelFormatError) -> String {
        let start = place - 1
        var units: [UInt16] = []
        while place < scalars.count {
            let scalar = scalars[place]
            place += 1
            switch scalar {
            case "\"": return String(decoding: units, as: UTF16.self)
            case "\\": units += try escaped()
            default: units += Array(UTF16.encode(scalar)!)
            }
        }
        throw failure("a quotation mark is not closed", at: start)
    }

    /// Parses an escape to UTF-16 units: letters as in C, `\U` and `\u` with up to four hexadecimal digits, octal.
    private mutating func escaped() throws(ModelFormatError) -> [UInt16] {
        guard place < scalars.count else { throw failure("the file ends in an escape") }
        let scalar = scalars[place]
        place += 1
        switch scalar {
        case "n": return [0x0A]
        case "t": return [0x09]
        case "r": return [0x0D]
        case "a": return [0x07]
        case "b": return [0x08]
        case "f": return [0x0C]
        case "v": return [0x0B]
        case "U", "u": return [try number(radix: 16, digits: 4)]
        case "0"..."7":
            place -= 1
            return [try number(radix: 8, digits: 3)]
        default: return Array(UTF16.encode(scalar)!)
        }
    }

    private mutating func number(radix: Int, digits: Int) throws(ModelFormatError) -> UInt16 {
        var value = 0
        var count = 0
        while count < digits, place < scalars.count, let digit = Character(scalars[place]).hexDigitValue, digit < radix
        {
            value = value * radix + digit
            place += 1
            count += 1
        }
        guard count > 0 else { throw failure("an escape has no digits") }
        return UInt16(truncatingIfNeeded: value)
    }

    private func failure(_ message: String, at position: Int? = nil) -> ModelFormatError {
        let line = scalars.prefix(position ?? place).reduce(1) { $1 == "\n" ? $0 + 1 : $0 }
        return ModelFormatError(.malformed, message, line: line)
    }
}
