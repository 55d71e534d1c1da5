import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation

extension NSPersistentStoreCoordinator {
    final func copyStore(
        _ store: NSPersistentStore, to URL: URL, _ options: [AnyHashable: Any]?, _ storeType: String
    ) throws -> NSPersistentStore {
        serial.lock()
        defer { serial.unlock() }
        try requireOwn(store)
        CurrentContexts.restSessions()
        if let url = store.url { try ExclusiveWrites.requireNone(of: url, toBe: "moved to \(URL.path)") }
        try checkDestination(StorePlace(URL, StoreOptions(options)), type: storeType)
        let opening = StoreOpening(
            coordinator: self, type: storeType, configuration: store.requestedConfiguration, url: URL,
            options: StoreOptions(options))
        let rows = try StoreCopy.rows(of: store)
        // A save to the old store after this point would be missing from the new one.
        let (copy, copies) = try rows.retiring {
            let (copy, copies) = try makeCopy(of: store, opening)
            store.willRemove(from: self)
            setStores(persistentStores.map { $0 === store ? copy : $0 })
            return (copy, copies)
        }
        store.detach()
        store.closeStore()
        copy.didAdd(to: self)
        moveObjects(of: store, to: StoreSuccessor(try StoreCopy.rows(of: copy), copies))
        postChange(added: copy, removed: store)
        return copy
    }

    /// Copies a store to the place of `opening` and opens the copy.
    ///
    /// - Returns: the new store, open, and the mapping from the old store's rows to the copied ones.
    private func makeCopy(
        of store: NSPersistentStore, _ opening: StoreOpening
    ) throws -> (NSPersistentStore, CopiedRows) {
        guard opening.hasOwnPlace else { return try openCopy(of: store, opening) }
        let copies = try copyBeside(store, opening)
        return (try opening.open(), copies)
    }

    /// Prepares to replace a store by another one, which is created at the location that the result names.
    ///
    /// - Throws: `NSPersistentStoreTimeoutError` if another process is replacing the store for longer than the timeout in the
    ///   options.
    package static func replacement(
        ofStoreAt url: URL, type: String, options: [String: Any]
    ) throws -> any StoreReplacement {
        try StoreRegistry.requireClass(for: type).replacement(of: StorePlace(url, StoreOptions(options)))
    }

    /// Returns the store type registered for the scheme of a URL: SQLite for files.
    package static func type(ofStoreAt url: URL) -> String { StoreRegistry.type(at: url) }

    /// Returns whether a store, which may be empty, exists at a URL.
    package static func isStoreThere(at url: URL, type: String, options: [String: Any]) -> Bool {
        StoreRegistry.storeClass(for: type)?.isOccupied(StorePlace(url, StoreOptions(options))) == true
    }

    /// Returns whether metadata is what destroying a store of a type leaves.
    package static func areOfDestroyedStore(_ metadata: [String: Any], type: String) -> Bool {
        StoreRegistry.storeClass(for: type)?.areOfDestroyedStore(metadata) == true
    }

    /// Copies a store to another place and uses the copy from then on; see ``migratePersistentStore(_:to:options:withType:)``.
    public func migratePersistentStore(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
        type storeType: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: storeURL, options: options, withType: storeType.rawValue)
    }

    /// Makes the copy in a temporary folder and moves it to its destination when it is complete.
    private func copyBeside(
        _ store: NSPersistentStore, _ opening: StoreOpening
    ) throws -> CopiedRows {
        guard let url = opening.url else { return CopiedRows() }
        try StoreFiles.makeFolder(of: url)
        let place = StorePlace(url, opening.options)
        let storeClass = try StoreRegistry.requireClass(for: opening.type)
        let replacement = try storeClass.replacement(of: place)
        if storeClass.isOccupied(place) {
            try replacement.hold()
            // Another process may have created a store from the destroyed one in the meantime.
            try checkDestination(place, type: opening.type)
        }
        let (copy, copies) = try openCopy(of: store, opening.at(replacement.successor))
        copy.detach()
        copy.closeStore()
        try replacement.swap()
        return copies
    }

    /// Opens a new store and copies all rows of another one into it.
    private func openCopy(
        of store: NSPersistentStore, _ opening: StoreOpening
    ) throws -> (NSPersistentStore, CopiedRows) {
        let copy = try opening.open()
        do {
            return (copy, try StoreCopy(from: store, to: copy).run())
        } catch {
            copy.detach()
            copy.closeStore()
            if let url = opening.url {
                Swift.type(of: copy).discardStore(at: StorePlace(url, opening.options), keepsPlace: false)
            }
            throw error
        }
    }

    private func checkDestination(_ place: StorePlace, type: String) throws {
        let url = place.url
        let storeClass = try StoreRegistry.requireClass(for: type)
        guard type != NSInMemoryStoreType, url.path != StoreOpening.nowhere.path, storeClass.isOccupied(place) else {
            return
        }
        if !url.isFileURL || StoreFiles.size(url.path) > 0, storeClass.isEmpty(place) { return }
        throw CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store cannot be copied to \(place.name).",
            reason: url.isFileURL
                ? "There is a file at that place already." : "There is a store at that place already.",
            advice: "Call destroyPersistentStore(at:ofType:) first, or use replacePersistentStore.",
            userInfo: [NSURLErrorKey: url])
    }
}

