/// The missing destinations of a save's relationships. The context converts it to an error that names the objects.
package struct MissingDestinations: Error {
    /// The references in the form in which the save has them.
    package var references: Set<RowReference>

    package init(references: Set<RowReference>) {
        self.references = references
    }
}

/// The destinations of a save's relationships, which must exist when the transaction ends.
///
/// Only changed relationships are recorded, and each row once: a destination shared by many objects costs one lookup.
@usableFromInline
package struct ReferenceTargets {
    private var references: Set<RowReference> = []
    /// The last reference. Consecutive rows often have the same destination.
    @usableFromInline var last: RowReference?

    package init() {}

    package var isEmpty: Bool { references.isEmpty }

    /// Records the destination of a relationship. A row that is new in this save needs no lookup.
    @inlinable @inline(__always)
    package mutating func note(_ reference: RowReference) {
        guard !reference.isTemporary, reference != last else { return }
        add(reference)
    }

    @usableFromInline @inline(never)
    mutating func add(_ reference: RowReference) {
        last = reference
        references.insert(reference)
    }

    /// Records the members added to relationships that the store keeps apart from the rows.
    package mutating func note(_ changes: [StoreChanges.LinkChanges]) {
        for change in changes where change.relationship.inverse?.isToMany ?? true {
            for reference in change.added { note(reference) }
        }
    }

    /// Returns the references, except those to rows that the save itself writes, by the root of their hierarchy and by key.
    package func unwritten(by changes: StoreChanges, _ layouts: ModelLayouts) -> [Int: [Int64: RowReference]] {
        var result: [Int: [Int64: RowReference]] = [:]
        for reference in references {
            guard let layout = layouts.byNumber[reference.entityNumber] else { continue }
            result[layout.root.number, default: [:]][reference.key] = reference
        }
        // The version of an updated row has been checked, so the row exists.
        for group in changes.updates + changes.inserts {
            let root = group.layout.root.number
            guard result[root] != nil else { continue }
            for row in group.rows where row.key > 0 { result[root]?[row.key] = nil }
        }
        return result.filter { !$0.value.isEmpty }
    }
}
