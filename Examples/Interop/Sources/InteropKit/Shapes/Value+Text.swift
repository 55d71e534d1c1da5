import Foundation

extension Value {
    /// The value as one line of ASCII text. Different values have different texts; long ones differ by length and checksum.
    public var line: String {
        switch self {
        case .none: "nil"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .float(let number): "\(number)"
        case .decimal(let digits): "decimal \(Self.plain(digits))"
        case .text(let text): Self.quoted(text)
        case .bool(let flag): "\(flag)"
        case .date(let seconds): "\(seconds) s since 2001"
        case .data(let data): Self.summary(data)
        case .uuid(let text): "UUID \(text.uppercased())"
        case .uri(let text): "URI \(Self.quoted(text))"
        case .list(let values): "[" + values.map(\.line).joined(separator: ", ") + "]"
        case .table(let values):
            "{" + values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.line)" }.joined(separator: ", ") + "}"
        }
    }

    /// Returns the digits without leading and trailing zeros, and an exponent: platforms format long decimals differently.
    private static func plain(_ digits: String) -> String {
        var rest = Substring(digits)
        let sign = rest.first == "-" ? "-" : ""
        if let first = rest.first, "+-".contains(first) { rest.removeFirst() }
        var exponent = 0
        if let mark = rest.firstIndex(where: { $0 == "e" || $0 == "E" }) {
            exponent = Int(rest[rest.index(after: mark)...]) ?? 0
            rest = rest[..<mark]
        }
        var figures = String(rest)
        if let point = figures.firstIndex(of: ".") {
            exponent -= figures.distance(from: point, to: figures.endIndex) - 1
            figures.remove(at: point)
        }
        guard figures.allSatisfy(\.isNumber) else { return digits }
        figures = String(figures.drop { $0 == "0" })
        while figures.last == "0" {
            figures.removeLast()
            exponent += 1
        }
        return figures.isEmpty ? "0" : "\(sign)\(figures)e\(exponent)"
    }

    /// Returns the text in quotes, or the prefix, length and checksum of a text of more than 120 scalars.
    static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.count > 120 else { return "\"" + scalars.map(escaped).joined() + "\"" }
        let start = scalars.prefix(20).map(escaped).joined()
        return "\"\(start)...\" of \(scalars.count) scalars, checksum \(Checksum.text(of: Data(text.utf8)))"
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"", "\\": "\\\(scalar)"
        case " "..."~": String(scalar)
        default: "\\u{\(String(scalar.value, radix: 16))}"
        }
    }

    /// Returns the bytes in hexadecimal digits, or the prefix, number and checksum of more than 32 bytes.
    static func summary(_ data: Data) -> String {
        let digits = data.prefix(32).map { hexadecimal(UInt64($0), digits: 2) }.joined()
        return data.count <= 32
            ? "\(data.count) bytes <\(digits)>"
            : "\(data.count) bytes <\(digits)...>, checksum \(Checksum.text(of: data))"
    }

    static func hexadecimal(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

/// The 64-bit FNV-1a hash, which is the same on every platform.
public enum Checksum {
    /// Returns the checksum in sixteen hexadecimal digits.
    public static func text(of data: Data) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in data { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Value.hexadecimal(hash, digits: 16)
    }
}
