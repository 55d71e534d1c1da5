import CoreDataRuntimeSupport
import Foundation

// Internal interface of entities.

extension NSEntityDescription {
    /// The topmost ancestor of the entity. Its table contains the rows of the whole hierarchy.
    var rootEntity: NSEntityDescription {
        var root = self
        while let parent = root.parent { root = parent }
        return root
    }

    /// The entity's ancestors, the topmost first, and the entity itself.
    var lineage: [NSEntityDescription] {
        var lineage = [self]
        while let parent = lineage[lineage.count - 1].parent { lineage.append(parent) }
        lineage.reverse()
        return lineage
    }

    /// The properties declared by the entity itself, in the order of ``orderedProperties``.
    var orderedOwnProperties: [NSPropertyDescription] { ownProperties.sorted(by: EntityTables.precedes) }

    /// The properties in the order of row layouts: inherited ones first in their entity's order, then the entity's persistent
    /// attributes, transient attributes, to-one, unordered to-many and ordered to-many relationships, and fetched properties,
    /// each group sorted by name. A redeclared property takes the place of the inherited one.
    var orderedProperties: [NSPropertyDescription] { tables.orderedProperties(of: self) }

    /// The entity and all its descendants, ancestors first.
    var selfAndDescendants: [NSEntityDescription] {
        var (all, waiting): ([NSEntityDescription], [NSEntityDescription]) = ([], [self])
        while let entity = waiting.popLast() {
            all.append(entity)
            waiting += entity.children.reversed()
        }
        return all
    }

    /// The uniqueness constraints of the entity and its ancestors, as property names.
    var allUniquenessConstraints: [[String]] { lineage.flatMap(\.constraintNames) }

    /// The name of the parent entity.
    var parentName: String? { parent?.name ?? unresolvedParentName }

    /// Returns the property of a name, own or inherited, without using the lookup tables, which an entity that is still
    /// editable would rebuild for every call.
    func declared(_ name: String) -> NSPropertyDescription? {
        var entity: NSEntityDescription? = self
        while let current = entity {
            if let property = current.ownProperties.last(where: { $0.name == name }) { return property }
            entity = current.parent
        }
        return nil
    }

    /// Returns the property of a name, own or inherited, or the element of a composite attribute at a path (`address.city`).
    func property(at path: String) -> NSPropertyDescription? {
        guard path.utf8.contains(UInt8(ascii: ".")) else { return declared(path) }
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return (declared(names[0]) as? NSCompositeAttributeDescription)?.element(at: names.dropFirst())
    }

    /// The lookup tables: created on first use for a frozen entity, computed for every access otherwise.
    var tables: EntityTables { isFrozen ? frozenTables.value { EntityTables(self) } : EntityTables(self) }

    /// Freezes the entity, its properties and its ancestors.
    func freeze() {
        var entity: NSEntityDescription? = self
        while let current = entity, !current.isFrozen {
            current.freezeAlone()
            entity = current.parent
        }
    }

    private func freezeAlone() {
        isFrozen = true
        for property in ownProperties {
            if let complaint = ReservedNames.complaint(about: property.name, of: name) {
                fatalError("\(complaint). Rename the property.")
            }
            property.freeze()
        }
        for index in indexes { index.isFrozen = true }
    }

    /// Traps if the entity is frozen; otherwise invalidates the model's version hashes.
    func willEdit() {
        guard isFrozen else {
            model?.forgetHashes()
            return
        }
        fatalError("Can't modify an immutable model. Edit a copy, before the model is used by a coordinator.")
    }

    /// Copies everything but the model and related entities from another entity; properties and indexes are copied.
    func assign(from other: NSEntityDescription) {
        name = other.name
        isAbstract = other.isAbstract
        userInfo = other.userInfo
        versionHashModifier = other.versionHashModifier
        storedClassName = other.storedClassName
        storedRenamingIdentifier = other.storedRenamingIdentifier
        constraintNames = other.constraintNames
        unresolvedParentName = other.unresolvedParentName
        compoundIndexNames = other.compoundIndexNames
        spotlightDisplayNameExpression = other.spotlightDisplayNameExpression
        properties = other.ownProperties.compactMap { $0.copy() as? NSPropertyDescription }
        indexes = other.indexes.compactMap { $0.copy() as? NSFetchIndexDescription }
    }

    /// Replaces the properties of the entity's index elements by the entity's properties at the same paths.
    func rebindIndexes() {
        for element in indexes.flatMap(\.elements) where !(element.property is NSExpressionDescription) {
            if let property = property(at: element.propertyPath) { element.rebind(to: property) }
        }
    }

