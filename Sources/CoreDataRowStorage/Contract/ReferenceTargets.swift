/// Rows that a save leads relationships to, but that are not there: a context makes an error of it that names the objects.
package struct MissingDestinations: Error {
    /// The references as the save has them.
    package var references: Set<RowReference>

    package init(references: Set<RowReference>) {
        self.references = references
    }
}

/// The rows that a save leads relationships to, each to be found before the transaction ends.
///
/// Only what changed is noted, and each row once: many objects that lead to one cost one look-up.
@usableFromInline
package struct ReferenceTargets {
    private var references: Set<RowReference> = []
    /// Rows that follow each other often lead to the same one.
    @usableFromInline var last: RowReference?

    package init() {}

    package var isEmpty: Bool { references.isEmpty }

    /// Notes where a relationship leads. What is new in this save has no row to be found.
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

    /// Notes the members that joined relationships which the store keeps apart from the rows.
    package mutating func note(_ changes: [StoreChanges.LinkChanges]) {
        for change in changes where change.relationship.inverse?.isToMany ?? true {
            for reference in change.added { note(reference) }
        }
    }

    /// The references by the root of their hierarchy and their key, without those to rows that the save itself writes.
    package func unwritten(by changes: StoreChanges, _ layouts: ModelLayouts) -> [Int: [Int64: RowReference]] {
        var result: [Int: [Int64: RowReference]] = [:]
        for reference in references {
            guard let layout = layouts.byNumber[reference.entityNumber] else { continue }
            result[layout.root.number, default: [:]][reference.key] = reference
        }
        // The version of an updated row has been checked, so it is there.
        for group in changes.updates + changes.inserts {
            let root = group.layout.root.number
            guard result[root] != nil else { continue }
            for row in group.rows where row.key > 0 { result[root]?[row.key] = nil }
        }
        return result.filter { !$0.value.isEmpty }
    }
}
