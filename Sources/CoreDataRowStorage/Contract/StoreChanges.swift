/// All changes that one save writes to one store. Filled by one save plan, and immutable once passed to the store.
@usableFromInline
package final class StoreChanges {
    /// One row to insert, update or delete.
    @usableFromInline
    package struct Row {
        /// The primary key; for inserts without a permanent ID the temporary (negative) key, which the store replaces.
        @usableFromInline package var key: Int64
        /// The last known version; 0 for inserts. The store writes `version + 1`.
        @usableFromInline package var version: UInt32
        /// The values (deletions may pass the last known ones).
        @usableFromInline package var row: UnsafeMutableRawPointer
        /// The slab of the row. The owner of the row must retain it: in a save, the group.
        @usableFromInline package let slabReference: Unmanaged<RowSlab>
        @inlinable package var slab: RowSlab { slabReference.takeUnretainedValue() }

        @inlinable @inline(__always)
        package init(key: Int64, version: UInt32, row: UnsafeMutableRawPointer, slab: RowSlab) {
            self.key = key
            self.version = version
            self.row = row
            slabReference = .passUnretained(slab)
        }
    }

    /// Rows of one entity.
    @usableFromInline
    package struct Group {
        package var layout: EntityLayout
        @usableFromInline package internal(set) var rows: ContiguousArray<Row> = []
        /// The slabs of the rows: collecting them costs less than retain/release per row.
        @usableFromInline var firstSlab: RowSlab?
        @usableFromInline var otherSlabs: ContiguousArray<RowSlab> = []

        package init(layout: EntityLayout, expecting count: Int = 0) {
            self.layout = layout
            if count > 0 { rows.reserveCapacity(count) }
        }

        @inlinable @inline(__always)
        package mutating func append(_ row: Row) {
            // Adjacent rows usually share a slab.
            if rows.isEmpty {
                firstSlab = row.slab
            } else if rows[rows.count - 1].slabReference.toOpaque() != row.slabReference.toOpaque() {
                otherSlabs.append(row.slab)
            }
            rows.append(row)
        }

        package mutating func removeRows() {
            rows.removeAll(keepingCapacity: true)
            firstSlab = nil
            if !otherSlabs.isEmpty { otherSlabs = [] }
        }
    }

    /// The additions to and removals from a to-many relationship that the store keeps apart from the rows: many-to-many
    /// relationships and those without an inverse. References may be temporary; each pair is reported from one side or both.
    @usableFromInline
    package struct LinkChanges {
        package var layout: EntityLayout
        package var relationship: EntityLayout.Relationship
        package var source: RowReference
        package var added: ContiguousArray<RowReference>
        package var removed: ContiguousArray<RowReference>
        /// The whole new order, for ordered relationships (including those with a to-one inverse).
        package var order: ContiguousArray<RowReference>?

        package init(
            layout: EntityLayout, relationship: EntityLayout.Relationship, source: RowReference,
            added: ContiguousArray<RowReference>, removed: ContiguousArray<RowReference>,
            order: ContiguousArray<RowReference>? = nil
        ) {
            self.layout = layout
            self.relationship = relationship
            self.source = source
            self.added = added
            self.removed = removed
            self.order = order
        }
    }

    // Other modules read and write these lists through inlined accessors, because `@exclusivity` of a stored property does
    // not apply across modules.

    @inlinable package final var inserts: [Group] {
        @inline(__always) get { content.inserts }
        @inline(__always) _modify { yield &content.inserts }
    }
    /// The updated rows, with changed bits at `layout.changedOffset`. No bit is set if only a to-many relationship changed:
    /// the version still advances.
    @inlinable package final var updates: [Group] {
        @inline(__always) get { content.updates }
        @inline(__always) _modify { yield &content.updates }
    }
    @inlinable package final var deletes: [Group] {
        @inline(__always) get { content.deletes }
        @inline(__always) _modify { yield &content.deletes }
    }
    /// The rows to check for conflicts without writing them.
    @inlinable package final var locked: [Group] {
        @inline(__always) get { content.locked }
        @inline(__always) _modify { yield &content.locked }
    }
    @inlinable package final var toMany: [LinkChanges] {
        @inline(__always) get { content.toMany }
        @inline(__always) _modify { yield &content.toMany }
    }
    /// The author for persistent history.
    @inlinable package final var author: String? {
        @inline(__always) get { content.author }
        @inline(__always) _modify { yield &content.author }
    }
    @inlinable package final var contextName: String? {
        @inline(__always) get { content.contextName }
        @inline(__always) _modify { yield &content.contextName }
    }
    /// The metadata to write with the rows; nil if unchanged.
    @inlinable package final var metadata: [String: Any]? {
        @inline(__always) get { content.metadata }
        @inline(__always) _modify { yield &content.metadata }
    }

    @usableFromInline @exclusivity(unchecked) final var content = Content()

    @usableFromInline
    struct Content {
        @usableFromInline var inserts: [Group] = []
        @usableFromInline var updates: [Group] = []
        @usableFromInline var deletes: [Group] = []
        @usableFromInline var locked: [Group] = []
        @usableFromInline var toMany: [LinkChanges] = []
        @usableFromInline var author: String?
        @usableFromInline var contextName: String?
        @usableFromInline var metadata: [String: Any]?

        @usableFromInline
        init() {}
    }

    /// True if a row is inserted, updated or deleted.
    package final var hasRows: Bool {
        [inserts, updates, deletes].contains { $0.contains { !$0.rows.isEmpty } }
    }

    package init() {}
}
