import Foundation

/// The top-level types a file of Swift declares, and all identifiers it names, read as text: comments and string literals
/// aside.
struct SourceNames: Sendable {
    private(set) var declared: Set<String> = []
    private(set) var named: Set<String> = []

    private static let kinds: Set<String> = ["class", "struct", "enum", "protocol", "typealias", "actor"]

    init(_ text: String) {
        var depth = 0
        var previous = ""
        var scanner = Scanner(text)
        while let token = scanner.next() {
            switch token {
            case "{": depth += 1
            case "}": depth -= 1
            default:
                if depth == 0, Self.kinds.contains(previous) { declared.insert(token) }
                named.insert(token)
            }
            previous = token
        }
    }

    /// Gives identifiers and braces.
    private struct Scanner {
        private let bytes: [UInt8]
        private var place = 0

        init(_ text: String) { bytes = Array(text.utf8) }

        private func isAt(_ text: StaticString) -> Bool {
            bytes[place] == text.utf8Start[0]
                && bytes[place...].starts(
                    with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }

        mutating func next() -> String? {
            while place < bytes.count {
                if isAt("//") {
                    while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
                } else if isAt("/*") {
                    while place < bytes.count, !isAt("*/") { place += 1 }
                } else if isAt("\"\"\"") {
                    place += 3
                    while place < bytes.count, !isAt("\"\"\"") { place += 1 }
                    place += 3
                } else if bytes[place] == UInt8(ascii: "\"") {
                    skipString()
                } else if bytes[place] == UInt8(ascii: "{") || bytes[place] == UInt8(ascii: "}") {
                    place += 1
                    return bytes[place - 1] == UInt8(ascii: "{") ? "{" : "}"
                } else if isIdentifier(bytes[place]) {
                    let start = place
                    while place < bytes.count, isIdentifier(bytes[place]) { place += 1 }
                    return String(decoding: bytes[start..<place], as: UTF8.self)
                } else {
                    place += 1
                }
            }
            return nil
        }

        private mutating func skipString() {
            place += 1
            while place < bytes.count, bytes[place] != UInt8(ascii: "\""), bytes[place] != UInt8(ascii: "\n") {
                place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
            }
            place += 1
        }

        private func isIdentifier(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
