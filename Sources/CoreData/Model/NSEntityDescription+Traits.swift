import CoreDataRowStorage
import PredicateFormat

// The interface of entities to layouts and stores: see ``EntityTraits``.

extension NSEntityDescription: EntityTraits {
    package final func startingValue(of cell: EntityLayout.Cell) -> AttributeDefault {
        guard let attribute = cell.attribute else { return .none }
        switch attribute.storedDefault {
        case .none, .object: return AttributeDefault(attribute.defaultValue)
        case .flag, .integer, .double: return attribute.storedDefault
        }
    }

    package final func valueClassName(of cell: EntityLayout.Cell) -> String? { cell.attribute?.attributeValueClassName }

    package final func derivation(of cell: EntityLayout.Cell) -> ExpressionNode? {
        (cell.attribute as? NSDerivedAttributeDescription)?.derivationExpression?.node
    }

    package final var declaredIndexes: [IndexTraits] {
        let declared = indexes.map(IndexTraits.init)
        let names = Set(declared.map(\.name))
        let composites = ownProperties.lazy.compactMap { $0 as? NSCompositeAttributeDescription }
        return declared
            + composites.flatMap(\.indexedPaths).compactMap { path in
                let name = path.replacing(".", with: "_")
                return names.contains(name) ? nil : IndexTraits(name: name, over: path)
            }
    }
    package final var compoundIndexPaths: [[String]] { compoundIndexNames }
    package final var constraintPaths: [[String]] { constraintNames }
    package final var historyOrder: [String] { tables.historyOrder }

    package final func databaseTraits(at path: [String]) -> DatabaseTraits {
        guard let name = path.first else { return DatabaseTraits(userInfo) }
        var property = ownProperties.first { $0.name == name }
        for name in path.dropFirst() {
            property = (property as? NSCompositeAttributeDescription)?.elements.first { $0.name == name }
        }
        return DatabaseTraits(property?.userInfo)
    }
}

extension DatabaseTraits {
    fileprivate init(_ userInfo: [AnyHashable: Any]?) {
        guard let userInfo, !userInfo.isEmpty else {
            self.init()
            return
        }
        self.init { userInfo[$0] as? String }
    }
}

extension NSCompositeAttributeDescription {
    /// The paths with the older flag for an index: that of the attribute, and those of its elements.
    fileprivate var indexedPaths: [String] {
        (isIndexed ? [path] : [])
            + elements.flatMap { element in
                (element as? NSCompositeAttributeDescription)?.indexedPaths ?? (element.isIndexed ? [element.path] : [])
            }
    }
}

extension IndexTraits {
    fileprivate init(name: String, over path: String) {
        self.init(
            name: name, elements: [Element(subject: .attribute(path), isAscending: true, isSpatial: false)],
            condition: nil)
    }

    init(_ index: NSFetchIndexDescription) {
        self.init(
            name: index.name, elements: index.elements.map(Element.init), condition: index.partialIndexPredicate?.node)
    }
}

extension IndexTraits.Element {
    init(_ element: NSFetchIndexElementDescription) {
        let name = element.propertyPath
        let subject: IndexTraits.Subject =
            switch element.property {
            case is NSRelationshipDescription: .relationship(name)
            case let property as NSExpressionDescription:
                property.expression.map { .expression($0.description, name: name) } ?? .attribute(name)
            default: .attribute(name)
            }
        self.init(subject: subject, isAscending: element.isAscending, isSpatial: element.collationType == .rTree)
    }
}
