import Foundation
import ModelFormat

/// An index that an entity declares, the older flags included.
struct DeclaredIndex {
    struct Element {
        /// The property's path, or the text of an expression.
        var name: String
        var isExpression: Bool
        var isRelationship: Bool
        var isAscending: Bool
        var isSpatial: Bool

        /// Returns the indexed columns; empty if an element has none.
        func columns(in entity: EntityOutline) -> [String] {
            guard isExpression else { return entity.columns(at: name) }
            guard case .keyPath(let path, .evaluatedObject)? = SimplePredicate.expression(name) else { return [] }
            switch path {
            case "SELF": return ["Z_PK"]
            case "entity": return ["Z_ENT"]
            default: return entity.columns(at: path)
            }
        }
    }

    var name: String
    var elements: [Element]
    /// The condition of a partial index; nil for a full index.
    var condition: String?
}

enum DeclaredIndexes {
    /// Returns the indexes that an entity declares.
    static func of(_ entity: EntityOutline) -> [DeclaredIndex] {
        let declared = entity.entity.effectiveFetchIndexes.map { index in
            DeclaredIndex(
                name: index.name, elements: index.elements.compactMap { element($0, of: entity) },
                condition: index.partialIndexPredicate)
        }
        let names = Set(declared.map(\.name))
        var flagged: [String] = []
        for attribute in entity.entity.attributes where attribute.type == .composite {
            guard case .composite(let range)? = entity.members[attribute.name] else { continue }
            if attribute.isIndexed { flagged.append(attribute.name) }
            for cell in entity.cells[range] where cell.attribute?.isIndexed == true { flagged.append(cell.path) }
        }
        return declared
            + flagged.compactMap { path in
                let name = path.withoutDots
                let element = DeclaredIndex.Element(
                    name: path, isExpression: false, isRelationship: false, isAscending: true, isSpatial: false)
                return names.contains(name) ? nil : DeclaredIndex(name: name, elements: [element], condition: nil)
            }
    }

    private static func element(_ element: FetchIndexElement, of entity: EntityOutline) -> DeclaredIndex.Element? {
        switch element.subject {
        case .property(let name):
            // A property that does not exist is left out.
            let isKnown = entity.member(name) != nil || !entity.columns(at: name).isEmpty
            guard isKnown else { return nil }
            return DeclaredIndex.Element(
                name: name, isExpression: false, isRelationship: entity.relationship(name) != nil,
                isAscending: element.isAscending, isSpatial: element.kind == .rTree)
        case .expression(let text, _):
            return DeclaredIndex.Element(
                name: text, isExpression: true, isRelationship: false, isAscending: element.isAscending,
                isSpatial: element.kind == .rTree)
        }
    }
}

extension String {
    /// The text with underscores for dots.
    var withoutDots: String {
        utf8.contains(UInt8(ascii: ".")) ? replacingOccurrences(of: ".", with: "_") : self
    }
}
