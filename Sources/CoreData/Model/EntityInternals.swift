import CoreDataRuntimeSupport
import Foundation

// What the rest of the module asks of entities.

extension NSEntityDescription {
    /// The top of the inheritance the entity is in: the entity whose table holds its rows.
    var rootEntity: NSEntityDescription {
        var root = self
        while let parent = root.parent { root = parent }
        return root
    }

    /// The entities it inherits from, the topmost first, and the entity itself.
    var lineage: [NSEntityDescription] {
        var lineage = [self]
        while let parent = lineage[lineage.count - 1].parent { lineage.append(parent) }
        lineage.reverse()
        return lineage
    }

    /// The properties the entity itself declares, in the order of ``orderedProperties``.
    var orderedOwnProperties: [NSPropertyDescription] { ownProperties.sorted(by: EntityTables.precedes) }

    /// The properties in the order rows lay them out: inherited ones first in their entity's order, then own ones as persistent attributes, transient attributes, to-one, unordered to-many and ordered to-many
    /// relationships and fetched properties, each by name. A redeclared property takes the inherited one's place.
    var orderedProperties: [NSPropertyDescription] { tables.orderedProperties(of: self) }

    /// The entity and all that inherit from it, ancestors first.
    var selfAndDescendants: [NSEntityDescription] {
        var (all, waiting): ([NSEntityDescription], [NSEntityDescription]) = ([], [self])
        while let entity = waiting.popLast() {
            all.append(entity)
            waiting += entity.children.reversed()
        }
        return all
    }

    /// The uniqueness constraints that bind the entity's objects, with those of its ancestors, as names.
    var allUniquenessConstraints: [[String]] { lineage.flatMap(\.constraintNames) }

    /// Name of the entity this one inherits from.
    var parentName: String? { parent?.name ?? unresolvedParentName }

    /// The property of that name, own or inherited, without tables: an entity being built would make them anew each time.
    func declared(_ name: String) -> NSPropertyDescription? {
        var entity: NSEntityDescription? = self
        while let current = entity {
            if let property = current.ownProperties.last(where: { $0.name == name }) { return property }
            entity = current.parent
        }
        return nil
    }

    /// The property of that name, own or inherited, or the element of a composite attribute at the path (`address.city`).
    func property(at path: String) -> NSPropertyDescription? {
        guard path.utf8.contains(UInt8(ascii: ".")) else { return declared(path) }
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return (declared(names[0]) as? NSCompositeAttributeDescription)?.element(at: names.dropFirst())
    }

    /// The tables of a frozen entity, made when they are asked for first, or ones computed for the moment.
    var tables: EntityTables { isFrozen ? frozenTables.value { EntityTables(self) } : EntityTables(self) }

    /// Locks the entity, its properties, and those it inherits from.
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

    /// Traps when the entity is frozen.
    func willEdit() {
        guard isFrozen else {
            model?.forgetHashes()
            return
        }
        fatalError("Can't modify an immutable model. Edit a copy, before the model is used by a coordinator.")
    }

    /// Takes over everything but model and relatives; properties and indexes are copied.
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

    /// Points the elements of the entity's indexes to the entity's own properties at the same paths.
    func rebindIndexes() {
        for element in indexes.flatMap(\.elements) where !(element.property is NSExpressionDescription) {
            if let property = property(at: element.propertyPath) { element.rebind(to: property) }
        }
    }

    /// Whether two entities say the same, relatives being compared by name.
    func isSame(as other: NSEntityDescription) -> Bool {
        name == other.name && isAbstract == other.isAbstract && storedClassName == other.storedClassName
            && versionHashModifier == other.versionHashModifier && renamingIdentifier == other.renamingIdentifier
            && parentName == other.parentName && constraintNames == other.constraintNames
            && Set(children.map(\.name)) == Set(other.children.map(\.name))
            && propertiesByName == other.propertiesByName
            && Set(indexes) == Set(other.indexes)
    }

    /// The names behind a group of names and descriptions; paths of elements of composite attributes. Anything else traps.
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

/// An entity's properties, arranged for look-up.
final class EntityTables: Sendable {
    let properties: [NSPropertyDescription]
    private let madeOrder = MadeOnce<PropertyList>()
    private let madeNames = MadeOnce<NameTable>()
    private let madeKinds = MadeOnce<KindTables>()
    private let madeHistoryOrder = MadeOnce<NameList>()

    init(_ entity: NSEntityDescription) {
        properties = Self.overlay(entity.lineage.map(\.ownProperties))
    }

    /// The properties in the order of rows.
    ///
    /// - Parameter entity: the entity that the tables are of, which they do not keep alive.
    func orderedProperties(of entity: NSEntityDescription) -> [NSPropertyDescription] {
        madeOrder.value { PropertyList(Self.overlay(entity.lineage.map(\.orderedOwnProperties))) }.properties
    }

    private final class PropertyList: Sendable {
        let properties: [NSPropertyDescription]

        init(_ properties: [NSPropertyDescription]) { self.properties = properties }
    }

    /// By kind, then by name.
    fileprivate static func precedes(_ a: NSPropertyDescription, _ b: NSPropertyDescription) -> Bool {
        let (one, other) = (a.storeGroup, b.storeGroup)
        return one == other ? a.name.utf8.lexicographicallyPrecedes(b.name.utf8) : one < other
    }

    /// The properties in the order of the bits of history's `ZCOLUMNS`: inherited and own ones sorted together by kind and
    /// name, without fetched properties.
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

    // Made when they are asked for first: what the framework itself needs is laid out elsewhere.
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

    /// The properties of entities that inherit from each other, the topmost one's first. One that is declared again takes the
    /// place of the inherited one.
    private static func overlay(_ levels: [[NSPropertyDescription]]) -> [NSPropertyDescription] {
        if levels.count == 1 { return levels[0] }
        var all: [NSPropertyDescription] = []
        all.reserveCapacity(levels.reduce(0) { $0 + $1.count })
        var places = [String: Int](minimumCapacity: all.capacity)
        for level in levels {
            let inherited = all.count
            for property in level {
                if let place = places[property.name], place < inherited {
                    // Of several of one name in one entity the first.
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
    /// Rank of the property's kind in the order of store-format: see `NSEntityDescription.orderedProperties`.
    fileprivate var storeGroup: Int {
        switch self {
        case let relationship as NSRelationshipDescription:
            relationship.isToMany ? (relationship.isOrdered ? 4 : 3) : 2
        case is NSFetchedPropertyDescription: 5
        default: isTransient ? 1 : 0
        }
    }
}
