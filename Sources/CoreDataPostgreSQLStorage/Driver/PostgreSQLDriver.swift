#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The stores of type `PostgreSQL`: the tables of one model in one schema of a PostgreSQL database, the first of the user's
/// search path.
package enum PostgreSQLDriver: StoreDriver {
    package static let storeType = StoreRecord.storeType
    package static let urlSchemes = ["postgresql", "postgres"]
    package static let optionNames: [String]? = [
        NSPersistentStoreConnectionPoolMaxSizeKey, NSPersistentHistoryOrderKey,
        NSPersistentStoreRemoteChangeIntervalKey, NSPersistentStoreRemoteChangeConnectionKey,
    ]
    package static let abilities = PostgreSQLEngine.abilities

    /// A store that was found, with the connections to its database.
    package final class Found: Sendable {
        let pool: ConnectionPool
        let record: StoreRecord
        /// The URL without passwords, for errors.
        let url: URL
        /// True if the tables were made just now.
        let isNew: Bool
        /// The transaction of several migrations that the store was found in.
        let stages: StagedTransaction?
        /// The names that the tables have now if others take their place; see ``FormerTables``.
        let present: [String: String]

        init(
            _ pool: ConnectionPool, _ record: StoreRecord, _ url: URL, isNew: Bool = false,
            stages: StagedTransaction? = nil, present: [String: String] = [:]
        ) {
            self.pool = pool
            self.record = record
            self.url = url.withoutPasswords
            self.isNew = isNew
            self.stages = stages
            self.present = present
        }
    }

    // MARK: Opening

    package static func find(_ place: StorePlace) throws -> Found? {
        if StagedReplacement.isMarked(place.url) { return try foundInStages(place) }
        guard let found = try findEvenUnfinished(place) else { return nil }
        do {
            try UnfinishedCopy.requireNone(in: found.record.values, place: found.pool.settings.place)
            return found
        } catch {
            found.pool.close()
            throw error
        }
    }

    /// Finds a store that may be an unfinished copy, to continue or to replace it.
    package static func findEvenUnfinished(_ place: StorePlace) throws -> Found? {
        let pool = try makePool(place)
        do {
            if let record = try StoreRecord.read(pool) { return Found(pool, record, place.url) }
        } catch {
            pool.close()
            throw error
        }
        pool.close()
        return nil
    }

    package static func make(
        _ place: StorePlace, for model: any StoredModel, _ layouts: ModelLayouts
    ) throws -> Found {
        let tables = PostgreSQLTables(layouts)
        _ = try DerivedAttributes(tables)
        var metadata = model.versionMetadata
        metadata[NSStoreTypeKey] = storeType
        metadata[NSStoreUUIDKey] = UUID().uuidString
        if StagedReplacement.isMarked(place.url) { return try makeInStages(place, metadata, model.archive(), tables) }
        let pool = try makePool(place)
        return Found(pool, try StoreRecord.make(pool, metadata, model.archive(), tables), place.url, isNew: true)
    }

    package static func refresh(_ found: Found, at place: StorePlace) throws -> Found? {
        if found.stages != nil { return try foundInStages(place) }
        return try StoreRecord.read(found.pool).map { Found(found.pool, $0, place.url) }
    }

    package static func metadata(of found: Found) -> FoundMetadata {
        let record = found.record
        return FoundMetadata(identifier: record.identifier) { record.values }
    }

    package static func modelArchive(of found: Found) throws -> Data? {
        if let stages = found.stages { return try StoreRecord.modelArchive(on: stages.state.connection) }
        return try StoreRecord.modelArchive(found.pool)
    }

    package static func open(_ found: Found, for opening: EngineOpening) throws -> PostgreSQLEngine {
        let pool = found.stages?.lend() ?? found.pool
        if found.record.hasPendingStatements, found.stages == nil,
            !opening.options.flag(NSReadOnlyPersistentStoreOption)
        {
            PendingStatements.run(found.pool.settings)
        }
        let history = try HistoryTables.open(pool, opening.options)
        let engine = try PostgreSQLEngine(
            pool, opening, history, options: try EngineOptions(opening.options), record: found.record,
            present: found.present)
        do {
            if !found.isNew { try engine.requireTables() }
        } catch {
            engine.close()
            throw error
        }
        return engine
    }

    package static func close(_ engine: PostgreSQLEngine) { engine.close() }

    package static func watch(
        _ engine: PostgreSQLEngine, _ onChange: @escaping @Sendable () -> Void
    ) throws -> (any StoreWatch)? {
        // Others do not see a store in a transaction of several migrations.
        engine.pool.isLent ? nil : try CommitWatch(engine, onChange)
    }

    /// Closes the connections of a found store that is not opened.
    package static func abandon(_ found: Found) { found.pool.close() }

    // MARK: Closed stores

    /// Returns true if the database has a store, or cannot be asked.
    package static func isOccupied(_ place: StorePlace) -> Bool {
        if StagedReplacement.isMarked(place.url) { return StagedReplacement.transaction(at: place.url) != nil }
        do { return try withPool(place, StoreRecord.read) != nil } catch { return true }
    }

    package static func readMetadata(at place: StorePlace) throws -> [String: Any] {
        if let found = try foundInStages(place) { return found.record.values }
        return try withPool(place) { try require($0).values }
    }

    package static func writeMetadata(_ metadata: [String: Any], at place: StorePlace) throws {
        if let stages = StagedReplacement.transaction(at: place.url) {
            return try stages.state.connection.run([StoreRecord.update(metadata)])
        }
        try withPool(place) { pool in
            _ = try require(pool)
            try StoreRecord.write(metadata, pool)
        }
    }

    package static func destroy(_ place: StorePlace) throws { try withPool(place, StoreRecord.destroy) }

    package static func copy(_ source: StorePlace, to destination: StorePlace) throws {
        if try StagedReplacement.copy(to: destination.url) { return }
        throw StoreErrors.unsupported("the copying of PostgreSQL stores")
    }

    /// Leaves what is there: a failed attempt to create a store was rolled back.
    package static func discard(_ place: StorePlace, keepsPlace: Bool) { StagedReplacement.discard(place.url) }

    private static func require(_ pool: ConnectionPool) throws -> StoreRecord {
        if let record = try StoreRecord.read(pool) { return record }
        throw CoreDataError.make(
            CocoaError.fileReadNoSuchFile.rawValue, description: "There is no store in \(pool.settings.place).",
            advice: "Check the database and the user, to whom the schema belongs.")
    }

    // MARK: Connections

    static func makePool(_ place: StorePlace, preparesStatements: Bool = true) throws -> ConnectionPool {
        do {
            var settings = try ConnectionSettings(place.url)
            settings.preparesStatements = preparesStatements
            let size = place.options.number(NSPersistentStoreConnectionPoolMaxSizeKey).map { Int(max(1, min($0, 512))) }
            return ConnectionPool(settings, size: size ?? ConnectionPool.usualSize)
        } catch let error as PostgreSQLError {
            throw ServerFailure.error(error, place: "the store")
        }
    }

    private static func withPool<Result>(
        _ place: StorePlace, _ body: (ConnectionPool) throws -> Result
    ) throws -> Result {
        let pool = try makePool(place)
        defer { pool.close() }
        return try body(pool)
    }
}
#endif
