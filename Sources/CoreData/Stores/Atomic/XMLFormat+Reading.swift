import CoreDataMemoryStorage
import CoreDataRowStorage
import Foundation
import ModelFormat

#if canImport(FoundationXML)
import FoundationXML
#endif

extension XMLFormat {
    static func read(_ data: Data, into state: inout MemoryState) throws {
        let reader = XMLStoreReader(state.layouts)
        let edit = try reader.read(data, plan: state.plan)
        if let first = state.layouts.all.first { state.skipKeys(to: reader.lastKey, of: first) }
        state.apply(edit)
    }
}

/// Reads the objects of an XML store.
private final class XMLStoreReader: NSObject, XMLParserDelegate {
    /// The values of an object's relationship, resolved when all objects have been read.
    private struct Pending {
        let layout: EntityLayout
        let key: Int64
        let row: UnsafeMutableRawPointer
        let relationship: EntityLayout.Relationship
        let keys: [Int64]
    }

    /// An entity with its properties, keyed by their names in the file.
    private final class Target {
        let layout: EntityLayout
        var rows: RowWriter
        let cells: [String: EntityLayout.Cell]
        let relationships: [String: EntityLayout.Relationship]

        init(_ layout: EntityLayout) {
            self.layout = layout
            rows = RowWriter(layout)
            cells = Dictionary(layout.cells.map { ($0.name.lowercased(), $0) }) { first, _ in first }
            relationships = Dictionary(layout.relationships.map { ($0.name.lowercased(), $0) }) { first, _ in first }
        }
    }

    private let targets: [String: Target]
    private var current: Target?
    private var currentKey: Int64 = 0
    private var cell: EntityLayout.Cell?
    private var isBase64 = false
    private var text = ""
    private var errors = XMLErrorLimit()
    private var pending: [Pending] = []
    private var entityNumbers: [Int64: Int] = [:]
    private var edit = MemoryEdit()
    private var failure: String?
    private var isComplete = false
    private(set) var lastKey: Int64 = 101

    init(_ layouts: ModelLayouts) {
        targets = Dictionary(layouts.all.map { ($0.name.uppercased(), Target($0)) }) { first, _ in first }
    }

    func read(_ data: Data, plan: MemoryPlan) throws -> MemoryEdit {
        // Foundation's parser traps on text that is not valid UTF-8.
        guard String(validating: data, as: UTF8.self) != nil, !data.contains(0) else {
            throw StoreFileDamage("It is not text in UTF-8.")
        }
        // Declared entities can expand a small document to a huge one (billion laughs); stores contain none.
        guard data.range(of: Data("<!ENTITY".utf8)) == nil else { throw StoreFileDamage("It declares XML entities.") }
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        parser.delegate = self
        let succeeded = parser.parse()
        if let failure { throw StoreFileDamage(failure) }
        // The parser reports success for a truncated document.
        guard succeeded, isComplete else {
            throw StoreFileDamage("It is not well-formed XML, or not all of it is there (line \(parser.lineNumber)).")
        }
        for relation in pending { resolve(relation, plan) }
        return edit
    }

    private func resolve(_ relation: Pending, _ plan: MemoryPlan) {
        let members = ContiguousArray(
            relation.keys.compactMap { key in entityNumbers[key].map { RowReference(entityNumber: $0, key: key) } })
        switch plan.storage(of: relation.relationship, in: relation.layout) {
        case .cell:
            guard let target = members.first else { return }
            relation.layout.set(relation.row, relation.relationship.cell, UInt64(bitPattern: target.bits))
        case .mirror(_, order: nil), .transient: return
        case .mirror(_, let list?), .links(let list, _): edit.sequences.append((list, relation.key, members))
        }
    }

    // MARK: XMLParserDelegate

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        switch name {
        case "object": beginObject(attributes, parser)
        case "attribute":
            guard let current, let name = attributes["name"] else { return }
            cell = current.cells[name.lowercased()]
            isBase64 = attributes["encoding"] == "base64"
            text = ""
        case "relationship":
            guard let current, let name = attributes["name"],
                let relationship = current.relationships[name.lowercased()], let references = attributes["idrefs"]
            else { return }
            pending.append(
                Pending(
                    layout: current.layout, key: currentKey, row: current.rows.finished.row, relationship: relationship,
                    keys: references.split(separator: " ").compactMap(Self.key)))
        default: return
        }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) { errors.count(for: parser) }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if cell != nil { text += string }
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        switch name {
        case "object":
            if let current {
                edit.tables[current.layout.root.number, default: .init()].inserted
                    .append((currentKey, current.rows.finished))
            }
            current = nil
        case "database": isComplete = true
        case "attribute":
            if let current, let cell, !set(cell, in: current.rows) {
                fail("\(current.layout.name).\(cell.name) has the unreadable value \"\(text.prefix(40))\"", parser)
            }
            cell = nil
        default: return
        }
    }

    private func beginObject(_ attributes: [String: String], _ parser: XMLParser) {
        guard let key = attributes["id"].flatMap({ Self.key($0) }) else {
            return fail("an object has no usable id", parser)
        }
        // An entity missing from the model can occur only if version hashes are ignored.
        guard let target = attributes["type"].flatMap({ targets[$0.uppercased()] }) else { return }
        guard entityNumbers.updateValue(target.layout.number, forKey: key) == nil else {
            return fail("two objects have the id z\(key)", parser)
        }
        target.rows.begin(version: 1)
        current = target
        currentKey = key
        lastKey = max(lastKey, key)
    }

    private func fail(_ reason: String, _ parser: XMLParser) {
        failure = failure ?? "Line \(parser.lineNumber): \(reason)."
        parser.abortParsing()
    }

    /// Returns the primary key in an ID such as `z102`.
    private static func key(_ text: some StringProtocol) -> Int64? {
        guard text.first == "z", let key = Int64(text.dropFirst()), key > 0, key < 1 << 48 else { return nil }
        return key
    }

    /// Stores the text of an attribute; returns false if the text is not a value of its type.
    private func set(_ cell: EntityLayout.Cell, in rows: RowWriter) -> Bool {
        let plain = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch cell.kind {
        case .int16, .int32, .int64, .boolean:
            guard let number = Int64(plain) else { return false }
            rows.set(cell, bits: UInt64(bitPattern: number))
        case .double, .float, .date:
            guard let number = Double(plain) else { return false }
            rows.set(cell, bits: number.bitPattern)
        case .string, .uri:
            guard !isBase64 else { return setData(cell, in: rows) }
            text.withUTF8 { rows.set(cell, bytes: UnsafeRawBufferPointer($0)) }
        case .data, .transformable: return setData(cell, in: rows)
        case .uuid:
            guard let uuid = UUID(uuidString: plain) else { return false }
            withUnsafeBytes(of: uuid.uuid) { rows.set(cell, bytes: $0) }
        case .decimal:
            guard let decimal = plain == "NaN" ? .nan : Decimal(string: plain) else { return false }
            withUnsafeBytes(of: decimal) { rows.set(cell, bytes: $0) }
        case .boxed, .reference: break
        }
        return true
    }

    private func setData(_ cell: EntityLayout.Cell, in rows: RowWriter) -> Bool {
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else { return false }
        data.withUnsafeBytes { rows.set(cell, bytes: $0) }
        return true
    }
}
