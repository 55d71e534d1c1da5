import CoreDataRowStorage
import CoreDataRuntimeSupport

/// What a context keeps per entity and store: how its objects are made, laid out and found.
///
/// Objects hold their table, and the table knows the context without retaining it: that is how an object reaches its
/// context, and how it notices that the context is gone.
final class EntityTable: @unchecked Sendable {
    let layout: EntityLayout
    /// The same without counting references.
    let layoutReference: Unmanaged<EntityLayout>
    /// The layout's entity, close at hand.
    let entity: NSEntityDescription
    /// What a free-standing object of the entity has for a key.
    let detachedKey: Int64
    let identity: ObjectIdentity
    /// Shared by the entities of one hierarchy.
    let uniquing: UniquingTable
    /// nil for objects never saved.
    let store: (any RowStore)?
    let objectClass: NSManagedObject.Type
    @exclusivity(unchecked) private(set) var contextReference: Unmanaged<NSManagedObjectContext>?
    @inline(__always)
    var context: NSManagedObjectContext? { contextReference?.takeUnretainedValue() }
    /// The context keeps unchanged objects alive; here as well, so that making a fault need not ask it.
    @exclusivity(unchecked) var retainsObjects: Bool
    /// The context may find the row of a fault too old to be used.
    @exclusivity(unchecked) var limitsAge: Bool
    /// The store wants to know which of its rows contexts hold objects of.
    let notesRegistration: Bool
    /// The layout's tag, close at hand.
    let tag: UInt32
    /// Whether rows from a store lack the default values of transient attributes.
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
        tag = layout.tag
        lacksTransients = layout.transientDefaults != nil
        notesRegistration = store?.notesRegistration ?? false
        objectClass = context.makesPlainObjects ? NSManagedObject.self : layout.entity.managedObjectClass
        holdItself()
        if objectClass == NSManagedObject.self, !context.makesPlainObjects { entity.warnOfMissingClass() }
    }

    // MARK: Life

    // Counting a table's references for each of its objects would be a good part of what an object costs. So a table holds
    // itself until its context has left it and its last object is gone. Only the context's queue gives it objects; that
    // they go is counted under the lock that going takes anyway.

    @exclusivity(unchecked) private var taken = 0
    @exclusivity(unchecked) private var gone = 0
    @exclusivity(unchecked) private var isDisconnected = false

    private func holdItself() { _ = Unmanaged.passRetained(self) }

    private func letGoOfItself() { Unmanaged.passUnretained(self).release() }

    /// An object gets this table.
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

    /// An object goes, or gets another table. Once it is counted another thread may count the last one, and the table be gone.
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

    /// The context is going away, or has forgotten its objects.
    func disconnect() {
        contextReference = nil
        let isLast = uniquing.withLock {
            defer { isDisconnected = true }
            return !isDisconnected && gone == taken
        }
        if isLast { letGoOfItself() }
    }

    // MARK: Objects

    /// The object of a row: the registered one, or a new fault.
    @inline(__always)
    func object(for key: Int64) -> NSManagedObject {
        uniquing.object(for: key) ?? makeFault(for: key)
    }

    /// - Parameter place: the key's place in the uniquing table, if it is known to be vacant.
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

    /// Takes an object out of the uniquing table.
    @inline(__always)
    func remove(_ object: NSManagedObject, key: Int64) {
        uniquing.remove(object, key: key)
        if notesRegistration { noteUnregistration(of: key) }
    }
}

/// A context's tables for one store, or for the objects never saved.
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
