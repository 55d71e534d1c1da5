// The combined results of a request executed on several stores.

extension NSManagedObjectContext {
    /// Returns the stores that a request concerns: those it names, otherwise those that may hold its entity; all for requests
    /// without an entity.
    final func stores(concernedBy request: NSPersistentStoreRequest) throws -> [any RowStore] {
        guard let coordinator = persistentStoreCoordinator else { return [] }
        let affected = request.affectedStores ?? []
        let model = coordinator.managedObjectModel
        let entity: NSEntityDescription? =
            switch request {
            case let update as NSBatchUpdateRequest: model.entitiesByName[update.entityName]
            case let insert as NSBatchInsertRequest: model.entitiesByName[insert.entityName]
            case let delete as NSBatchDeleteRequest: try delete.fetchRequest.resolveEntity(in: model)
            default: nil
            }
        guard let layout = entity?.name.flatMap({ model.layouts.byName[$0] }) else {
            return coordinator.rowStores.filter { store in affected.isEmpty || affected.contains { $0 === store } }
        }
        let holding = coordinator.stores(holding: layout)
        let chosen = holding.filter { store in affected.isEmpty || affected.contains { $0 === store } }
        // New rows go to one store, as new objects do.
        guard request is NSBatchInsertRequest, chosen.count > 1 else { return chosen }
        let target = affected.isEmpty ? coordinator.store(forNew: layout) : nil
        return [target ?? chosen[0]]
    }
}

extension NSPersistentStoreResult {
    /// Merges the results of several stores: counts are added, lists are concatenated; succeeds only if every store does.
    static func combined(_ results: [NSPersistentStoreResult]) -> NSPersistentStoreResult {
        guard results.count > 1 else { return results.first ?? NSPersistentStoreResult() }
        switch results[0] {
        case let first as NSBatchUpdateResult:
            let values = results.map { ($0 as? NSBatchUpdateResult)?.result }
            return NSBatchUpdateResult(result: join(values), resultType: first.resultType)
        case let first as NSBatchDeleteResult:
            let values = results.map { ($0 as? NSBatchDeleteResult)?.result }
            return NSBatchDeleteResult(result: join(values), resultType: first.resultType)
        case let first as NSPersistentHistoryResult:
            let values = results.map { ($0 as? NSPersistentHistoryResult)?.result }
            return NSPersistentHistoryResult(result: join(values), resultType: first.resultType)
        default: return results[0]
        }
    }

    private static func join(_ values: [Any?]) -> Any? {
        let values = values.compactMap { $0 }
        switch values.first {
        case is Bool: return values.allSatisfy { $0 as? Bool == true }
        case is Int: return values.reduce(0) { $0 + ($1 as? Int ?? 0) }
        case is [NSPersistentHistoryTransaction]:
            let all = values.flatMap { $0 as? [NSPersistentHistoryTransaction] ?? [] }
            return all.sorted { $0.timestamp < $1.timestamp }
        case is [NSPersistentHistoryChange]: return values.flatMap { $0 as? [NSPersistentHistoryChange] ?? [] }
        case is [NSManagedObjectID]: return values.flatMap { $0 as? [NSManagedObjectID] ?? [] }
        case is [String: Set<NSManagedObjectID>]:
            return values.reduce(into: [String: Set<NSManagedObjectID>]()) { all, value in
                all.merge(value as? [String: Set<NSManagedObjectID>] ?? [:]) { $0.union($1) }
            }
        default: return values.first
        }
    }
}
