import CoreDataRuntimeSupport
import Synchronization

/// The properties of an entity including inherited ones, built on first use.
@usableFromInline
struct LayoutProperties: ~Copyable {
    @usableFromInline let cells: ContiguousArray<EntityLayout.Cell>
    @usableFromInline let relationships: ContiguousArray<EntityLayout.Relationship>
    @usableFromInline let members: MemberNames
    let heapCells: ContiguousArray<Int>
    let derivedCells: ContiguousArray<Int>
    let transientCells: ContiguousArray<Int>
    let transientDefaults: DefaultValues?
    @usableFromInline let requiredBits: CellBits
    @usableFromInline let plainBits: CellBits
    let rulesOfDeletion: ContiguousArray<EntityLayout.Relationship>
    let rulesAgainstDeletion: ContiguousArray<EntityLayout.Relationship>

    init(_ layout: EntityLayout) {
        var lineage = ContiguousArray<EntityLayout>()
        var next: EntityLayout? = layout
        while let current = next {
            lineage.append(current)
            next = current.superlayout
        }
        var cells = ContiguousArray<EntityLayout.Cell>()
        var relationships = ContiguousArray<EntityLayout.Relationship>()
        cells.reserveCapacity(layout.cellCount)
        relationships.reserveCapacity(layout.relationshipCount)
        var members = MemberNames(minimumCapacity: lineage.reduce(0) { $0 + $1.ownMembers.count })
        for layout in lineage.reversed() {
            cells += layout.ownCells
            relationships += layout.ownRelationships
            for own in layout.ownMembers { members[own.name] = own.member }
        }
        // Cells are large, so they are read in place.
        requiredBits = CellBits(words: layout.bitWords, of: cells.indices) {
            !cells[$0].isOptional && cells[$0].compositeName == nil && !cells[$0].isDerived
        }
        plainBits = CellBits(words: layout.bitWords, of: cells.indices) {
            !cells[$0].kind.usesHeap && cells[$0].kind != .boxed && !cells[$0].isTransient
        }
        rulesOfDeletion = relationships.filter { $0.deleteRule == .cascade || $0.deleteRule == .nullify }
        rulesAgainstDeletion = relationships.filter { $0.deleteRule == .deny }
        let transient =
            cells.indices.contains { cells[$0].traits.isSuperset(of: [.transient, .attribute]) }
            ? DefaultValues(cells.lazy.filter(\.isTransient), of: layout.traits) : nil
        transientDefaults = transient?.isEmpty == false ? transient : nil
        transientCells = ContiguousArray(
            cells.indices.filter { cells[$0].isTransient && cells[$0].kind != .reference })
        heapCells = ContiguousArray(cells.indices.filter { cells[$0].kind.usesHeap })
        derivedCells = ContiguousArray(cells.indices.filter { cells[$0].isDerived })
        self.cells = cells
        self.relationships = relationships
        self.members = members
    }
}

/// Holds the properties of a layout once they are built. An access costs a load, without retain/release.
@usableFromInline
struct LayoutPropertiesCell: ~Copyable, @unchecked Sendable {
    @usableFromInline let pointer = Atomic<UnsafeMutablePointer<LayoutProperties>?>(nil)

    init() {}

    @usableFromInline @inline(never)
    func make(_ layout: EntityLayout) -> UnsafeMutablePointer<LayoutProperties> {
        let made = UnsafeMutablePointer<LayoutProperties>.allocate(capacity: 1)
        made.initialize(to: LayoutProperties(layout))
        let (stored, current) = pointer.compareExchange(
            expected: nil, desired: made, ordering: .acquiringAndReleasing)
        guard !stored, let current else { return made }
        // Another thread has built them first.
        made.deinitialize(count: 1)
        made.deallocate()
        return current
    }

    deinit {
        guard let made = pointer.load(ordering: .acquiring) else { return }
        made.deinitialize(count: 1)
        made.deallocate()
    }
}

extension EntityLayout {
    @inlinable
    var properties: UnsafeMutablePointer<LayoutProperties> {
        @inline(__always) get { madeProperties.pointer.load(ordering: .acquiring) ?? madeProperties.make(self) }
    }

    @inlinable package var cells: ContiguousArray<Cell> {
        @inline(__always) _read { yield properties.pointee.cells }
    }
    @inlinable package var relationships: ContiguousArray<Relationship> {
        @inline(__always) _read { yield properties.pointee.relationships }
    }
    @inlinable package var members: MemberNames {
        @inline(__always) _read { yield properties.pointee.members }
    }
    /// The slots that must not be nil when saved, as bit words.
    @inlinable package var requiredBits: CellBits {
        @inline(__always) _read { yield properties.pointee.requiredBits }
    }
    /// The persistent slots that hold their value themselves, as bit words.
    @inlinable package var plainBits: CellBits {
        @inline(__always) _read { yield properties.pointee.plainBits }
    }
    /// The slots that point into the heap.
    package var heapCells: ContiguousArray<Int> { properties.pointee.heapCells }
    /// The slots that the store computes.
    package var derivedCells: ContiguousArray<Int> { properties.pointee.derivedCells }
    /// The default values of transient attributes, which rows read from a store lack.
    package var transientDefaults: DefaultValues? { properties.pointee.transientDefaults }
    /// The slots of transient attributes, with values that belong to one context.
    package var transientCells: ContiguousArray<Int> { properties.pointee.transientCells }
    /// The relationships that a deletion follows, and those that may deny it.
    package var rulesOfDeletion: ContiguousArray<Relationship> { properties.pointee.rulesOfDeletion }
    package var rulesAgainstDeletion: ContiguousArray<Relationship> { properties.pointee.rulesAgainstDeletion }
}
