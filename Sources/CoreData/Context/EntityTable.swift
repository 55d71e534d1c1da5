import CoreDataRowStorage
import CoreDataRuntimeSupport
import Observation

/// The record of an entity in a context and store: its class, its layout, and the table of its registered objects.
///
/// Objects retain their table, and the table refers to the context without retaining it. So an object reaches its context and
/// detects that the context is deallocated.
final class EntityTable: @unchecked Sendable {
    let layout: EntityLayout
    /// The layout as an unmanaged reference, to avoid retain/release.
    let layoutReference: Unmanaged<EntityLayout>
    /// The layout's entity, cached.
    let entity: NSEntityDescription
    /// The key of a free-standing object of the entity.
    let detachedKey: Int64
    let identity: ObjectIdentity
    /// The uniquing table, shared by the entities of a hierarchy.
    let uniquing: UniquingTable
    /// The store of the objects; nil for objects never saved.
    let store: (any RowStore)?
    let objectClass: NSManagedObject.Type
    @exclusivity(unchecked) private(set) var contextReference: Unmanaged<NSManagedObjectContext>?
    @inline(__always)
    var context: NSManagedObjectContext? { contextReference?.takeUnretainedValue() }
    /// True if the context retains unchanged objects; cached here so that creating a fault need not read the context.
    @exclusivity(unchecked) var retainsObjects: Bool
    /// True if the context may consider a fault's row too old to be used.
    @exclusivity(unchecked) var limitsAge: Bool
    /// True if the store is notified when objects of its rows are registered and unregistered.
    let notesRegistration: Bool
    /// True if the class is `Observable`, so that reads are reported to `withObservationTracking`.
    let tracksReads: Bool
    /// The layout's tag, for objects that may be read directly; 0 if reads are tracked.
    let tag: UInt32
    /// True if rows from a store lack the default values of transient attributes.
    let lacksTransients: Bool

    init(
        layout: EntityLayout, identity: ObjectIdentity, uniquing: UniquingTable, store: (any RowStore)?,
        context: NSManagedObjectContext
    ) {
        self.layout = layout
        layoutReference = .passUnretained(layout)
        entity = layout.entity
        detachedKey = NSManagedObject.detachedKey(layout.entity)
        self.identity = identity
        self.uniquing = uniquing
        self.store = store
        contextReference = .passUnretained(context)
        retainsObjects = context.retainsRegisteredObjects
        limitsAge = context.stalenessInterval >= 0
        lacksTransients = layout.transientDefaults != nil
        notesRegistration = store?.notesRegistration ?? false
        objectClass = context.makesPlainObjects ? NSManagedObject.self : layout.entity.managedObjectClass
        tracksReads = objectClass is any Observable.Type
        tag = tracksReads ? 0 : layout.tag
        holdItself()
        if objectClass == NSManagedObject.self, !context.makesPlainObjects { entity.warnOfMissingClass() }
    }

    // MARK: Life

    // Retaining and releasing the table for each of its objects would be a large part of an object's cost. Instead a table
    // retains itself until its context is gone and its last object is deallocated. Only the context's queue assigns it to
    // objects; deallocations are counted under the uniquing table's lock, which they take anyway.

    @exclusivity(unchecked) private var taken = 0
    @exclusivity(unchecked) private var gone = 0
    @exclusivity(unchecked) private var isDisconnected = false

    private func holdItself() { _ = Unmanaged.passRetained(self) }

    private func letGoOfItself() { Unmanaged.passUnretained(self).release() }

    /// Counts an object that is assigned this table.
    @inline(__always)
    func take() {
        if isDisconnected { return takeLate() }
        taken += 1
    }

    @inline(never)
    private func takeLate() {
        uniquing.withLock {
            if taken == gone { holdItself() }
            taken += 1
        }
    }

    /// Counts an object that is deallocated or assigned another table. Afterwards another thread may count the last one, and
    /// the table may be deallocated.
    @inline(__always)
    func letGo(of object: NSManagedObject, key: Int64, isRegistered: Bool) {
        if isRegistered, notesRegistration { noteUnregistration(of: key) }
        let isLast = uniquing.withLock {
            if isRegistered { uniquing.removeLocked(object, key: key) }
            gone += 1
            return isDisconnected && gone == taken
        }
        if isLast { letGoOfItself() }
    }

    /// Clears the reference to the context, which is being deallocated or has been reset.
    func disconnect() {
        contextReference = nil
        let isLast = uniquing.withLock {
            defer { isDisconnected = true }
            return !isDisconnected && gone == taken
        }
        if isLast { letGoOfItself() }
    }

    // MARK: Objects

    /// Returns the registered object of a row, or a new fault.
    @inline(__always)
    func object(for key: Int64) -> NSManagedObject {
        uniquing.object(for: key) ?? makeFault(for: key)
    }

    /// Creates and registers a fault.
    ///
    /// - Parameter place: The key's slot in the uniquing table, if it is known to be vacant.
    func makeFault(for key: Int64, at place: UniquingTable.Place? = nil) -> NSManagedObject {
        let object = objectClass.make(.fault(self))
        take()
        object._attachment = ObjectAttachment(self)
        object._key = key
        object._state = ObjectState(.saved, .fault)
        if place?.take(object) != true { uniquing.insert(object, key: key) }
        if retainsObjects { context?.registry.retain(object) }
        if notesRegistration { noteRegistration(of: key) }
        return object
    }

    @inline(never)
    func noteRegistration(of key: Int64) {
        guard key > 0 else { return }
        store?.noteRegistration(of: NSManagedObjectID(identity: identity, key: key))
    }

    @inline(never)
    func noteUnregistration(of key: Int64) {
        guard key > 0 else { return }
        store?.noteUnregistration(of: NSManagedObjectID(identity: identity, key: key))
    }

    /// Removes an object from the uniquing table.
    @inline(__always)
    func remove(_ object: NSManagedObject, key: Int64) {
        uniquing.remove(object, key: key)
        if notesRegistration { noteUnregistration(of: key) }
    }
}

/// The tables of a context for one store, or for objects never saved.
struct ContextTables {
    private var byNumber: ContiguousArray<EntityTable?> = []
    private var uniquing = ObjectTable<Int, UniquingTable>(minimumCapacity: 6)
    let store: (any RowStore)?

    init(store: (any RowStore)?) { self.store = store }

    @inline(__always)
    subscript(number: Int) -> EntityTable? {
        number < byNumber.count ? byNumber[number] : nil
    }

    mutating func make(for layout: EntityLayout, in context: NSManagedObjectContext) -> EntityTable {
        if layout.number >= byNumber.count {
            byNumber.append(contentsOf: repeatElement(nil, count: layout.number + 1 - byNumber.count))
        }
        let root = layout.root.number
        let unique = uniquing[root] ?? UniquingTable()
        uniquing[root] = unique
        let table = EntityTable(
            layout: layout, identity: store?.identity(for: layout) ?? .temporary(for: layout), uniquing: unique,
            store: store, context: context)
        byNumber[layout.number] = table
        return table
    }

    var tables: some Sequence<EntityTable> { byNumber.lazy.compactMap { $0 } }
    var uniquingTables: some Collection<UniquingTable> { uniquing.values }
}
