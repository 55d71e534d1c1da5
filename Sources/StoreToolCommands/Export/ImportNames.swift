import Foundation
import ModelFormat
import StoreTools

/// The keys and formats from which MagicalRecord's import reads an entity, by the userInfo of the model.
struct ImportNames {
    let facts: EntityFacts
    /// The attributes that an export writes.
    let attributes: [Attribute]
    /// The columns of a query for everything that a record has: attributes, then relationships.
    let columns: [String]
    let relationships: [Relationship]
    /// The attribute that identifies records at the top level.
    let key: String?
    /// True if objects may be too large to be read many at a time.
    let hasLargeValues: Bool

    init(_ facts: EntityFacts) {
        self.facts = facts
        attributes = facts.attributes.filter { !$0.isDerived }
        relationships = (facts.toOnes + facts.toManys).sorted { $0.name < $1.name }
        columns = attributes.map(\.name) + relationships.map(\.name)
        key = Self.key(of: facts)
        hasLargeValues = attributes.contains { $0.type == .binary }
    }

    /// Returns the name of `relatedByAttribute`, or of an attribute `<entity>ID`, of the first entity upward that has one.
    private static func key(of facts: EntityFacts) -> String? {
        for entity in facts.lineage {
            if let given = entity.userInfo["relatedByAttribute"]?.stringValue { return facts.attribute(given)?.name }
            let name = defaultKey(entity.name)
            if facts.attribute(name) != nil { return name }
        }
        return nil
    }

    private static func defaultKey(_ entity: String) -> String {
        entity.prefix(1).lowercased() + entity.dropFirst() + "ID"
    }

    /// Returns the attributes that may identify related objects, the first that has a value being used.
    func keys(in relationship: Relationship) -> [String] {
        if let given = relationship.userInfo["relatedByAttribute"]?.stringValue {
            return facts.attribute(given).map { [$0.name] } ?? []
        }
        let named = facts.attribute(Self.defaultKey(relationship.destinationName))?.name
        return [named, key == named ? nil : key].compactMap { $0 }
    }

    /// Returns the key path of a property's value in a record.
    static func path(_ name: String, _ userInfo: [String: ModelValue]) -> String {
        userInfo["mappedKeyName"]?.stringValue ?? name
    }
}

extension ModelValue {
    fileprivate var stringValue: String? { if case .string(let text) = self { text } else { nil } }

    /// The text, for values of userInfo.
    var userText: String? { stringValue }
}

/// A JSON object that is built by key paths, in the order of its keys.
struct ExportRecord {
    private enum Node {
        case text([UInt8])
        case record(ExportRecord)
    }

    private var entries: [(key: String, node: Node)] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Sets the JSON text of a value at a key path.
    mutating func set(_ json: [UInt8], at path: String) { set(json, path.split(separator: ".")[...]) }

    private mutating func set(_ json: [UInt8], _ path: ArraySlice<Substring>) {
        guard let first = path.first.map(String.init) else { return }
        let index = entries.firstIndex { $0.key == first }
        guard path.count > 1 else {
            if let index { entries[index].node = .text(json) } else { entries.append((first, .text(json))) }
            return
        }
        var inner = ExportRecord()
        if let index, case .record(let found) = entries[index].node { inner = found }
        inner.set(json, path.dropFirst())
        if let index { entries[index].node = .record(inner) } else { entries.append((first, .record(inner))) }
    }

    func append(to text: inout ByteText) {
        text.append("{")
        for (index, entry) in entries.enumerated() {
            if index > 0 { text.append(",") }
            text.appendJSON(entry.key)
            text.append(":")
            switch entry.node {
            case .text(let json): text.append(json)
            case .record(let record): record.append(to: &text)
            }
        }
        text.append("}")
    }

    var bytes: [UInt8] {
        var text = ByteText()
        append(to: &text)
        return text.bytes
    }
}