    /// Returns whether two entities are equal; related entities are compared by name.
    func isSame(as other: NSEntityDescription) -> Bool {
        name == other.name && isAbstract == other.isAbstract && storedClassName == other.storedClassName
            && versionHashModifier == other.versionHashModifier && renamingIdentifier == other.renamingIdentifier
            && parentName == other.parentName && constraintNames == other.constraintNames
            && Set(children.map(\.name)) == Set(other.children.map(\.name))
            && propertiesByName == other.propertiesByName
            && Set(indexes) == Set(other.indexes)
    }

    /// Returns the names of a group of names and descriptions; paths for elements of composite attributes. Traps for anything
    /// else.
    static func propertyNames(_ group: [Any]) -> [String] {
        group.map { member in
            switch member {
            case let name as String: return name
            case let property as NSPropertyDescription: return property.path
            default: fatalError("Constraints and indexes are made of property names or descriptions, not \(member).")
            }
        }
    }
}

/// An entity's properties, arranged for lookup.
final class EntityTables: Sendable {
    let properties: [NSPropertyDescription]
    private let madeOrder = MadeOnce<PropertyList>()
    private let madeNames = MadeOnce<NameTable>()
    private let madeKinds = MadeOnce<KindTables>()
    private let madeHistoryOrder = MadeOnce<NameList>()

    init(_ entity: NSEntityDescription) {
        properties = Self.overlay(entity.lineage.map(\.ownProperties))
    }

    /// Returns the properties in the order of row layouts.
    ///
    /// - Parameter entity: the entity of the tables, which do not retain it.
    func orderedProperties(of entity: NSEntityDescription) -> [NSPropertyDescription] {
        madeOrder.value { PropertyList(Self.overlay(entity.lineage.map(\.orderedOwnProperties))) }.properties
    }

    private final class PropertyList: Sendable {
        let properties: [NSPropertyDescription]

        init(_ properties: [NSPropertyDescription]) { self.properties = properties }
    }

    /// Returns whether a property precedes another one: by kind, then by name.
    fileprivate static func precedes(_ a: NSPropertyDescription, _ b: NSPropertyDescription) -> Bool {
        let (one, other) = (a.storeGroup, b.storeGroup)
        return one == other ? a.name.utf8.lexicographicallyPrecedes(b.name.utf8) : one < other
    }

    /// The properties in the order of the bits of persistent history's `ZCOLUMNS`: inherited and own ones sorted together by
    /// kind and name, without fetched properties.
    var historyOrder: [String] {
        madeHistoryOrder.value {
            NameList(
                properties.filter { !($0 is NSFetchedPropertyDescription) }.sorted(by: Self.precedes).map(\.name))
        }.names
    }

    private final class NameList: Sendable {
        let names: [String]

        init(_ names: [String]) { self.names = names }
    }

    // Created on first use; the framework itself uses layouts instead.
    var propertiesByName: [String: NSPropertyDescription] { madeNames.value { NameTable(properties) }.properties }
    var attributesByName: [String: NSAttributeDescription] { kinds.attributes }
    var relationshipsByName: [String: NSRelationshipDescription] { kinds.relationships }
    private var kinds: KindTables { madeKinds.value { KindTables(propertiesByName) } }

    private final class NameTable: Sendable {
        let properties: [String: NSPropertyDescription]

        init(_ all: [NSPropertyDescription]) {
            var properties = [String: NSPropertyDescription](minimumCapacity: all.count)
            for property in all { properties[property.name] = property }
            self.properties = properties
        }
    }

    private final class KindTables: Sendable {
        let attributes: [String: NSAttributeDescription]
        let relationships: [String: NSRelationshipDescription]

        init(_ properties: [String: NSPropertyDescription]) {
            attributes = properties.compactMapValues { $0 as? NSAttributeDescription }
            relationships = properties.compactMapValues { $0 as? NSRelationshipDescription }
        }
    }

    /// Returns the properties of an inheritance chain, the topmost entity's first. A redeclared property takes the place of the
    /// inherited one.
    private static func overlay(_ levels: [[NSPropertyDescription]]) -> [NSPropertyDescription] {
        if levels.count == 1 { return levels[0] }
        var all: [NSPropertyDescription] = []
        all.reserveCapacity(levels.reduce(0) { $0 + $1.count })
        var places = [String: Int](minimumCapacity: all.capacity)
        for level in levels {
            let inherited = all.count
            for property in level {
                if let place = places[property.name], place < inherited {
                    // If an entity has several properties of one name, the first is used.
                    if all[place].owner !== property.owner { all[place] = property }
                } else {
                    all.append(property)
                }
            }
            for place in inherited..<all.count { places[all[place].name] = place }
        }
        return all
    }
}

extension NSPropertyDescription {
    /// The rank of the property's kind in the store format's order: see `NSEntityDescription.orderedProperties`.
    fileprivate var storeGroup: Int {
        switch self {
        case let relationship as NSRelationshipDescription:
            relationship.isToMany ? (relationship.isOrdered ? 4 : 3) : 2
        case is NSFetchedPropertyDescription: 5
        default: isTransient ? 1 : 0
        }
    }
}
