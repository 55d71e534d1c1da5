import CoreDataRuntimeSupport
import PredicateFormat

/// Where each property of an entity's objects lies in memory, worked out once per entity of a frozen model.
///
/// A super-entity's cells are a prefix of its sub-entities', so an accessor that belongs to the parent's class finds its
/// cell at the same index in every object of the hierarchy. Each layout has what its entity adds, and puts all together when that
/// is asked for first: in deep hierarchies most entities have no objects.
@usableFromInline
package final class EntityLayout: @unchecked Sendable {
    /// What a stored or transient attribute or a to-one relationship needs to be read, written and saved.
    @usableFromInline
    package struct Cell {
        package let name: String
        package let index: Int
        package let kind: CellKind
        package let traits: Traits
        /// Index into ``relationships`` for to-one relationships, else -1.
        package let relationshipIndex: Int
        /// The composite attribute this cell is an element of, and the path of element names below it.
        package let compositeName: String?
        package let elementPath: [String]
        /// What the graph made the cell of: its attribute, of a composite one the element, or its relationship.
        package let source: AnyObject
        /// The composite attribute, as the graph knows it.
        package let compositeSource: AnyObject?
        /// For transformable attributes.
        package let coder: (any ValueCoding)?

        package var isOptional: Bool { traits.contains(.optional) }
        /// The key path from the object: the name, or the dotted path of a composite attribute's element.
        package var path: String {
            guard let compositeName else { return name }
            return "\(compositeName).\(name)"
        }
        package var isTransient: Bool { traits.contains(.transient) }
        /// Kept right by the store on every save; not written by it.
        package var isDerived: Bool { traits.contains(.derived) }
        /// True for attributes and elements of composite ones that are not optional themselves.
        package var requiresValue: Bool { traits.isSuperset(of: [.attribute, .required]) }
    }

    /// What is asked of a property for every row, or by a store.
    package struct Traits: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// May be nil when saved. For an element of a composite attribute, the whole composite may.
        package static let optional = Traits(rawValue: 1)
        package static let transient = Traits(rawValue: 2)
        /// An attribute or an element of a composite one.
        package static let attribute = Traits(rawValue: 4)
        /// The attribute or element by itself must have a value.
        package static let required = Traits(rawValue: 8)
        package static let derived = Traits(rawValue: 16)
        /// Large values may lie in files beside the store.
        package static let external = Traits(rawValue: 32)
        /// History keeps the value of a deleted object.
        package static let keptInHistory = Traits(rawValue: 64)
        /// Has the older flag for an index.
        package static let indexed = Traits(rawValue: 128)
    }

    /// A relationship's place among the relationships of its entity.
    @usableFromInline
    package struct Relationship {
        package let name: String
        package let index: Int
        /// The cell of a to-one relationship, -1 for a to-many.
        package let cell: Int
        package let isToMany: Bool
        package let isOrdered: Bool
        package let isTransient: Bool
        package let deleteRule: DeleteRule
        /// The entity at the other end; 0 where it is not in the model.
        package let destinationNumber: Int
        /// The relationship that leads back.
        package let inverse: Inverse?
        /// What the graph made it of.
        package let source: AnyObject
    }

    /// What a deletion does to what a relationship leads to.
    package enum DeleteRule: UInt8, Sendable {
        case noAction, nullify, cascade, deny
    }

    /// The other side of a relationship, as the destination has it.
    package struct Inverse: Sendable {
        package let name: String
        package let isToMany: Bool
        package let isOrdered: Bool
        package let isTransient: Bool
        package let isOptional: Bool

        package init(name: String, isToMany: Bool, isOrdered: Bool, isTransient: Bool, isOptional: Bool) {
            self.name = name
            self.isToMany = isToMany
            self.isOrdered = isOrdered
            self.isTransient = isTransient
            self.isOptional = isOptional
        }
    }

    @usableFromInline
    package enum Member {
        case cell(Int)
        case toMany(Int)
        /// With what the graph made it of.
        case composite(AnyObject, cells: [Int])
        /// A fetched property, as the graph knows it.
        case fetched(AnyObject)
    }

    /// The entity, as the graph knows it.
    package unowned(unsafe) let traits: any EntityTraits
    package let name: String
    package let isAbstract: Bool
    /// The number Apple's stores give the entity (`Z_ENT`): depth-first, siblings in case-insensitive order, from 1.
    @usableFromInline package let number: Int
    /// Identifies the layouts that agree on the index of every property name; never 0.
    package let tag: UInt32
    @usableFromInline package let superlayout: EntityLayout?
    @usableFromInline package unowned(unsafe) let rootLayout: EntityLayout?
    /// The cells and the relationships that the entity adds to those of its super-entity, which come before them.
    package let ownCells: ContiguousArray<Cell>
    package let ownRelationships: ContiguousArray<Relationship>
    let ownMembers: ContiguousArray<NamedMember>
    /// How many there are with the super-entity's.
    package let cellCount: Int
    package let relationshipCount: Int
    @usableFromInline let madeProperties = LayoutPropertiesCell()
    package let bitWords: Int
    /// Offset of the first cell in a row.
    @usableFromInline package let cellsOffset: Int
    /// Size of a row as a fetch writes it.
    package let rowBytes: Int
    /// Offset of the changed bits in a changed object's own row, and that row's size.
    package let changedOffset: Int
    package let ownRowBytes: Int
    package let hasComposites: Bool
    /// Made for the first new object: many programs only read.
    @inlinable @inline(__always)
    package var defaults: DefaultValues { madeDefaults.value { makeDefaults() } }
    @usableFromInline let madeDefaults = MadeOnce<DefaultValues>()

    @usableFromInline @inline(never)
    func makeDefaults() -> DefaultValues { DefaultValues(cells, of: traits) }

    /// What the graph keeps with the layout; see there.
    package let graphCache = MadeOnce<AnyObject>()
    /// Numbers of this entity and all entities below it.
    @usableFromInline package let familyNumbers: Range<Int>

    @inlinable package var isRoot: Bool { superlayout == nil }
    @inlinable package var root: EntityLayout { rootLayout ?? self }

    package init(
        _ spec: EntitySpec, number: Int, tag: UInt32, superlayout: EntityLayout?, familyNumbers: Range<Int>
    ) {
        traits = spec.traits
        name = spec.name
        isAbstract = spec.isAbstract
        self.number = number
        self.familyNumbers = familyNumbers
        self.tag = tag
        self.superlayout = superlayout
        rootLayout = superlayout.map { $0.root }
        let own = OwnMembers(
            spec.properties, cells: superlayout?.cellCount ?? 0, relationships: superlayout?.relationshipCount ?? 0)
        ownCells = own.cells
        ownRelationships = own.relationships
        ownMembers = own.members
        cellCount = own.cellCount
        relationshipCount = own.relationshipCount
        bitWords = max(1, (cellCount + 63) / 64)
        cellsOffset = 8 + bitWords * 8
        rowBytes = cellsOffset + cellCount * 8
        changedOffset = rowBytes
        ownRowBytes = rowBytes + bitWords * 8
        hasComposites = superlayout?.hasComposites == true || own.cells.contains { $0.compositeName != nil }
    }

    /// The cells, and all others of the composite attributes they belong to: those are changed as one value.
    package func withWholeComposites(_ changed: [Int]) -> [Int] {
        guard hasComposites, changed.contains(where: { cells[$0].compositeName != nil }) else { return changed }
        var result = changed.filter { cells[$0].compositeName == nil }
        for name in Set(changed.compactMap { cells[$0].compositeName }) {
            if case .composite(_, let parts)? = members[name] { result += parts }
        }
        return result
    }

    /// The cells of a composite attribute's elements at or below a path such as `address.geo`, which may be that of the whole
    /// attribute; none for other paths.
    package func elements(at path: String) -> [Cell] {
        let name = path.prefix { $0 != "." }
        guard case .composite(_, let parts)? = members[String(name)] else { return [] }
        return parts.lazy.map { self.cells[$0] }.filter {
            path.utf8.count == name.utf8.count || $0.path == path || $0.path.hasPrefix("\(path).")
        }
    }

    /// Whether the entity has a property that its super-entity has not.
    package func adds(_ name: String) -> Bool { ownMembers.contains { $0.name == name } }

    package func cell(named name: String) -> Cell? {
        if case .cell(let index)? = members[name] { return cells[index] }
        return nil
    }

    /// The property that a setter named after `key` would set, where it is no property's name: `date` for `Date`.
    package func name(writtenAs key: String) -> String? {
        guard let first = key.first, first.isUppercase else { return nil }
        let name = first.lowercased() + key.dropFirst()
        return members[name] == nil ? nil : name
    }

    /// True when objects of this entity are objects of `other` as well.
    @inlinable
    package func isKind(of other: EntityLayout) -> Bool {
        self === other || (root === other.root && other.familyNumbers.contains(number))
    }
}

