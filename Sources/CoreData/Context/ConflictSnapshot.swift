import CoreDataRowStorage
import Foundation

/// The values of an object in a conflict: attributes and to-one relationships. Those that lie in files are read when they are
/// asked for, which most policies do not.
struct ConflictSnapshot {
    private var known: [String: Any]?
    private var files: [String: (cell: EntityLayout.Cell, file: ValueFile)] = [:]
    private var isRead = false
    /// What the object is, and where the names of the files are.
    private var source: (object: NSManagedObject, slab: RowSlab)?
    /// What stands for a value that is not there.
    private var absent: Any?

    init(_ values: [String: Any]?) { known = values }

    /// The object's present values; without those that are nil. nil for a fault.
    init(of object: NSManagedObject) {
        guard !object._state.contains(.fault) else { return }
        known = ConflictValues.snapshot(of: object, where: { object.file(ofKey: $0) == nil })
        if let snapshot = object.currentSnapshot { note(snapshot, of: object) }
    }

    /// The values in a row of an object; `NSNull` for those that are nil.
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

    /// All values.
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

    /// The file that an attribute's value is in.
    func file(_ name: String) -> ValueFile? { files[name]?.file }

    /// The value of an attribute or to-one relationship; nil as well for one in a file that cannot be read.
    func value(_ name: String) -> Any? {
        if let source, let place = files[name] { return source.object.externalValueOrNil(place.file, place.cell) }
        return known?[name]
    }
}
