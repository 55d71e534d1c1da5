import CoreDataRowStorage
import Foundation
import ModelFormat
import PredicateFormat

/// The facts about an entity of a ``Model`` that layouts need.
final class ModelEntityTraits: EntityTraits {
    let entity: Entity
    private let parent: ModelEntityTraits?

    init(_ entity: Entity, parent: ModelEntityTraits?) {
        self.entity = entity
        self.parent = parent
    }

    /// The names of all properties, in the order of the bits of history's changes: by kind, then by name.
    var historyOrder: [String] {
        var groups: [String: Int] = [:]
        var next: ModelEntityTraits? = self
        while let traits = next {
            for attribute in traits.entity.attributes { groups[attribute.name] = attribute.isTransient ? 1 : 0 }
            for relationship in traits.entity.relationships { groups[relationship.name] = relationship.storeGroup }
            next = traits.parent
        }
        return groups.sorted {
            $0.value == $1.value ? $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) : $0.value < $1.value
        }.map(\.key)
    }

    func startingValue(of cell: EntityLayout.Cell) -> AttributeDefault {
        AttributeDefault((cell.source as? ModelAttributeSource)?.attribute.defaultValue?.foundationValue)
    }

    func valueClassName(of cell: EntityLayout.Cell) -> String? {
        guard let attribute = (cell.source as? ModelAttributeSource)?.attribute else { return nil }
        return attribute.type.valueClassName ?? attribute.valueClassName
    }

    func derivation(of cell: EntityLayout.Cell) -> ExpressionNode? {
        guard let text = (cell.source as? ModelAttributeSource)?.attribute.derivation else { return nil }
        return try? ExpressionNode(format: text)
    }

    var declaredIndexes: [IndexTraits] {
        entity.fetchIndexes.map { index in
            IndexTraits(
                name: index.name,
                elements: index.elements.map { element in
                    let subject: IndexTraits.Subject =
                        switch element.subject {
                        case .expression(let text, _): .expression(text, name: text)
                        case .property(let name):
                            entity.relationships.contains { $0.name == name } ? .relationship(name) : .attribute(name)
                        }
                    return IndexTraits.Element(
                        subject: subject, isAscending: element.isAscending, isSpatial: element.kind == .rTree)
                },
                condition: index.partialIndexPredicate.flatMap { try? PredicateNode(format: $0) })
        }
    }

    var compoundIndexPaths: [[String]] { entity.compoundIndexes }
    var constraintPaths: [[String]] { entity.uniquenessConstraints }

    func databaseTraits(at path: [String]) -> DatabaseTraits {
        guard let name = path.first else { return DatabaseTraits(entity.userInfo) }
        if path.count == 1, let relationship = entity.relationships.first(where: { $0.name == name }) {
            return DatabaseTraits(relationship.userInfo)
        }
        var attribute = entity.attributes.first { $0.name == name }
        for name in path.dropFirst() { attribute = attribute?.elements.first { $0.name == name } }
        return DatabaseTraits(attribute?.userInfo ?? [:])
    }
}

extension DatabaseTraits {
    fileprivate init(_ userInfo: [String: ModelValue]) {
        self.init { key in
            guard case .string(let text)? = userInfo[key] else { return nil }
            return text
        }
    }
}

/// The attribute of a slot.
final class ModelAttributeSource: Sendable {
    let attribute: Attribute

    init(_ attribute: Attribute) { self.attribute = attribute }
}

/// Leaves the bytes of transformable values as they are.
package final class TransformableDescription: ValueCoding {
    /// The class of the values as the model names it.
    package let className: String?

    init(_ attribute: Attribute) { className = attribute.valueClassName }

    package func bytes(for value: Any) -> Data? { value as? Data }
    package func value(from bytes: Data) -> Any? { bytes }
    package func refusal(of value: Any, bytes: Data?, in entity: String?) -> NSError? { nil }
    package var missingName: String? { nil }
    package func failure(in entity: String?) -> NSError? { nil }
}
