import Foundation

/// The pattern of `LIKE`: `?` matches any one character, `*` any run of characters, `\` escapes the next character.
struct LikePattern: Sendable {
    private enum Element: Sendable, Equatable {
        case literal(UInt8)
        case anyCharacter
        case anyRun
    }

    private let elements: [Element]
    private let options: StringComparisonOptions

    init(_ pattern: String, _ options: StringComparisonOptions) {
        self.options = options
        var elements: [Element] = []
        var literal = ""
        func flush() {
            elements += StringFolding.fold(literal, options).map(Element.literal)
            literal = ""
        }
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case _ where isEscaped:
                literal.unicodeScalars.append(scalar)
                isEscaped = false
            case "\\":
                isEscaped = true
            case "?":
                flush()
                elements.append(.anyCharacter)
            case "*":
                flush()
                if elements.last != .anyRun { elements.append(.anyRun) }
            default:
                literal.unicodeScalars.append(scalar)
            }
        }
        if isEscaped { literal += "\\" }
        flush()
        self.elements = elements
    }

    /// Returns whether the whole of `text` matches the pattern.
    func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        if options.isEmpty { return run(text, lowers: false) }
        if SubstringSearch.isASCII(text) { return run(text, lowers: options.contains(.caseInsensitive)) }
        return StringFolding.fold(text, options).withUnsafeBufferPointer { run($0, lowers: false) }
    }

    /// Matches pattern and text in one loop. After a mismatch only the last `*` is extended by one byte, so the worst-case time
    /// is the product of the lengths.
    private func run(_ text: UnsafeBufferPointer<UInt8>, lowers: Bool) -> Bool {
        elements.withUnsafeBufferPointer { elements in
            var position = 0
            var element = 0
            var retryElement = -1
            var retryPosition = 0
            while true {
                if element < elements.count {
                    switch elements[element] {
                    case .anyRun:
                        element += 1
                        retryElement = element
                        retryPosition = position
                        continue
                    case .anyCharacter where position < text.count:
                        element += 1
                        position = Self.endOfCharacter(text, position)
                        continue
                    case .literal(let byte)
                    where position < text.count
                        && (lowers ? StringFolding.lowercaseASCII(text[position]) : text[position]) == byte:
                        element += 1
                        position += 1
                        continue
                    default:
                        break
                    }
                } else if position == text.count {
                    return true
                }
                guard retryElement >= 0, retryPosition < text.count else { return false }
                if retryElement == elements.count { return true }
                retryPosition = Self.endOfScalar(text, retryPosition)
                position = retryPosition
                element = retryElement
            }
        }
    }

    private static func endOfScalar(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> Int {
        position + StringFolding.decode(text, at: position).length
    }

    /// Returns the end of the character at `position`: after the scalar and its combining marks.
    private static func endOfCharacter(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> Int {
        var end = endOfScalar(text, position)
        while end < text.count, text[end] >= 0x80 {
            let (value, length) = StringFolding.decode(text, at: end)
            guard FoldingTable.extendsCharacter(value) else { break }
            end += length
        }
        return end
    }
}
