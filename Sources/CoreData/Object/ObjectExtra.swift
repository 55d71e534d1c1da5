import CoreDataRowStorage
import Foundation

/// The fields that only some objects need: changed ones, and those with materialized relationships.
final class ObjectExtra {
    /// The object's table, see ``ObjectAttachment``.
    @exclusivity(unchecked) var table: Unmanaged<EntityTable>?
    @exclusivity(unchecked) var objectID: NSManagedObjectID?
    /// The contents by relationship index: the destination of a to-one, or the ``ToMany`` of a to-many; nil if not
    /// materialized.
    @exclusivity(unchecked) var relationships: ContiguousArray<AnyObject?> = []
    /// The row as last loaded or saved, while the object has a changed private copy.
    @exclusivity(unchecked) var committed: RowSnapshot?
    @exclusivity(unchecked) private var rare: Rare?

    /// The fields that few changed objects need.
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

    /// True if none of the rare fields is set, except values of external files, which can be read again.
    var hasNothingRare: Bool {
        guard let rare else { return true }
        return rare.boxed.isEmpty && rare.fetched.isEmpty && rare.eventStart == nil && rare.assignedStore == nil
            && rare.announced.isEmpty && rare.insertionStart == nil && rare.rowBefore == nil
    }

    /// Releases the committed row, if that is the only field that is set. Returns false, and does nothing, otherwise.
    @inline(__always)
    func dropPlainSnapshot() -> Bool {
        guard hasNothingRare, relationships.isEmpty, committed?.boxed.isEmpty != false else { return false }
        committed = nil
        return true
    }

    /// True if a persistent to-many relationship has gained or lost members.
    var hasToManyChanges: Bool {
        guard !relationships.isEmpty else { return false }
        for case let toMany as ToMany in relationships
        where toMany.hasChanges && !toMany.relationship.description.isTransient { return true }
        return false
    }

    /// The to-many relationships that changed in the current pass and were loaded before, with their previous members.
    var changedMembers: [(index: Int, members: ContiguousArray<NSManagedObject>)] {
        var result: [(index: Int, members: ContiguousArray<NSManagedObject>)] = []
        for case let toMany as ToMany in relationships {
            if let members = toMany.eventStartMembers { result.append((toMany.relationship.index, members)) }
        }
        return result
    }

    /// The values not stored in cells, by cell index: transformables' decoded values and untyped transients.
    var boxed: [Int: Any] {
        get { rare?.boxed ?? [:] }
        set { if rare != nil || !newValue.isEmpty { needed.boxed = newValue } }
    }

    /// True if there are values not stored in cells.
    var hasBoxed: Bool { rare?.boxed.isEmpty == false }

    /// Sets a value not stored in a cell. Avoids allocating for the common case of setting nil where there is none.
    func setBoxed(_ value: Any?, at cell: Int) {
        if rare != nil || value != nil { needed.boxed[cell] = value }
    }

    /// Returns the cached value of an external file, by the file's name. Files are immutable.
    func readFile(_ name: String) -> Data? { rare?.readFiles[name] }

    /// Caches the value of an external file.
    func keepFile(_ name: String, _ value: Data) {
        // The committed values may be in files too. Any other files are of values replaced since.
        if needed.readFiles.count >= Self.mostFiles { needed.readFiles.removeAll() }
        needed.readFiles[name] = value
    }

    func forgetFiles() { rare?.readFiles = [:] }

    private static let mostFiles = 8

    /// The results of fetched properties, by name.
    var fetched: [String: [NSManagedObject]] {
        get { rare?.fetched ?? [:] }
        set { if rare != nil || !newValue.isEmpty { needed.fetched = newValue } }
        _modify { yield &needed.fetched }
    }

    /// The row from before the current change-processing pass, nil while that equals `committed`.
    var eventStart: RowSnapshot? {
        get { rare?.eventStart }
        set { if rare != nil || newValue != nil { needed.eventStart = newValue } }
    }

    /// The row of a new object at insertion, if it had been changed before.
    var insertionStart: RowSnapshot? {
        get { rare?.insertionStart }
        set { if rare != nil || newValue != nil { needed.insertionStart = newValue } }
    }

    /// The row the context had before it received a child's changes, if those are based on an older one, ``committed``.
    var rowBefore: RowSnapshot? {
        get { rare?.rowBefore }
        set { if rare != nil || newValue != nil { needed.rowBefore = newValue } }
    }

    /// The store assigned to a new object.
    var assignedStore: NSPersistentStore? {
        get { rare?.assignedStore }
        set { if rare != nil || newValue != nil { needed.assignedStore = newValue } }
    }

    /// The destinations of relationships when a change by primitive values was announced, by relationship index.
    var announced: [Int: ContiguousArray<NSManagedObject>] {
        get { rare?.announced ?? [:] }
        set { if rare != nil || !newValue.isEmpty { needed.announced = newValue } }
        _modify { yield &needed.announced }
    }
}
