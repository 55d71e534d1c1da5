import CoreDataRowStorage
import CoreDataRuntimeSupport

/// The registered objects of a context by ID, and the memory of its private rows.
///
/// Used on the context's queue only. No mutating function releases an object, for the reason given in ``ChangeTracker``.
struct ObjectRegistry {
    /// Objects with permanent IDs, by store.
    private(set) var tables: [ContextTables] = []
    /// Objects that have no permanent ID.
    private var unsaved = ContextTables(store: nil)
    /// The table (one of ``unsaved``) of the object inserted last.
    private var lastInserted: Unmanaged<EntityTable>?
    /// The class of the last objects created, and its entity: programs often create many objects of one class in a row.
    private var lastMade: (type: ObjectIdentifier, entity: NSEntityDescription)?
    private var temporaryKeys = TemporaryKeys()
    /// The permanent IDs that replaced temporary ones.
    private(set) var identities = IdentityChanges()
    /// The unchanged objects that the context retains, if it is set to.
    private(set) var retained: Set<NSManagedObject> = []
    private var arena = RowArena()

    // MARK: Tables

    /// Returns the table of an entity's saved objects, creating it if needed; nil if the store has not been added.
    @inline(__always)
    mutating func table(
        of layout: EntityLayout, in store: any RowStore, for context: NSManagedObjectContext
    ) -> EntityTable? {
        for index in tables.indices where tables[index].store === store {
            return tables[index][layout.number] ?? tables[index].make(for: layout, in: context)
        }
        return nil
    }

    /// Adds tables for the objects of another store.
    mutating func addStore(_ store: any RowStore) { tables.append(ContextTables(store: store)) }

    func tables(of store: any RowStore) -> ContextTables? { tables.first { $0.store === store } }

    /// Returns the table of an entity's new objects, creating it if needed.
    mutating func unsavedTable(of layout: EntityLayout, for context: NSManagedObjectContext) -> EntityTable {
        unsaved[layout.number] ?? unsaved.make(for: layout, in: context)
    }

    /// Returns the table of an entity's new objects, or nil if there were none yet.
    func knownUnsavedTable(_ number: Int) -> EntityTable? { unsaved[number] }

    /// Returns the registered object with a temporary key.
    func unsavedObject(_ key: Int64) -> NSManagedObject? {
        for uniquing in unsaved.uniquingTables {
            if let object = uniquing.object(for: key) { return object }
        }
        return nil
    }

    /// Removes the tables of a store that was removed.
    mutating func removeTables(of store: any RowStore) {
        for tables in tables where tables.store === store {
            for table in tables.tables { table.disconnect() }
        }
        tables.removeAll { $0.store === store }
    }

    var allTables: [EntityTable] { (tables + [unsaved]).flatMap(\.tables) }

    /// All registered objects that are in memory.
    var objects: [NSManagedObject] {
        (tables + [unsaved]).flatMap { $0.uniquingTables.flatMap { $0.allObjects() } }
    }

    // MARK: New objects

    mutating func nextTemporaryKey() -> Int64 { temporaryKeys.next() }

    /// Returns the table for a free-standing object of the entity inserted last, recognized by the object's key; nil for
    /// others.
    @inline(__always)
    func tableOfLastInserted(detachedKey key: Int64) -> Unmanaged<EntityTable>? {
        guard let lastInserted, lastInserted._withUnsafeGuaranteedRef({ $0.detachedKey }) == key else { return nil }
        return lastInserted
    }

    mutating func note(insertionInto table: EntityTable) { lastInserted = .passUnretained(table) }

    /// Returns the entity of a class if its objects were created last.
    func entity(ofLastMade type: NSManagedObject.Type) -> NSEntityDescription? {
        guard let lastMade, lastMade.type == ObjectIdentifier(type) else { return nil }
        return lastMade.entity
    }

    mutating func note(making type: NSManagedObject.Type, _ entity: NSEntityDescription) {
        lastMade = (ObjectIdentifier(type), entity)
    }

    /// Allocates memory for a changed object's row.
    @inline(__always)
    func makeRow(bytes: Int) -> (UnsafeMutableRawPointer, RowSlab) { arena.makeRow(bytes: bytes) }

    // MARK: IDs

    mutating func remember(_ change: IdentityChanges.Change) { identities.remember(change) }

    /// Queues permanent IDs for the children.
    mutating func announce(_ changes: [IdentityChanges.Change]) { identities.unannounced += changes }

    mutating func takeUnannounced() -> [IdentityChanges.Change] {
        defer { identities.unannounced = [] }
        return identities.unannounced
    }

    mutating func replaceIdentities(_ replacement: (NSManagedObjectID) -> NSManagedObjectID) {
        identities.replace(replacement)
    }

    // MARK: Keeping objects alive

    mutating func retain(_ object: NSManagedObject) { retained.insert(object) }
    mutating func retain(_ objects: some Sequence<NSManagedObject>) { retained.formUnion(objects) }

    @discardableResult
    mutating func release(_ object: NSManagedObject) -> NSManagedObject? {
        retained.isEmpty ? nil : retained.remove(object)
    }

    /// Releases all retained unchanged objects.
    ///
    /// - Returns: The objects, so that the caller releases them.
    @discardableResult
    mutating func releaseAll() -> Set<NSManagedObject> {
        defer { retained = [] }
        return retained
    }

    // MARK: Clearing

    /// An empty registry that continues with the temporary keys of this one.
    var emptied: ObjectRegistry {
        var registry = ObjectRegistry()
        registry.temporaryKeys = temporaryKeys
        return registry
    }
}
