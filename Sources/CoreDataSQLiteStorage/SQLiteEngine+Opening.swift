import CoreDataRowStorage

extension SQLiteEngine {
    /// Opens a file that contains a store of the model: adopts the names of its tables, and creates missing indexes, and the
    /// tables of history if it is to be recorded.
    ///
    /// - Throws: `NSError`s of the Cocoa domain; the file keeps the changes made before the error.
    package static func open(_ opened: StoreFile.Opened, for opening: EngineOpening) throws -> SQLiteEngine {
        let (connection, settings, layouts) = (opened.connection, opened.settings, opening.layouts)
        let path = connection.path
        let numbering = try StoreFile.numbering(of: layouts, required: opening.required, connection)
        var schema = try SQLSchema(layouts, numbering: numbering)
        let actual = try opened.schema ?? ActualSchema(connection)
        try schema.adapt(to: actual, layouts: layouts, required: opening.required, path: path)
        // Through another source nothing is written, whatever the model derives.
        let derived = settings.source == nil ? try DerivedTriggers(schema, layouts).all() : []
        let triggers = derived.filter { !actual.hasTrigger($0.name) && actual.hasTable($0.table) }
        let pool = ConnectionPool(
            path: path, settings: settings,
            writerSetup: triggers.map {
                var trigger = $0
                trigger.isPersistent = false
                return trigger.creation
            }, triggersReadViews: actual.hasViewsOfOthers)
        pool.adopt(connection)
        if !settings.isReadOnly {
            if opening.options.flag(NSSQLiteManualVacuumOption) { try pool.write { try $0.execute("VACUUM") } }
            if opening.options.flag(NSSQLiteAnalyzeOption) { try pool.write { try $0.execute("ANALYZE") } }
        }
        if !settings.isReadOnly, opened.schema != nil {
            try MissingIndexes(schema, layouts, required: opening.required, in: actual, connection)
                .make(in: pool, for: opening.model)
        }
        var recordsHistory = actual.hasTable("ACHANGE")
        var hasStrings = actual.hasTable("ATRANSACTIONSTRING") || !recordsHistory
        if opening.options.flag(NSPersistentHistoryTrackingKey), !settings.isReadOnly {
            if try HistoryTables.needPreparation(actual, layouts: layouts) {
                try pool.transaction { try HistoryTables.prepare(ActualSchema($0), layouts: layouts, $0) }
            }
            if !recordsHistory { hasStrings = true }
            recordsHistory = true
        }
        return SQLiteEngine(
            pool: pool, layouts: layouts, model: opening.model, schema: schema, url: opened.url,
            isTemporary: opened.passOn(), identifier: opening.identifier, recordsHistory: recordsHistory,
            historyHasStrings: hasStrings,
            check: ModelCheck(opened))
    }
}