// MARK: - Rows

extension EntityLayout {
    @inlinable @inline(__always)
    package static func isPresent(_ row: UnsafeRawPointer, _ index: Int) -> Bool {
        (row + 8).load(fromByteOffset: (index >> 6) << 3, as: UInt64.self) & (1 << UInt64(index & 63)) != 0
    }

    /// The cell's bits; meaningful only when the cell is present.
    @inlinable @inline(__always)
    package func bits(_ row: UnsafeRawPointer, _ index: Int) -> UInt64 {
        row.load(fromByteOffset: cellsOffset + index << 3, as: UInt64.self)
    }

    @inlinable @inline(__always)
    package func set(_ row: UnsafeMutableRawPointer, _ index: Int, _ bits: UInt64) {
        row.storeBytes(of: bits, toByteOffset: cellsOffset + index << 3, as: UInt64.self)
        let word = row + 8 + (index >> 6) << 3
        word.storeBytes(of: word.load(as: UInt64.self) | (1 << UInt64(index & 63)), as: UInt64.self)
    }

    @inlinable @inline(__always)
    package func clear(_ row: UnsafeMutableRawPointer, _ index: Int) {
        row.storeBytes(of: 0, toByteOffset: cellsOffset + index << 3, as: UInt64.self)
        let word = row + 8 + (index >> 6) << 3
        word.storeBytes(of: word.load(as: UInt64.self) & ~(1 << UInt64(index & 63)), as: UInt64.self)
    }

    /// The file that holds the value of a cell; nil for one that is absent or has its value here, and for other kinds than data.
    package func file(_ row: UnsafeRawPointer, _ index: Int) -> ValueFile? {
        guard cells[index].kind == .data, Self.isPresent(row, index) else { return nil }
        return HeapRange(bits: bits(row, index)).file
    }

    @inlinable @inline(__always)
    package static func version(_ row: UnsafeRawPointer) -> UInt32 { row.load(as: UInt32.self) }

    @inlinable @inline(__always)
    package static func setVersion(_ row: UnsafeMutableRawPointer, _ version: UInt32) {
        row.storeBytes(of: version, as: UInt32.self)
    }
}
