import ModelFormat

/// The corresponding entities, cells and relationships of two versions of a model, for a migration that a store performs
/// itself.
///
/// The rules are those of `ModelCorrespondence`, which matches properties by name; this type maps them to layouts.
package final class LayoutCorrespondence {
    package let source: ModelLayouts
    package let destination: ModelLayouts
    private let models: ModelCorrespondence

    /// Creates the correspondence.
    ///
    /// - Parameters:
    ///   - models: the two versions as plain values.
    ///   - source: the layouts of the first of these versions.
    ///   - destination: the layouts of the second version.
    package init(_ models: ModelCorrespondence, source: ModelLayouts, destination: ModelLayouts) {
        self.models = models
        self.source = source
        self.destination = destination
    }

    // MARK: Entities

    /// Returns the source entity of a destination entity's objects.
    package func origin(of layout: EntityLayout) -> EntityLayout? {
        models.sourceNames[layout.name].flatMap { source.byName[$0] }
    }

    /// Returns the destination entity of a source entity's objects.
    package func successor(of layout: EntityLayout) -> EntityLayout? {
        models.destinationNames[layout.name].flatMap { destination.byName[$0] }
    }

    /// Returns the destination entities that have a property declared by an entity, each with its source entity.
    package func heirs(of property: String, declaredIn layout: EntityLayout) -> [(new: EntityLayout, old: EntityLayout)]
    {
        models.heirs(of: property, declaredIn: layout.name).compactMap { name in
            destination.byName[name].flatMap { new in origin(of: new).map { (new, $0) } }
        }
    }

    // MARK: Properties

    /// Returns the source's name of an entity's property, own or inherited.
    package func formerName(of property: String, in layout: EntityLayout) -> String? {
        models.propertyNames(of: layout.name)[property]
    }

    /// Returns the destination's name of a source property.
    package func newName(of property: String, in layout: EntityLayout) -> String? {
        models.propertyNames(of: layout.name).first { $0.value == property }?.key
    }

    /// Returns the relationship that a relationship's objects come from.
    ///
    /// A relationship to another hierarchy than its former objects now belong to is a new one.
    package func origin(of relationship: EntityLayout.Relationship, in layout: EntityLayout)
        -> EntityLayout.Relationship?
    {
        guard let former = former(relationship, in: layout), let target = source.byNumber[former.destinationNumber],
            let root = destination.byNumber[relationship.destinationNumber]?.root
        else { return nil }
        let survives = target.root.familyNumbers.contains { number in
            source.byNumber[number].flatMap(successor)?.root === root
        }
        return survives ? former : nil
    }

    /// Returns the former stored relationship of a relationship, whatever its destination was.
    package func former(_ relationship: EntityLayout.Relationship, in layout: EntityLayout)
        -> EntityLayout.Relationship?
    {
        guard !relationship.isTransient, let name = formerName(of: relationship.name, in: layout),
            let former = origin(of: layout)?.relationships.first(where: { $0.name == name }), !former.isTransient
        else { return nil }
        return former
    }

    /// Returns the source cell of a destination cell, for rows of one entity.
    package func origin(of cell: EntityLayout.Cell, in layout: EntityLayout) -> EntityLayout.Cell? {
        guard !cell.isTransient, let source = origin(of: layout) else { return nil }
        if cell.relationshipIndex >= 0 {
            guard let former = origin(of: layout.relationships[cell.relationshipIndex], in: layout), !former.isToMany
            else { return nil }
            return source.cells[former.cell]
        }
        let found: EntityLayout.Cell?
        if let composite = cell.compositeName {
            found = element(cell.elementPath, of: composite, in: layout, source)
        } else {
            found = formerName(of: cell.name, in: layout).flatMap(source.cell)
        }
        guard let found, found.traits.contains(.attribute), !found.isTransient else { return nil }
        return found
    }

    private func element(_ path: [String], of composite: String, in layout: EntityLayout, _ source: EntityLayout)
        -> EntityLayout.Cell?
    {
        guard case .attribute(let old)? = models.sourceProperty(of: composite, in: layout.name),
            case .attribute(let new)? = models.destination.properties(layout.name).first(where: { $0.name == composite }
            ),
            let path = elementPath(path[...], of: new, in: old)
        else { return nil }
        return source.cells.first { $0.compositeName == old.name && $0.elementPath == path }
    }

    private func elementPath(_ path: ArraySlice<String>, of new: Attribute, in old: Attribute) -> [String]? {
        guard let first = path.first else { return [] }
        guard let name = models.elementNames(old, new)[first] else { return nil }
        guard path.count > 1 else { return [name] }
        guard let element = models.destination.elements(of: new).first(where: { $0.name == first }),
            let origin = models.source.elements(of: old).first(where: { $0.name == name })
        else { return nil }
        return elementPath(path.dropFirst(), of: element, in: origin).map { [name] + $0 }
    }

    /// Returns the conversion of values of one cell to those of another; nil if they stay the same.
    package func conversion(from origin: EntityLayout.Cell, to cell: EntityLayout.Cell) -> NumericConversion? {
        guard let old = origin.kind.numericType, let new = cell.kind.numericType else { return nil }
        return NumericConversion(from: old, to: new)
    }

    // MARK: Obstacles

    /// The possible content of stores that the inferred mapping cannot preserve.
    package private(set) lazy var hazards: [MigrationHazard] = models.hazards().linksFirst

    /// True if an attribute changes to a type that cannot hold all of its values.
    package private(set) lazy var mayNarrow = contains { conversion(from: $0, to: $1)?.suspicion("v") != nil }

    /// True if values move into or out of external files.
    package private(set) lazy var movesExternalValues = contains { old, new in
        old.traits.contains(.external) != new.traits.contains(.external)
    }

    /// True if an entity that may have objects has become abstract.
    package private(set) lazy var makesAbstract = destination.all.contains { layout in
        layout.isAbstract && origin(of: layout).map { !$0.isAbstract } ?? false
    }

    private func contains(_ condition: (_ old: EntityLayout.Cell, _ new: EntityLayout.Cell) -> Bool) -> Bool {
        destination.all.contains { layout in
            layout.cells.contains { cell in
                cell.relationshipIndex < 0 && origin(of: cell, in: layout).map { condition($0, cell) } ?? false
            }
        }
    }
}

extension CellKind {
    /// The type of a numeric attribute with values that a migration may convert; nil for all others.
    fileprivate var numericType: AttributeType? {
        switch self {
        case .int16: .integer16
        case .int32: .integer32
        case .int64: .integer64
        case .boolean: .boolean
        case .double: .double
        case .float: .float
        default: nil
        }
    }
}
