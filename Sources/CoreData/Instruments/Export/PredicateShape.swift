/// Predicates without their constants: `author == "Ada"` and `author == "Bob"` have the same form.
enum PredicateShape {
    /// Replaces strings, numbers and lists of these by question marks.
    static func of(_ predicate: String) -> String {
        let bytes = Array(predicate.utf8)
        var shape: [UInt8] = []
        shape.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                index = endOfText(bytes, index)
                shape.append(UInt8(ascii: "?"))
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                index = endOfNumber(bytes, index)
                // The sign belongs to the number if no operand precedes it.
                if shape.last == UInt8(ascii: "-"), !endsOperand(shape.dropLast()) { shape.removeLast() }
                shape.append(UInt8(ascii: "?"))
            case UInt8(ascii: "}"):
                closeList(&shape)
                index += 1
            case let byte where isWord(byte):
                let end = bytes[index...].firstIndex { !isWord($0) } ?? bytes.count
                shape += bytes[index..<end]
                index = end
            default:
                shape.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: shape, as: UTF8.self)
    }

    private static func endOfText(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != bytes[start] { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        return min(index + 1, bytes.count)
    }

    private static func endOfNumber(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start
        while index < bytes.count {
            let isSign = bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+")
            let followsExponent = index > start && bytes[index - 1] | 0x20 == UInt8(ascii: "e")
            guard isWord(bytes[index]) || bytes[index] == UInt8(ascii: ".") || isSign && followsExponent else { break }
            index += 1
        }
        return index
    }

    /// Replaces `{?, ?, ?` by `{?}`, so that the number of values does not matter.
    private static func closeList(_ shape: inout [UInt8]) {
        if let open = shape.lastIndex(of: UInt8(ascii: "{")) {
            let isOfValues = shape[(open + 1)...].allSatisfy {
                $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ")
            }
            if isOfValues, open + 1 < shape.count {
                shape.removeSubrange((open + 1)...)
                shape.append(UInt8(ascii: "?"))
            }
        }
        shape.append(UInt8(ascii: "}"))
    }

    /// Returns true if the last character other than a space ends a name, a value or a group.
    private static func endsOperand(_ shape: ArraySlice<UInt8>) -> Bool {
        guard let last = shape.last(where: { $0 != UInt8(ascii: " ") }) else { return false }
        return isWord(last)
            || [UInt8(ascii: "?"), UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(last)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
