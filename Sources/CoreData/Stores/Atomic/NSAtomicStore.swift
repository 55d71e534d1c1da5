import CoreDataMemoryStorage
import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// The base class of custom stores that are read and written as a whole.
///
/// Override ``NSPersistentStore/loadMetadata()``, ``load()``, ``save()`` and ``newReferenceObject(for:)``; register the class
/// with ``NSPersistentStoreCoordinator/registerStoreClass(_:forStoreType:)``. The functions are called on the queue of the
/// context that saves, except ``load()``, which is called on the thread that adds the store.
///
/// Fetches run in memory, as in an in-memory store.
open class NSAtomicStore: NSPersistentStore, ObjectStore, MemoryBackedStore, @unchecked Sendable {
    private final let keys = ReferenceKeys()
    private(set) final nonisolated(unsafe) var memory: MemoryEngine?
    private let lock = Lock()
    private final nonisolated(unsafe) var nodes: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]

    // MARK: To override

    /// Reads the file and registers a node for every object, with ``addCacheNodes(_:)``.
    open func load() throws { throw notOverridden("load()") }

    /// Writes ``cacheNodes()`` and the metadata. If it throws, the save fails and the nodes are restored.
    open func save() throws { throw notOverridden("save()") }

    /// Returns the identifier of a new object in the file: a string or number that is unique in the store.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        fatalError("\(Swift.type(of: self)) must override newReferenceObject(for:).")
    }

    /// Creates the node of an object that is saved for the first time and already has a permanent ID. The default
    /// implementation copies all values.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = self.node(for: managedObject.objectID)
        updateCacheNode(node, from: managedObject)
        return node
    }

    /// Copies the values of an object that is being saved into its node. The default implementation copies all values.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        for property in managedObject.entity.properties where !property.isTransient {
            let value = managedObject.value(forKey: property.name)
            switch property {
            case is NSAttributeDescription: node.setValue(value, forKey: property.name)
            case let relationship as NSRelationshipDescription:
                node.setValue(nodes(for: value, of: relationship), forKey: property.name)
            default: continue
            }
        }
    }

    /// Notifies the store before the nodes of deleted objects are removed. The default implementation does nothing.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    // MARK: Nodes

    /// Returns all nodes. May be called on any thread.
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> { lock.withLock { Set(nodes.values) } }

    /// Registers nodes. May be called on any thread.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        lock.withLock { for node in cacheNodes { nodes[node.objectID] = node } }
    }

    /// Returns the node of an object, or nil if the store has none. May be called on any thread.
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        lock.withLock { nodes[objectID] }
    }

    /// Returns the node of an object. Creates it if there is none yet: related objects may be new as well.
    private final func node(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode {
        lock.withLock {
            if let known = nodes[objectID] { return known }
            let made = NSAtomicStoreCacheNode(objectID: objectID)
            nodes[objectID] = made
            return made
        }
    }

    private final func nodes(for value: Any?, of relationship: NSRelationshipDescription) -> Any? {
        switch value {
        case let object as NSManagedObject: node(for: object.objectID)
        case let ordered as NSOrderedSet:
            NSOrderedSet(array: ordered.compactMap { ($0 as? NSManagedObject).map { node(for: $0.objectID) } })
        case let objects as Set<NSManagedObject>: Set(objects.map { node(for: $0.objectID) })
        default: nil
        }
    }

    // MARK: Object IDs

    /// Returns the ID of the object with a reference object. Traps if the entity is not in the store's model.
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        keys.objectID(for: data, of: entity, in: self)
    }

    /// Returns the reference object of an ID. Traps for IDs of other stores.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any {
        keys.reference(of: objectID, in: self)
    }

    override final var referenceKeys: ReferenceKeys? { keys }

    package final func makeKeys(for objects: [NSManagedObject]) throws -> [Int64] {
        objects.map { keys.key(for: newReferenceObject(for: $0), of: $0.layout) }
    }

    package override var copiesRows: Bool { false }

    // MARK: Opening and saving

    package final override func openStore() throws {
        guard let layouts else { preconditionFailure("A store is prepared for a model before it is opened.") }
        let engine = makeEngine(layouts)
        memory = engine
        try load()
        try engine.load { state in
            var reader = CacheNodeReader(store: self, plan: state.plan)
            for node in cacheNodes() { try reader.add(node) }
            state.apply(reader.edit)
        }
    }

    package final func save(_ changes: StoreChanges, in session: any StoreSession) throws -> SavedKeys {
        try requireWritable()
        let context = try servedContext()
        let objects = try SavedObjects(changes, in: context, of: self)
        _ = try engine.save(changes, keys: objects.keys) { [self] _ in
            let before = lock.withLock { nodes }
            let caches = before.values.map { ($0, $0.propertyCache?.mutableCopy() as? NSMutableDictionary) }
            do {
                try writeNodes(of: objects)
                try save()
            } catch {
                for (node, cache) in caches { node.propertyCache = cache }
                lock.withLock { nodes = before }
                throw error
            }
        }
        return objects.savedKeys
    }

    private final func writeNodes(of objects: SavedObjects) throws {
        let gone = Set(objects.deleted.compactMap { cacheNode(for: $0.objectID) })
        willRemoveCacheNodes(gone)
        lock.withLock { for node in gone { nodes[node.objectID] = nil } }
        for object in objects.inserted { addCacheNodes([newCacheNode(for: object)]) }
        for object in objects.updated {
            guard let node = cacheNode(for: object.objectID) else { continue }
            updateCacheNode(node, from: object)
        }
    }
}

/// Converts cache nodes to rows.
struct CacheNodeReader {
    private let store: NSAtomicStore
    private let plan: MemoryPlan
    private(set) var edit = MemoryEdit()

    init(store: NSAtomicStore, plan: MemoryPlan) {
        self.store = store
        self.plan = plan
    }

    mutating func add(_ node: NSAtomicStoreCacheNode) throws {
        let layout = node.objectID.identity.layout, key = node.objectID.key
        var writer = RowWriter(layout, rowsPerSlab: 1)
        writer.begin(version: 1)
        for cell in layout.cells where !cell.isTransient && cell.traits.contains(.attribute) {
            guard writer.set(cell, value: node.value(forKey: cell.name)) else {
                throw CoreDataError.make(
                    NSFileReadCorruptFileError, description: "A cache node has a value its attribute cannot hold.",
                    reason:
                        "\(layout.name).\(cell.name) of \(node.objectID) is \(node.value(forKey: cell.name) ?? "nil").",
                    entity: layout.name, key: cell.name)
            }
        }
        for relationship in layout.relationships where !relationship.isTransient {
            let related = references(node.value(forKey: relationship.name))
            switch plan.storage(of: relationship, in: layout) {
            case .cell:
                if let target = related.first { writer.set(layout.cells[relationship.cell], reference: target) }
            case .mirror(_, order: nil), .transient: continue
            case .mirror(_, let list?), .links(let list, _): edit.sequences.append((list, key, related))
            }
        }
        edit.tables[layout.root.number, default: .init()].inserted.append((key, writer.finished))
    }

    private func references(_ value: Any?) -> ContiguousArray<RowReference> {
        let elements: [Any]
        switch value {
        case let collection as any PredicateCollection: elements = collection.predicateElements
        case let value?: elements = [value]
        case nil: elements = []
        }
        return ContiguousArray(
            elements.compactMap { element in
                let id = (element as? NSAtomicStoreCacheNode)?.objectID ?? element as? NSManagedObjectID
                return id.flatMap { store.reference(of: $0) }
            })
    }
}
