import Foundation
import PredicateFormat

/// Requests that change rows without objects: each runs in one transaction.
struct BatchRequests {
    let engine: SQLiteEngine
    let store: NSPersistentStore
    let origin: RequestOrigin

    func run(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        switch request {
        case let insert as NSBatchInsertRequest:
            let layout = try layout(insert.target.name, insert.entity)
            let written = try write { connection, files in
                let history = historyRecorder(connection)
                let written = try BatchInsert(
                    insert, layout, engine, connection, policy: origin.mergePolicy.mergeType,
                    wantsKeys: history != nil || insert.resultType == .objectIDs, files: files
                ).run()
                if let history {
                    for row in written.rows {
                        guard let layout = engine.layouts.byNumber[row.reference.entityNumber] else { continue }
                        try history.record(row.isNew ? .insert : .update, layout, key: row.reference.key)
                    }
                    try history.finish()
                }
                return written
            }
            return NSBatchInsertResult(
                result: insert.resultType == .count
                    ? written.count
                    : result(ContiguousArray(written.rows.lazy.map(\.reference)), insert.resultType.rawValue),
                resultType: insert.resultType)
        case let update as NSBatchUpdateRequest:
            let layout = try layout(update.target.name, update.target.entity)
            let rows = try write { connection, files in
                let rows = try BatchUpdate(update, layout, engine, connection, files: files).run()
                if let history = historyRecorder(connection) {
                    let names = (update.propertiesToUpdate ?? [:]).keys.map {
                        ($0.base as? NSPropertyDescription)?.name ?? "\($0.base)"
                    }
                    for row in rows {
                        guard let layout = engine.layouts.byNumber[row.entityNumber] else { continue }
                        try history.record(.update, layout, key: row.key, properties: Set(names))
                    }
                    try history.finish()
                }
                return rows
            }
            return NSBatchUpdateResult(result: result(rows, update.resultType.rawValue), resultType: update.resultType)
        case let delete as NSBatchDeleteRequest:
            let rows = try run(delete)
            return NSBatchDeleteResult(result: result(rows, delete.resultType.rawValue), resultType: delete.resultType)
        default:
            throw CoreDataError.make(
                NSPersistentStoreUnsupportedRequestTypeError, description: "The store does not know the request.",
                reason: "Unknown command type \(request)")
        }
    }

    private func run(_ request: NSBatchDeleteRequest) throws -> ContiguousArray<RowReference> {
        let settings = request.fetchRequest.settings
        let layout = try layout(settings.entityName ?? settings.entity?.name ?? "", settings.entity)
        var fetch = StoreFetch(layout: layout)
        fetch.predicate = settings.predicate
        fetch.sortDescriptors = settings.sortDescriptors ?? []
        fetch.limit = settings.fetchLimit
        fetch.offset = settings.fetchOffset
        fetch.includesSubentities = settings.includesSubentities
        let (compiled, constants) = try engine.compiled(fetch, .references)
        return try write { connection, files in
            let statement = try engine.prepare(compiled, constants, fetch, connection)
            let found = try engine.references(
                statement, number: layout.number, isPolymorphic: compiled.selectsEntity)
            var deletion = BatchDelete(engine, connection, history: historyRecorder(connection), files: files)
            try deletion.run(found)
            return found
        }
    }

    private func historyRecorder(_ connection: SQLiteConnection) -> HistoryRecorder? {
        engine.historyRecorder(connection, author: origin.author, contextName: origin.contextName)
    }

    /// Runs one request in one transaction, with the files that go with it.
    private func write<Result>(_ body: (SQLiteConnection, ExternalFileChanges) throws -> Result) throws -> Result {
        let files = ExternalFileChanges(engine)
        do {
            let result = try engine.write { connection in
                // Rows whose derived attributes triggers computed: no object of this request is to hear of them.
                defer { connection.derivedChanges.clear() }
                return try body(connection, files)
            }
            files.finish(committed: true)
            return result
        } catch {
            files.finish(committed: false)
            throw error
        }
    }

    private func layout(_ name: String, _ entity: NSEntityDescription?) throws -> EntityLayout {
        guard let layout = engine.layouts.byName[entity?.name ?? name] else {
            throw UnsupportedQuery.make("could not locate an entity named '\(entity?.name ?? name)' in this model")
        }
        return layout
    }

    // MARK: Results

    /// The three kinds of results have the same numbers in all three requests.
    private func result(_ rows: ContiguousArray<RowReference>, _ kind: UInt) -> Any {
        switch kind {
        case 1: rows.map { store.objectID(for: $0) }
        case 2: rows.count
        default: true
        }
    }
}
