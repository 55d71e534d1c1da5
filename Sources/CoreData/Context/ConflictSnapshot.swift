import CoreDataRowStorage
import Foundation

/// The values of an object in a conflict: attributes and to-one relationships. Values in external files are read on access,
/// which most policies do not need.
struct ConflictSnapshot {
    private var known: [String: Any]?
    private var files: [String: (cell: EntityLayout.Cell, file: ValueFile)] = [:]
    private var isRead = false
    /// The object, and the slab that holds the names of its external files.
    private var source: (object: NSManagedObject, slab: RowSlab)?
    /// The value that represents nil.
    private var absent: Any?

    init(_ values: [String: Any]?) { known = values }

    /// Creates a snapshot of the object's current values without those that are nil. The snapshot of a fault has no values.
    init(of object: NSManagedObject) {
        guard !object._state.contains(.fault) else { return }
        known = ConflictValues.snapshot(of: object, where: { object.file(ofKey: $0) == nil })
        if let snapshot = object.currentSnapshot { note(snapshot, of: object) }
    }

    /// Creates a snapshot of a row's values, with `NSNull` for those that are nil.
    init(_ snapshot: RowSnapshot, of object: NSManagedObject) {
        absent = NSNull()
        known = object.conflictSnapshot(snapshot) { object.file(ofKey: $0, in: snapshot) == nil }
        note(snapshot, of: object)
    }

    private mutating func note(_ snapshot: RowSnapshot, of object: NSManagedObject) {
        for cell in object.layout.cells where cell.traits.contains(.external) && !cell.isTransient {
            if let file = object.file(ofKey: cell.name, in: snapshot) { files[cell.name] = (cell, file) }
        }
        if !files.isEmpty { source = (object, snapshot.slab) }
    }

    /// All values. The first access reads those in external files.
    var values: [String: Any]? {
        mutating get {
            if let source, !isRead {
                for (name, place) in files {
                    known?[name] = source.object.externalValueOrNil(place.file, place.cell) ?? absent
                }
                isRead = true
            }
            return known
        }
    }

    /// Returns the external file that holds an attribute's value, if there is one.
    func file(_ name: String) -> ValueFile? { files[name]?.file }

    /// Returns the value of an attribute or to-one relationship; nil also if its external file cannot be read.
    func value(_ name: String) -> Any? {
        if let source, let place = files[name] { return source.object.externalValueOrNil(place.file, place.cell) }
        return known?[name]
    }
}
