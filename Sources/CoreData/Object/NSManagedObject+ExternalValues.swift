import CoreDataRowStorage
import Foundation

// Values in external files: the row contains the name of the file, which is read on access.

extension NSManagedObject {
    /// Returns the value of a cell in an external file, which is cached until the object becomes a fault.
    ///
    /// - Throws: ``MissingExternalValue`` errors, and those of the store.
    final func externalValue(_ file: ValueFile, _ cell: EntityLayout.Cell) throws -> Data? {
        // The slab that contains the name may be released while the store is read.
        let (name, folder) = (file.name, file.folder)
        if let read = _extra?.readFile(name) { return read }
        do {
            let value = try folder.contents(of: name)
            extra.keepFile(name, value)
            return value
        } catch let missing as ValueFolder.Missing {
            return try presentValue(insteadOf: name, in: folder, missing, cell)
        }
    }

    /// Returns the value that the store has now: another process may have replaced the value and deleted the file.
    private final func presentValue(
        insteadOf name: String, in folder: ValueFolder, _ missing: ValueFolder.Missing, _ cell: EntityLayout.Cell
    ) throws -> Data? {
        var failure = missing
        if missing.isGone, let context, let table = _table, let store = table.store, hasPermanentKey {
            let sink = PresentRow(self)
            try context.reading(store) { session in
                session.renew()
                try session.readRows(keys: [_key], of: table.layout, into: sink)
            }
            if let snapshot = sink.found {
                guard EntityLayout.isPresent(snapshot.row, cell.index) else { return nil }
                let bits = HeapRange(bits: layout.bits(snapshot.row, cell.index))
                guard let file = bits.file else { return withExtendedLifetime(snapshot) { Data(bits.bytes) } }
                let (presentName, presentFolder) = withExtendedLifetime(snapshot) { (file.name, file.folder) }
                if presentName != name || presentFolder !== folder {
                    do {
                        return try presentFolder.contents(of: presentName)
                    } catch let missing as ValueFolder.Missing {
                        failure = missing
                    }
                }
            }
        }
        throw MissingExternalValue.error(
            for: failure, layout.name, cell.compositeName ?? cell.name,
            of: identifier.uriRepresentation().absoluteString)
    }

    /// Returns the value for callers that cannot throw: nil for a file that is missing or could not be read. The context
    /// records the error; the next access of an unreadable file tries again.
    final func externalValueOrNil(_ file: ValueFile, _ cell: EntityLayout.Cell) -> Data? {
        do {
            return try externalValue(file, cell)
        } catch {
            guard let context else { return nil }
            if !MissingExternalValue.saysGone(error) {
                context.note(readError: error, of: self)
            } else if context.missingValue == nil {
                context.missingValue = error
            }
            return nil
        }
    }

    /// Returns the external file of an attribute's value, unless it has been set since.
    final func file(ofKey key: String) -> ValueFile? { currentSnapshot.flatMap { file(ofKey: key, in: $0) } }

    /// Returns the external file of an attribute's value in a snapshot.
    final func file(ofKey key: String, in snapshot: RowSnapshot) -> ValueFile? {
        guard case .cell(let index)? = layout.members[key] else { return nil }
        return layout.file(snapshot.row, index)
    }

    /// Returns the cell of an attribute with values that may be in external files.
    final func externalCell(_ key: String) -> EntityLayout.Cell? {
        guard case .cell(let index)? = layout.members[key], layout.cells[index].traits.contains(.external) else {
            return nil
        }
        return layout.cells[index]
    }

    /// Replaces a change of an attribute by the committed value, unless that equals its value in `base`. Reads nothing.
    final func takeStoredValue(of cell: EntityLayout.Cell, unlessAsIn base: RowSnapshot?) {
        guard let stored = committedSnapshot else { return }
        if let base, layout.cellsEqual(cell.index, base.row, base.slab, stored.row, stored.slab) { return }
        willChangeValue(forKey: cell.name)
        copyCell(cell, from: stored.row, in: stored.slab)
        didChangeValue(forKey: cell.name)
    }

    /// Throws if an attribute reads as nil because its file is missing.
    final func requireExternalValue(_ key: String) throws {
        guard case .cell(let index)? = layout.members[key], let row = _row, let file = layout.file(row, index) else {
            return
        }
        _ = try externalValue(file, layout.cells[index])
    }

    /// Returns true if an attribute reads as nil because its file is missing.
    final func isMissing(_ key: String) -> Bool {
        do {
            try requireExternalValue(key)
            return false
        } catch {
            return true
        }
    }
}

/// A sink that receives the current row of an object.
private final class PresentRow: RowSink {
    private let object: NSManagedObject
    private(set) var found: RowSnapshot?

    init(_ object: NSManagedObject) { self.object = object }

    func next(entityNumber: Int, key: Int64) -> RowDecision {
        key == object._key && object.takesRow(of: entityNumber) ? .take : .skip
    }

    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) { found = RowSnapshot(row: row, slab: slab) }
}
