/// Changes the text of an XML document where two versions of it, in the form of ModelFormat's writer, differ. All other
/// text, such as comments and line breaks, is unchanged.
struct SourceEdits {
    private struct Edit {
        var range: Range<Int>
        var text: String
    }

    /// The place of an element in the text that cannot be found, so that its change cannot be made.
    struct Missing: Error {
        var tag: String
        var name: String?
    }

    private let text: [UInt8]
    private let newText: [UInt8]
    private let renames: ElementRenames
    private let lineBreak: String
    private let indentation: String
    private var edits: [Edit] = []

    /// Returns the text with the difference between `old` and `new` applied to it.
    ///
    /// - Parameters:
    ///   - text: the document to change.
    ///   - old: the same document as the writer writes it.
    ///   - new: the changed document as the writer writes it.
    ///   - renames: the former names of elements, which are changed where they stand.
    static func apply(
        to text: [UInt8], from old: [UInt8], to new: [UInt8], renames: ElementRenames = ElementRenames()
    ) throws(Missing) -> [UInt8] {
        guard let root = SourceScanner.root(of: text), let oldRoot = SourceScanner.root(of: old),
            let newRoot = SourceScanner.root(of: new)
        else { throw Missing(tag: "model", name: nil) }
        var edits = SourceEdits(text, root: root, new, renames)
        try edits.merge(root, from: oldRoot, to: newRoot, depth: 0)
        return edits.result()
    }

    private init(_ text: [UInt8], root: SourceElement, _ newText: [UInt8], _ renames: ElementRenames) {
        self.text = text
        self.newText = newText
        self.renames = renames
        let newline = text.firstIndex(of: UInt8(ascii: "\n"))
        lineBreak = newline.map { $0 > 0 && text[$0 - 1] == UInt8(ascii: "\r") } == true ? "\r\n" : "\n"
        let own = root.children.lazy.compactMap { Self.indentation(of: $0, in: text) }.first
        indentation = own.map { $0.isEmpty ? "    " : $0 } ?? "    "
    }

    private func result() -> [UInt8] {
        let sorted = edits.enumerated().sorted {
            // What is inserted at the start of a replaced range comes before it.
            ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
                < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
        }
        var result: [UInt8] = []
        var position = 0
        for (_, edit) in sorted {
            result += text[position..<edit.range.lowerBound]
            result += edit.text.utf8
            position = edit.range.upperBound
        }
        return result + text[position...]
    }

    // MARK: Elements

    private mutating func merge(
        _ source: SourceElement, from old: SourceElement?, to new: SourceElement, depth: Int
    ) throws(Missing) {
        mergeAttributes(source, from: old, to: new)
        let sources = Dictionary(source.keyedChildren.map { ($0.key, $0.element) }) { first, _ in first }
        let olds = Dictionary((old?.keyedChildren ?? []).map { ($0.key, $0.element) }) { first, _ in first }
        let news = new.keyedChildren.map { (key: renames.former($0.key, in: new), element: $0.element) }
        var added: [(after: SourceElement?, text: String)] = []
        var previous: SourceElement?
        let inner = childIndentation(of: source)
        for (key, child) in news {
            let isNew = olds[key] == nil
            if let place = sources[key] {
                try merge(place, from: olds[key], to: child, depth: depth + 1)
                previous = place
            } else if isNew {
                added.append((previous, rendered(child, depth: depth + 1, indentation: inner)))
            } else if let before = olds[key], content(before) != content(child) {
                throw Missing(tag: key.tag, name: key.name)
            }
        }
        let remaining = Set(news.map(\.key))
        for key in olds.keys where !remaining.contains(key) {
            guard let place = sources[key] else { throw Missing(tag: key.tag, name: key.name) }
            remove(place)
        }
        insert(added, into: source, indentation: inner)
    }

    /// Returns the attributes and children of an element, without their places.
    private func content(_ element: SourceElement) -> [String] {
        [element.tag] + element.attributes.flatMap { [$0.name, $0.rawValue] }
            + element.children.flatMap { content($0) } + ["/"]
    }

