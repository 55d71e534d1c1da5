import CoreDataRuntimeSupport
import PredicateFormat

/// The position of each property of an entity's objects in memory, computed once per entity of a frozen model.
///
/// A superentity's slots are a prefix of its subentities' slots, so an accessor of the superclass finds its slot at the same
/// index in every object of the hierarchy. Each layout stores the members that its entity adds, and combines them with the
/// inherited ones on first use: in deep hierarchies most entities have no objects.
@usableFromInline
package final class EntityLayout: @unchecked Sendable {
    /// A slot: the properties of an attribute or a to-one relationship that reading, writing and saving need.
    @usableFromInline
    package struct Cell {
        package let name: String
        package let index: Int
        package let kind: CellKind
        package let traits: Traits
        /// The index into ``relationships`` for to-one relationships, else -1.
        package let relationshipIndex: Int
        /// The composite attribute that the slot is an element of, and the path of element names below it.
        package let compositeName: String?
        package let elementPath: [String]
        /// The graph's attribute, element of a composite attribute, or relationship.
        package let source: AnyObject
        /// The graph's composite attribute.
        package let compositeSource: AnyObject?
        /// The coder of a transformable attribute.
        package let coder: (any ValueCoding)?

        package var isOptional: Bool { traits.contains(.optional) }
        /// The key path from the object: the name, or the dotted path of a composite attribute's element.
        package var path: String {
            guard let compositeName else { return name }
            return "\(compositeName).\(name)"
        }
        package var isTransient: Bool { traits.contains(.transient) }
        /// Whether the store computes the value on every save, and the graph does not write it.
        package var isDerived: Bool { traits.contains(.derived) }
        /// Whether an attribute, or an element of a composite one, is itself not optional.
        package var requiresValue: Bool { traits.isSuperset(of: [.attribute, .required]) }
    }

    /// The traits of a property that are needed per row, or by a store.
    package struct Traits: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The value may be nil when saved. For an element of a composite attribute, the whole composite may.
        package static let optional = Traits(rawValue: 1)
        package static let transient = Traits(rawValue: 2)
        /// An attribute, or an element of a composite one.
        package static let attribute = Traits(rawValue: 4)
        /// The attribute or element itself must have a value.
        package static let required = Traits(rawValue: 8)
        package static let derived = Traits(rawValue: 16)
        /// Large values may be in files beside the store.
        package static let external = Traits(rawValue: 32)
        /// History preserves the value of a deleted object.
        package static let keptInHistory = Traits(rawValue: 64)
        /// The attribute has the older "indexed" flag.
        package static let indexed = Traits(rawValue: 128)
    }

    /// A relationship, with its index among the relationships of its entity.
    @usableFromInline
    package struct Relationship {
        package let name: String
        package let index: Int
        /// The slot of a to-one relationship, -1 for a to-many.
        package let cell: Int
        package let isToMany: Bool
        package let isOrdered: Bool
        package let isTransient: Bool
        package let deleteRule: DeleteRule
        /// The number of the destination entity; 0 if it is not in the model.
        package let destinationNumber: Int
        /// The inverse relationship.
        package let inverse: Inverse?
        /// The graph's relationship.
        package let source: AnyObject
    }

    /// The effect of a deletion on the objects of a relationship.
    package enum DeleteRule: UInt8, Sendable {
        case noAction, nullify, cascade, deny
    }

    /// The inverse of a relationship, as the destination entity declares it.
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
        /// A composite attribute: the graph's attribute, and the slots of its elements.
        case composite(AnyObject, cells: [Int])
        /// A fetched property of the graph.
        case fetched(AnyObject)
    }

    /// The graph's entity.
    package unowned(unsafe) let traits: any EntityTraits
    package let name: String
    package let isAbstract: Bool
    /// The entity number of Apple's stores (`Z_ENT`): depth-first, siblings in case-insensitive order, from 1.
    @usableFromInline package let number: Int
    /// The tag that layouts share which agree on the index of every property name; never 0.
    package let tag: UInt32
    @usableFromInline package let superlayout: EntityLayout?
    @usableFromInline package unowned(unsafe) let rootLayout: EntityLayout?
    /// The slots and the relationships that the entity adds to those of its superentity, which precede them.
    package let ownCells: ContiguousArray<Cell>
    package let ownRelationships: ContiguousArray<Relationship>
    let ownMembers: ContiguousArray<NamedMember>
    /// The number of slots and of relationships, including the superentity's.
    package let cellCount: Int
    package let relationshipCount: Int
    @usableFromInline let madeProperties = LayoutPropertiesCell()
    package let bitWords: Int
    /// The offset of the first slot in a row.
    @usableFromInline package let cellsOffset: Int
    /// The size of a row as a fetch writes it.
    package let rowBytes: Int
    /// The offset of the changed bits in a changed object's private copy, and the size of that row.
    package let changedOffset: Int
    package let ownRowBytes: Int
    package let hasComposites: Bool
    /// The default values, created for the first new object: many programs only read.
    @inlinable @inline(__always)
    package var defaults: DefaultValues { madeDefaults.value { makeDefaults() } }
    @usableFromInline let madeDefaults = MadeOnce<DefaultValues>()

    @usableFromInline @inline(never)
    func makeDefaults() -> DefaultValues { DefaultValues(cells, of: traits) }

    let madeRoundedDates = MadeOnce<RoundedDates>()
    /// The data that the graph caches in the layout; see there.
    package let graphCache = MadeOnce<AnyObject>()
    /// The numbers of this entity and of all its subentities.
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

    /// Returns the slots, with all other slots of their composite attributes, which change as one value.
    package func withWholeComposites(_ changed: [Int]) -> [Int] {
        guard hasComposites, changed.contains(where: { cells[$0].compositeName != nil }) else { return changed }
        var result = changed.filter { cells[$0].compositeName == nil }
        for name in Set(changed.compactMap { cells[$0].compositeName }) {
            if case .composite(_, let parts)? = members[name] { result += parts }
        }
        return result
    }

    /// Returns the slots of a composite attribute's elements at or below a path such as `address.geo`, which may be that of
    /// the whole attribute; none for other paths.
    package func elements(at path: String) -> [Cell] {
        let name = path.prefix { $0 != "." }
        guard case .composite(_, let parts)? = members[String(name)] else { return [] }
        return parts.lazy.map { self.cells[$0] }.filter {
            path.utf8.count == name.utf8.count || $0.path == path || $0.path.hasPrefix("\(path).")
        }
    }

    /// Returns true if the entity has a property that its superentity lacks.
    package func adds(_ name: String) -> Bool { ownMembers.contains { $0.name == name } }

    package func cell(named name: String) -> Cell? {
        if case .cell(let index)? = members[name] { return cells[index] }
        return nil
    }

    /// Returns the property that a setter named after `key` sets, if `key` is not a property itself: `date` for `Date`.
    package func name(writtenAs key: String) -> String? {
        guard let first = key.first, first.isUppercase else { return nil }
        let name = first.lowercased() + key.dropFirst()
        return members[name] == nil ? nil : name
    }

    /// Returns true if objects of this entity are also objects of `other`.
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

    /// Returns the slot's bits; meaningful only if the slot is present.
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

    /// Returns the file with the value of a slot; nil if the slot is absent or holds the value itself, and for other kinds
    /// than data.
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
