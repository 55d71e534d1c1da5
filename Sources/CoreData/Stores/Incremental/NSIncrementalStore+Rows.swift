import CoreDataRowStorage
import Foundation

// The row interface that contexts use of every store, in terms of the functions that subclasses override.

extension NSIncrementalStore {
    /// Returns the store itself: it has no state per session.
    package final func session() -> any StoreSession { self }

    // MARK: Fetching

    private func request(
        _ fetch: StoreFetch, _ resultType: NSFetchRequestResultType
    ) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = fetch.layout.entity
        request.includesSubentities = fetch.includesSubentities
        request.predicate = fetch.predicate
        request.sortDescriptors = fetch.sortDescriptors.isEmpty ? nil : fetch.sortDescriptors
        request.fetchLimit = fetch.limit
        request.fetchOffset = fetch.offset
        if let source = fetch.source as? FetchRequestBase {
            request.propertiesToFetch = source.settings.propertiesToFetch
            request.propertiesToGroupBy = source.settings.propertiesToGroupBy
            request.havingPredicate = source.settings.havingPredicate
            request.returnsDistinctResults = source.settings.returnsDistinctResults
        }
        request.resultType = resultType
        return request
    }

    private func results(
        _ fetch: StoreFetch, _ resultType: NSFetchRequestResultType
    ) throws -> [Any] {
        let result = try execute(request(fetch, resultType), with: try servedContext())
        if let elements = Self.elements(of: result) { return elements }
        throw wrongResult(result, "an array")
    }

    package final func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        ContiguousArray(try results(fetch, .managedObjectResultType).map { try reference($0) })
    }

    package final func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws {
        for reference in try fetchReferences(fetch) {
            // Each row may be a remote call.
            try fetch.interruption?.check()
            switch sink.next(entityNumber: reference.entityNumber, key: reference.key) {
            case .take: break
            case .skip: continue
            case .stop: return
            }
            let row = try values(of: objectID(for: reference), try servedContext())
            sink.receive(row: row.row, in: row.slab)
        }
    }

    package final func countRows(_ fetch: StoreFetch) throws -> Int {
        let results = try results(fetch, .countResultType)
        guard let count = results.first as? NSNumber, results.count == 1 else {
            throw wrongResult(results, "an array of one NSNumber")
        }
        return count.intValue
    }

    package final func fetchDictionaries(
        _ fetch: StoreFetch, object: @escaping (RowReference) -> Any
    ) throws -> [[String: Any]] {
        try results(fetch, .dictionaryResultType).map { element in
            if let dictionary = element as? [String: Any] { return dictionary }
            guard let dictionary = element as? NSDictionary as? [String: Any] else {
                throw wrongResult(element, "dictionaries")
            }
            return dictionary
        }
    }

    // MARK: Values

    package final func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws {
        let context = try servedContext()
        for key in keys {
            let id = objectID(for: key, of: layout)
            switch sink.next(entityNumber: id.identity.layout.number, key: key) {
            case .take: break
            case .skip: continue
            case .stop: return
            }
            do {
                let row = try values(of: id, context)
                sink.receive(row: row.row, in: row.slab)
            } catch let error as CocoaError where error.code.rawValue == NSManagedObjectReferentialIntegrityError {
                continue
            }
        }
    }

    private func values(of id: NSManagedObjectID, _ context: NSManagedObjectContext) throws -> MemoryRow {
        let node = try newValuesForObject(with: id, with: context)
        let layout = id.identity.layout
        var writer = RowWriter(layout, rowsPerSlab: 1)
        writer.begin(version: UInt32(truncatingIfNeeded: node.version))
        for cell in layout.cells where !cell.isTransient {
            if let relationship = cell.relationship {
                let value =
                    try node.value(for: relationship)
                    ?? newValue(forRelationship: relationship, forObjectWith: id, with: context)
                if !(value is NSNull) { writer.set(cell, reference: try reference(value)) }
            } else if let attribute = cell.attribute {
                guard writer.set(cell, value: node.value(for: attribute)) else {
                    throw wrongResult(node.value(for: attribute) as Any, "a value for \(layout.name).\(cell.name)")
                }
            }
        }
        return writer.finished
    }

    package final func readToMany(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64
    ) throws -> ContiguousArray<RowReference> {
        let result = try newValue(
            forRelationship: relationship.description, forObjectWith: objectID(for: key, of: layout),
            with: try servedContext())
        if result is NSNull { return [] }
        guard let elements = Self.elements(of: result) else { throw wrongResult(result, "an array of object IDs") }
        return ContiguousArray(try elements.map { try reference($0) })
    }

    package final func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) throws {
        for key in keys {
            let related = try readToMany(relationship, of: layout, key: key)
            guard let first = related.first else { continue }
            group(key)
            guard let destination = layouts?.byNumber[first.entityNumber] else { continue }
            try readRows(keys: ContiguousArray(related.map(\.key)), of: destination, into: sink)
        }
    }

    // MARK: Saving

    package final func save(_ changes: StoreChanges, in session: any StoreSession) throws -> SavedKeys {
        try save(changes)
    }

    package final func save(_ changes: StoreChanges) throws -> SavedKeys {
        let context = try servedContext()
        let objects = try SavedObjects(changes, in: context, of: self)
        let isEmpty =
            objects.inserted.isEmpty && objects.updated.isEmpty && objects.deleted.isEmpty && objects.locked.isEmpty
        let request = NSSaveChangesRequest(
            inserted: isEmpty ? nil : objects.inserted, updated: isEmpty ? nil : objects.updated,
            deleted: isEmpty ? nil : objects.deleted, locked: isEmpty ? nil : objects.locked)
        _ = try execute(request, with: context)
        return objects.savedKeys
    }

    package final func execute(
        direct request: NSPersistentStoreRequest, in session: any StoreSession, for origin: RequestOrigin
    ) throws -> NSPersistentStoreResult {
        let result = try execute(request, with: try servedContext())
        guard let result = result as? NSPersistentStoreResult else {
            throw wrongResult(result, "an NSPersistentStoreResult")
        }
        return result
    }

    // MARK: Results

    private static func elements(of value: Any) -> [Any]? { (value as? any PredicateCollection)?.predicateElements }

    private func reference(_ element: Any) throws -> RowReference {
        let id = (element as? NSManagedObject)?.objectID ?? element as? NSManagedObjectID
        guard let id, let reference = reference(of: id) else {
            throw wrongResult(element, "objects or object IDs of this store")
        }
        return reference
    }

    private func wrongResult(_ value: Any, _ wanted: String) -> NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError,
            description: "The store class \(Swift.type(of: self)) gave a result that cannot be used.",
            reason: "\(wanted) was expected instead of \(value).", userInfo: [NSAffectedStoresErrorKey: [self]])
    }
}