    private mutating func mergeAttributes(_ source: SourceElement, from old: SourceElement?, to new: SourceElement) {
        var end = source.tagEnd
        for attribute in new.attributes {
            // Readers take renamingIdentifier, where elementID is missing, for the same.
            let isIdentifier = attribute.name == "elementID"
            let place =
                source.attribute(attribute.name) ?? (isIdentifier ? source.attribute("renamingIdentifier") : nil)
            let isChanged = old?.attribute(attribute.name)?.rawValue != attribute.rawValue
            if isChanged {
                let range = place?.range ?? end..<end
                edits.append(Edit(range: range, text: " \(attribute.name)=\"\(attribute.rawValue)\""))
            }
            if let place { end = place.range.upperBound }
        }
        for attribute in old?.attributes ?? [] where new.attribute(attribute.name) == nil {
            if let place = source.attribute(attribute.name) { edits.append(Edit(range: place.range, text: "")) }
        }
    }

    private mutating func insert(
        _ added: [(after: SourceElement?, text: String)], into source: SourceElement, indentation inner: String
    ) {
        guard !added.isEmpty else { return }
        let outer = Self.indentation(of: source, in: text) ?? ""
        guard let endTag = source.endTagStart else {
            let texts = added.map { lineBreak + inner + $0.text }.joined()
            let tag = source.startTag.upperBound - 2..<source.startTag.upperBound
            return edits.append(Edit(range: tag, text: ">" + texts + lineBreak + outer + "</\(source.tag)>"))
        }
        for (index, (after, content)) in added.enumerated() {
            var place = lineEnd(behind: (after?.range ?? source.startTag).upperBound)
            if after == nil, source.children.isEmpty {
                place = endTag
                while place > source.startTag.upperBound, Self.isSpace(text[place - 1]) { place -= 1 }
            }
            let isLast = index == added.count - 1 && !text[place..<endTag].contains(UInt8(ascii: "\n"))
            let tail = isLast && text[place..<endTag].allSatisfy(Self.isSpace) ? lineBreak + outer : ""
            edits.append(Edit(range: place..<place, text: lineBreak + inner + content + tail))
        }
    }

    private mutating func remove(_ element: SourceElement) {
        var range = element.range
        guard let indentation = Self.indentation(of: element, in: text) else {
            return edits.append(Edit(range: range, text: ""))
        }
        var end = range.upperBound
        while end < text.count, text[end] == 0x20 || text[end] == 0x09 || text[end] == 0x0D { end += 1 }
        if end < text.count, text[end] == UInt8(ascii: "\n") {
            range = range.lowerBound - indentation.utf8.count..<end + 1
        }
        edits.append(Edit(range: range, text: ""))
    }

    // MARK: Layout

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// Returns the white space before an element that begins a line; nil for others.
    private static func indentation(of element: SourceElement, in text: [UInt8]) -> String? {
        var start = element.range.lowerBound
        while start > 0, text[start - 1] == 0x20 || text[start - 1] == 0x09 { start -= 1 }
        guard start == 0 || text[start - 1] == UInt8(ascii: "\n") else { return nil }
        return String(decoding: text[start..<element.range.lowerBound], as: UTF8.self)
    }

    private func childIndentation(of element: SourceElement) -> String {
        let own = element.children.lazy.compactMap { Self.indentation(of: $0, in: text) }.first
        return own ?? (Self.indentation(of: element, in: text) ?? "") + indentation
    }

    /// Returns the end of a line if only comments follow a place in it, and else the place.
    private func lineEnd(behind place: Int) -> Int {
        var position = place
        var end = place
        while position < text.count {
            if text[position] == UInt8(ascii: "\n") { return end }
            if text[position...].starts(with: "<!--".utf8) {
                while position < text.count, text[position] != UInt8(ascii: "\n"),
                    !text[position...].starts(with: "-->".utf8)
                { position += 1 }
                guard text[position...].starts(with: "-->".utf8) else { return place }
                position += 3
                end = position
            } else if Self.isSpace(text[position]) {
                position += 1
            } else {
                return place
            }
        }
        return place
    }

    /// Returns the text of a new element, indented for its place.
    private func rendered(_ element: SourceElement, depth: Int, indentation outer: String) -> String {
        let lines = String(decoding: newText[element.range], as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().map { index, line in
            guard index > 0 else { return String(line) }
            let spaces = line.prefix { $0 == " " }.count
            let levels = max(0, spaces / 4 - depth)
            return outer + String(repeating: indentation, count: levels) + line.dropFirst(spaces)
        }.joined(separator: lineBreak)
    }
}
