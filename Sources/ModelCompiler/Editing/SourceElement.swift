/// An XML element with the places of its parts in the text of its document.
struct SourceElement {
    /// An attribute of an element.
    struct Attribute {
        var name: String
        /// The value as it stands in the text, with references such as `&amp;`.
        var rawValue: String
        /// The place in the text, with the white space before it.
        var range: Range<Int>
    }

    /// The identity of an element among its siblings.
    struct Key: Hashable {
        var tag: String
        var name: String?
        /// The number of elements before it with the same tag and name.
        var ordinal: Int
    }

    var tag: String
    /// The end of the tag's name.
    var tagEnd: Int
    var attributes: [Attribute] = []
    var children: [SourceElement] = []
    /// The place of the start tag, or of the whole element if it has no end tag.
    var startTag: Range<Int>
    /// The start of the end tag; nil for `<element/>`.
    var endTagStart: Int?
    /// The place of the whole element.
    var range: Range<Int>

    func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }

    /// The children with their identities, in order.
    var keyedChildren: [(key: Key, element: SourceElement)] {
        var counts: [Key: Int] = [:]
        return children.map { child in
            let name = (child.attribute("name") ?? child.attribute("key")).map { Self.decoded($0.rawValue) }
            var key = Key(tag: child.tag, name: name, ordinal: 0)
            key.ordinal = counts[key, default: 0]
            counts[Key(tag: child.tag, name: name, ordinal: 0), default: 0] += 1
            return (key, child)
        }
    }

    /// Returns text with its character references replaced.
    static func decoded(_ text: String) -> String {
        guard text.contains("&") else { return text }
        return text.replacing(/&(#x?)?([0-9A-Za-z]+);/) { match in
            switch (match.1, match.2) {
            case (nil, "amp"): "&"
            case (nil, "lt"): "<"
            case (nil, "gt"): ">"
            case (nil, "quot"): "\""
            case (nil, "apos"): "'"
            case ("#", let digits): character(UInt32(digits)) ?? String(match.0)
            case ("#x", let digits): character(UInt32(digits, radix: 16)) ?? String(match.0)
            default: String(match.0)
            }
        }
    }

    private static func character(_ code: UInt32?) -> String? {
        code.flatMap(Unicode.Scalar.init).map { String($0) }
    }
}

/// Finds the elements in the text of a well-formed XML document.
struct SourceScanner {
    private let bytes: [UInt8]
    private var position = 0

    /// Returns the root element; nil if the text is not well-formed.
    static func root(of bytes: [UInt8]) -> SourceElement? {
        var scanner = SourceScanner(bytes: bytes)
        return scanner.skipToTag() ? scanner.element() : nil
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func starts(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[position + $0] == text.utf8Start[$0] }
    }

    /// Moves behind the next occurrence of a text, or to the end.
    private mutating func skip(behind text: StaticString) {
        while position < bytes.count, !starts(text) { position += 1 }
        position = min(position + text.utf8CodeUnitCount, bytes.count)
    }

    /// Moves to the next start or end tag, past text, comments and declarations. Returns false at the end.
    private mutating func skipToTag() -> Bool {
        while position < bytes.count {
            if starts("<!--") {
                skip(behind: "-->")
            } else if starts("<![CDATA[") {
                skip(behind: "]]>")
            } else if starts("<?") {
                skip(behind: "?>")
            } else if starts("<!") {
                skip(behind: ">")
            } else if starts("<") {
                return true
            } else {
                position += 1
            }
        }
        return false
    }

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    }

    private mutating func name() -> String {
        let start = position
        let ends = Set(" \t\r\n=/>".utf8)
        while position < bytes.count, !ends.contains(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func element() -> SourceElement? {
        let start = position
        position += 1
        let tag = name()
        var element = SourceElement(tag: tag, tagEnd: position, startTag: start..<start, range: start..<start)
        while true {
            let before = position
            skipSpace()
            if starts("/>") {
                position += 2
                element.startTag = start..<position
                element.range = element.startTag
                return element
            }
            if starts(">") {
                position += 1
                break
            }
            guard let attribute = attribute(from: before) else { return nil }
            element.attributes.append(attribute)
        }
        element.startTag = start..<position
        while skipToTag() {
            if starts("</") {
                element.endTagStart = position
                skip(behind: ">")
                element.range = start..<position
                return element
            }
            guard let child = self.element() else { return nil }
            element.children.append(child)
        }
        return nil
    }

    private mutating func attribute(from start: Int) -> SourceElement.Attribute? {
        let name = name()
        skipSpace()
        guard !name.isEmpty, starts("=") else { return nil }
        position += 1
        skipSpace()
        guard position < bytes.count, let end = bytes[(position + 1)...].firstIndex(of: bytes[position]) else {
            return nil
        }
        let value = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        position = end + 1
        return SourceElement.Attribute(name: name, rawValue: value, range: start..<position)
    }
}