/// Copies all rows of one store into another, empty one.
struct StoreCopy {
    private let source: any RowStore
    private let destination: any RowStore

    init(from source: NSPersistentStore, to destination: NSPersistentStore) throws {
        self.source = try Self.rows(of: source)
        self.destination = try Self.rows(of: destination)
    }

    static func rows(of store: NSPersistentStore) throws -> any RowStore {
        if let rows = store.rowStore, rows.copiesRows { return rows }
        throw CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store cannot be copied row by row.",
            reason: "\(store) exchanges objects with contexts only.",
            advice: "Copy the objects with a context whose coordinator has both stores.",
            userInfo: [NSAffectedStoresErrorKey: [store]])
    }

    func run() throws -> CopiedRows {
        guard let layouts = source.layouts else { return CopiedRows() }
        let rows = RowCollector()
        let session = try source.session()
        defer { session.rest() }
        for layout in layouts.all where layout.isRoot { try session.fetchRows(StoreFetch(layout: layout), into: rows) }
        let changes = StoreChanges()
        for layout in layouts.all {
            guard let own = rows.byEntity[layout.number] else { continue }
            changes.inserts.append(copy(own, of: layout, rows))
            try addToMany(of: own, layout, rows, in: session, to: changes)
        }
        var metadata: [String: Any] = destination.metadata
        for (key, value) in source.metadata where !StoreMetadata.ownKeys.contains(key) || key == FormerVersions.key {
            metadata[key] = value
        }
        destination.metadata = metadata
        changes.metadata = metadata
        let saved = try destination.save(changes, in: destination.session())
        destination.noteMetadataSaved()
        var copies = CopiedRows()
        for layout in layouts.all {
            for row in rows.byEntity[layout.number] ?? [] {
                guard let key = saved[row.temporaryKey] else { continue }
                let copy = CopiedRows.Row(key: key, version: EntityLayout.version(row.row))
                copies.rows[layout.root.number, default: [:]][row.key] = copy
            }
        }
        return copies
    }

    /// Returns the rows under temporary primary keys, so that the destination store allocates its keys. The rows keep their
    /// versions, by which contexts detect that a row differs from their snapshot.
    private func copy(
        _ rows: [RowCollector.Row], of layout: EntityLayout, _ all: RowCollector
    ) -> StoreChanges.Group {
        var writer = RowWriter(layout)
        var group = StoreChanges.Group(layout: layout)
        for row in rows {
            writer.begin(version: 0)
            for cell in layout.cells where EntityLayout.isPresent(row.row, cell.index) {
                let bits = layout.bits(row.row, cell.index)
                if cell.kind.usesHeap {
                    writer.set(cell, HeapRange(bits: bits), of: row.slab)
                } else if cell.kind == .reference {
                    if let target = all.temporary(RowReference(bits: bits)) { writer.set(cell, reference: target) }
                } else {
                    writer.set(cell, bits: bits)
                }
            }
            let copy = writer.finished
            // The store increments the version when it writes the row.
            let version = max(EntityLayout.version(row.row), 1) - 1
            group.append(StoreChanges.Row(key: row.temporaryKey, version: version, row: copy.row, slab: copy.slab))
        }
        return group
    }

    private func addToMany(
        of rows: [RowCollector.Row], _ layout: EntityLayout, _ all: RowCollector, in session: any StoreSession,
        to changes: StoreChanges
    ) throws {
        for relationship in layout.relationships where relationship.isToMany && !relationship.description.isTransient {
            let inverse = relationship.description.inverseRelationship
            guard inverse?.isToMany ?? true || relationship.isOrdered else { continue }
            for row in rows {
                let related = try session.readToMany(relationship, of: layout, key: row.key)
                let targets = ContiguousArray(related.compactMap { all.temporary($0) })
                guard !targets.isEmpty else { continue }
                changes.toMany.append(
                    StoreChanges.LinkChanges(
                        layout: layout, relationship: relationship,
                        source: RowReference(entityNumber: 0, key: row.temporaryKey), added: targets, removed: [],
                        order: relationship.isOrdered ? targets : nil))
            }
        }
    }
}

/// A row sink that keeps every row.
private final class RowCollector: RowSink {
    struct Row {
        let key: Int64
        let temporaryKey: Int64
        let row: UnsafeMutableRawPointer
        let slab: RowSlab
    }

    private(set) var byEntity: [Int: [Row]] = [:]
    private var temporaryKeys: [RowReference: Int64] = [:]
    private var next = RowReference(entityNumber: 0, key: 0)

    func next(entityNumber: Int, key: Int64) -> RowDecision {
        next = RowReference(entityNumber: entityNumber, key: key)
        return .take
    }

    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) {
        let temporary = NSManagedObjectID.makeTemporaryKey()
        temporaryKeys[next] = temporary
        byEntity[next.entityNumber, default: []].append(
            Row(key: next.key, temporaryKey: temporary, row: row, slab: slab))
    }

    func temporary(_ reference: RowReference) -> RowReference? {
        temporaryKeys[reference].map { RowReference(entityNumber: 0, key: $0) }
    }
}
