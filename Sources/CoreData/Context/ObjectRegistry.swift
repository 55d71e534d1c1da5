import CoreDataRowStorage
import CoreDataRuntimeSupport

/// Which objects a context has, and under which IDs; and the memory in which it keeps rows of its own.
///
/// Used on the context's queue only. Nothing is let go inside, as in ``ChangeTracker``.
struct ObjectRegistry {
    /// Objects with permanent IDs, by store.
    private(set) var tables: [ContextTables] = []
    /// Objects that have no permanent ID.
    private var unsaved = ContextTables(store: nil)
    /// The table, one of ``unsaved``, of the object inserted last.
    private var lastInserted: Unmanaged<EntityTable>?
    /// The class objects were last made of, and its entity: programs make many objects of one class in a row.
    private var lastMade: (type: ObjectIdentifier, entity: NSEntityDescription)?
    private var temporaryKeys = TemporaryKeys()
    /// What became of temporary IDs.
    private(set) var identities = IdentityChanges()
    /// Unchanged objects that the context keeps alive, if it is to.
    private(set) var retained: Set<NSManagedObject> = []
    private var arena = RowArena()

    // MARK: Tables

    /// The table of an entity's saved objects, made if need be; nil where the context has no object of that store yet.
    @inline(__always)
    mutating func table(
        of layout: EntityLayout, in store: any RowStore, for context: NSManagedObjectContext
    ) -> EntityTable? {
        for index in tables.indices where tables[index].store === store {
            return tables[index][layout.number] ?? tables[index].make(for: layout, in: context)
        }
        return nil
    }

    /// Begins with the objects of one more store.
    mutating func addStore(_ store: any RowStore) { tables.append(ContextTables(store: store)) }

    func tables(of store: any RowStore) -> ContextTables? { tables.first { $0.store === store } }

    /// The table of an entity's new objects, made if need be.
    mutating func unsavedTable(of layout: EntityLayout, for context: NSManagedObjectContext) -> EntityTable {
        unsaved[layout.number] ?? unsaved.make(for: layout, in: context)
    }

    /// The table of an entity's new objects, if there were any yet.
    func knownUnsavedTable(_ number: Int) -> EntityTable? { unsaved[number] }

    /// The registered object with a temporary key.
    func unsavedObject(_ key: Int64) -> NSManagedObject? {
        for uniquing in unsaved.uniquingTables {
            if let object = uniquing.object(for: key) { return object }
        }
        return nil
    }

    /// The store of some objects has left.
    mutating func removeTables(of store: any RowStore) {
        for tables in tables where tables.store === store {
            for table in tables.tables { table.disconnect() }
        }
        tables.removeAll { $0.store === store }
    }

    var allTables: [EntityTable] { (tables + [unsaved]).flatMap(\.tables) }

    /// Every object the context knows and the program holds.
    var objects: [NSManagedObject] {
        (tables + [unsaved]).flatMap { $0.uniquingTables.flatMap { $0.allObjects() } }
    }

    // MARK: New objects

    mutating func nextTemporaryKey() -> Int64 { temporaryKeys.next() }

    /// The table for a free-standing object of the entity inserted last, told by the object's key; nil for others.
    @inline(__always)
    func tableOfLastInserted(detachedKey key: Int64) -> Unmanaged<EntityTable>? {
        guard let lastInserted, lastInserted._withUnsafeGuaranteedRef({ $0.detachedKey }) == key else { return nil }
        return lastInserted
    }

    mutating func note(insertionInto table: EntityTable) { lastInserted = .passUnretained(table) }

    /// The entity of a class, if objects of it were made last.
    func entity(ofLastMade type: NSManagedObject.Type) -> NSEntityDescription? {
        guard let lastMade, lastMade.type == ObjectIdentifier(type) else { return nil }
        return lastMade.entity
    }

    mutating func note(making type: NSManagedObject.Type, _ entity: NSEntityDescription) {
        lastMade = (ObjectIdentifier(type), entity)
    }

    /// Memory for a changed object's row.
    @inline(__always)
    func makeRow(bytes: Int) -> (UnsafeMutableRawPointer, RowSlab) { arena.makeRow(bytes: bytes) }

    // MARK: IDs

    mutating func remember(_ change: IdentityChanges.Change) { identities.remember(change) }

    /// Has the children told of permanent IDs.
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

    /// - Returns: the objects that were kept.
    @discardableResult
    mutating func releaseAll() -> Set<NSManagedObject> {
        defer { retained = [] }
        return retained
    }

    // MARK: Forgetting

    /// A registry without objects, which goes on with the keys for new ones.
    var emptied: ObjectRegistry {
        var registry = ObjectRegistry()
        registry.temporaryKeys = temporaryKeys
        return registry
    }
}
