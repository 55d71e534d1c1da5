import CoreDataRowStorage
import Foundation

/// What only some objects need: changed ones, and those with materialised relationships.
final class ObjectExtra {
    /// The object's table, see ``ObjectAttachment``.
    @exclusivity(unchecked) var table: Unmanaged<EntityTable>?
    @exclusivity(unchecked) var objectID: NSManagedObjectID?
    /// By relationship index: the destination of a to-one, or the ``ToMany`` of a to-many; nil where not materialised.
    @exclusivity(unchecked) var relationships: ContiguousArray<AnyObject?> = []
    /// The row as it was loaded or saved last, while the object owns a changed copy.
    @exclusivity(unchecked) var committed: RowSnapshot?
    @exclusivity(unchecked) private var rare: Rare?

    /// What few changed objects need.
    private final class Rare {
        @exclusivity(unchecked) var boxed: [Int: Any] = [:]
        @exclusivity(unchecked) var fetched: [String: [NSManagedObject]] = [:]
        @exclusivity(unchecked) var eventStart: RowSnapshot?
        @exclusivity(unchecked) var insertionStart: RowSnapshot?
        @exclusivity(unchecked) var rowBefore: RowSnapshot?
        @exclusivity(unchecked) var assignedStore: NSPersistentStore?
        @exclusivity(unchecked) var announced: [Int: ContiguousArray<NSManagedObject>] = [:]
        @exclusivity(unchecked) var readFiles: [String: Data] = [:]
    }

    private var needed: Rare {
        if let rare { return rare }
        let made = Rare()
        rare = made
        return made
    }

    /// Whether nothing of what few objects need is there, but for what was read from files and can be read again.
    var hasNothingRare: Bool {
        guard let rare else { return true }
        return rare.boxed.isEmpty && rare.fetched.isEmpty && rare.eventStart == nil && rare.assignedStore == nil
            && rare.announced.isEmpty && rare.insertionStart == nil && rare.rowBefore == nil
    }

    /// Lets go of the committed row, if it is all there is. False, and nothing done, if there is more.
    @inline(__always)
    func dropPlainSnapshot() -> Bool {
        guard hasNothingRare, relationships.isEmpty, committed?.boxed.isEmpty != false else { return false }
        committed = nil
        return true
    }

    /// Whether members of a relationship that is saved have joined or left.
    var hasToManyChanges: Bool {
        guard !relationships.isEmpty else { return false }
        for case let toMany as ToMany in relationships
        where toMany.hasChanges && !toMany.relationship.description.isTransient { return true }
        return false
    }

    /// To-many relationships that changed in the current event and were loaded before, with their members then.
    var changedMembers: [(index: Int, members: ContiguousArray<NSManagedObject>)] {
        var result: [(index: Int, members: ContiguousArray<NSManagedObject>)] = []
        for case let toMany as ToMany in relationships {
            if let members = toMany.eventStartMembers { result.append((toMany.relationship.index, members)) }
        }
        return result
    }

    /// Values that do not live in cells, by cell index: transformables' decoded values and untyped transients.
    var boxed: [Int: Any] {
        get { rare?.boxed ?? [:] }
        set { if rare != nil || !newValue.isEmpty { needed.boxed = newValue } }
    }

    /// Whether there are any.
    var hasBoxed: Bool { rare?.boxed.isEmpty == false }

    /// Sets one of them. Most objects have none, and most changes take none away.
    func setBoxed(_ value: Any?, at cell: Int) {
        if rare != nil || value != nil { needed.boxed[cell] = value }
    }

    /// A value that was read from a file, by the file's name. Files never change.
    func readFile(_ name: String) -> Data? { rare?.readFiles[name] }

    /// Keeps a value that was read from a file.
    func keepFile(_ name: String, _ value: Data) {
        // Besides the present values there may be those that were saved last. Others are of values replaced since.
        if needed.readFiles.count >= Self.mostFiles { needed.readFiles.removeAll() }
        needed.readFiles[name] = value
    }

    func forgetFiles() { rare?.readFiles = [:] }

    private static let mostFiles = 8

    /// Fetched properties' results, by name.
    var fetched: [String: [NSManagedObject]] {
        get { rare?.fetched ?? [:] }
        set { if rare != nil || !newValue.isEmpty { needed.fetched = newValue } }
        _modify { yield &needed.fetched }
    }

    /// The row as it was before the current event, nil while that equals `committed`.
    var eventStart: RowSnapshot? {
        get { rare?.eventStart }
        set { if rare != nil || newValue != nil { needed.eventStart = newValue } }
    }

    /// The row of a new object that had values before it was inserted, as it was then.
    var insertionStart: RowSnapshot? {
        get { rare?.insertionStart }
        set { if rare != nil || newValue != nil { needed.insertionStart = newValue } }
    }

    /// The row the context had before a child's changes came, where those are based on an older one, ``committed``.
    var rowBefore: RowSnapshot? {
        get { rare?.rowBefore }
        set { if rare != nil || newValue != nil { needed.rowBefore = newValue } }
    }

    /// Store chosen for a new object.
    var assignedStore: NSPersistentStore? {
        get { rare?.assignedStore }
        set { if rare != nil || newValue != nil { needed.assignedStore = newValue } }
    }

    /// What relationships led to when a change by primitive values was announced, by relationship index.
    var announced: [Int: ContiguousArray<NSManagedObject>] {
        get { rare?.announced ?? [:] }
        set { if rare != nil || !newValue.isEmpty { needed.announced = newValue } }
        _modify { yield &needed.announced }
    }
}
