import CoreDataRowStorage
import Foundation

// Transformable values with a transformer that this program does not have. Reading one stops the program; operations on all
// properties skip them, and they stay unchanged in the store.

extension NSManagedObject {
    /// Returns true if the attribute, or an element of it, has a value that cannot be read.
    final func isUnreadable(_ key: String) -> Bool { missingTransformer(of: key) != nil }

    /// Returns the name of the missing transformer for the attribute; nil if it can be read.
    final func missingTransformer(of key: String) -> String? {
        switch layout.members[key] {
        case .cell(let index): missingTransformer(of: layout.cells[index])
        case .composite(_, let cells):
            cells.lazy.compactMap { self.missingTransformer(of: self.layout.cells[$0]) }.first
        default: nil
        }
    }

    private func missingTransformer(of cell: EntityLayout.Cell) -> String? {
        guard cell.kind == .transformable, let row = _row, EntityLayout.isPresent(row, cell.index),
            _extra?.boxed[cell.index] == nil
        else { return nil }
        return cell.coder?.missingName
    }

    /// Returns the value of a snapshot's attribute, or its bytes if it, or an element of it, cannot be read.
    final func readableSnapshotValue(of member: EntityLayout.Member, _ snapshot: RowSnapshot) -> Any? {
        switch member {
        case .cell(let index): readable(layout.cells[index], snapshot)
        case .composite(_, let cells): composite(cells) { readable($0, snapshot) }
        case .toMany, .fetched: nil
        }
    }

    /// Returns the bytes of an attribute that cannot be read.
    final func unreadableValue(forKey key: String) -> Any? {
        guard let member = layout.members[key] else { return nil }
        return currentSnapshot.flatMap { readableSnapshotValue(of: member, $0) }
    }

    private func readable(_ cell: EntityLayout.Cell, _ snapshot: RowSnapshot) -> Any? {
        guard cell.kind == .transformable, EntityLayout.isPresent(snapshot.row, cell.index),
            snapshot.boxed[cell.index] == nil, cell.coder?.missingName != nil
        else { return snapshotValue(cell, snapshot) }
        return Data(snapshot.slab.bytes(HeapRange(bits: layout.bits(snapshot.row, cell.index))))
    }
}

// Values that could not be read back after a save.

extension NSManagedObject {
    /// Checks that changed values of transformable attributes can be read back.
    ///
    /// - Throws: `NSCoreDataError` for a value that could not be read back.
    final func checkTransformables() throws {
        guard let row = _row, let slab = _slab, let boxed = _extra?.boxed else { return }
        let layout = layout
        let isNew = _state.isInserted
        for (index, value) in boxed {
            let cell = layout.cells[index]
            guard cell.kind == .transformable, isNew || isCellChanged(index), let coder = cell.coder else { continue }
            let bytes =
                EntityLayout.isPresent(row, index) ? Data(slab.bytes(HeapRange(bits: layout.bits(row, index)))) : nil
            guard let refusal = coder.refusal(of: value, bytes: bytes, in: layout.name) else { continue }
            var info = refusal.userInfo
            info[NSValidationObjectErrorKey] = self
            info[NSAffectedObjectsErrorKey] = [self]
            throw BrieflyPrintedError(domain: refusal.domain, code: refusal.code, userInfo: info)
        }
    }
}
