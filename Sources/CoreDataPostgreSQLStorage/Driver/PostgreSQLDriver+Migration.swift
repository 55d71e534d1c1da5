#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

extension PostgreSQLDriver {
    package static func canMigrate(_ request: EngineMigrationRequest) -> Bool { true }

    package static func migrate(
        _ found: Found, _ request: EngineMigrationRequest, _ monitor: (any MigrationMonitor)?
    ) throws {
        let migration = try StoreMigration(request, of: found.url, place: found.pool.settings.place, monitor)
        guard let stages = found.stages else { return try migration.run(found.pool) }
        do {
            try stages.step { try migration.run(in: $0) }
        } catch let error as PostgreSQLError {
            throw ServerFailure.error(error, place: found.pool.settings.place)
        }
    }

    package static func checkRows(of found: Found, _ layouts: LayoutCorrespondence) throws {
        let (identifier, url, place) = (found.record.identifier, found.url, found.pool.settings.place)
        func check(_ connection: PostgreSQLConnection) throws {
            try StoreMigration.check(layouts, identifier, url, place: place, on: connection)
        }
        do {
            if let stages = found.stages { return try check(stages.state.connection) }
            try found.pool.withConnection(until: Deadline(after: 30), check)
        } catch {
            // Another process may have migrated the store meanwhile: then its tables are others.
            if found.stages == nil, let now = try? StoreRecord.read(found.pool), now != found.record { return }
            throw (error as? PostgreSQLError).map { ServerFailure.error($0, place: place) } ?? error
        }
    }

    package static func replacement(of place: StorePlace) throws -> any StoreReplacement {
        try StagedReplacement(place) { try makePool(place, preparesStatements: false) }
    }

    package static func migrationSource(_ source: StorePlace, for destination: StorePlace) throws -> StorePlace {
        guard let url = try StagedReplacement.source(for: destination.url) else { return source }
        return StorePlace(url, source.options)
    }

    // MARK: Transactions of several migrations

    /// Returns the store as it is in a transaction of several migrations; nil if the place is not one.
    static func foundInStages(_ place: StorePlace) throws -> Found? {
        guard let stages = StagedReplacement.transaction(at: place.url) else { return nil }
        let url = StagedReplacement.withoutMark(place.url)
        if let former = StagedReplacement.former(at: place.url) {
            return Found(stages.pool, former.record, url, stages: stages, present: former.present)
        }
        do {
            return Found(stages.pool, try stages.state.record(), url, stages: stages)
        } catch let error as PostgreSQLError {
            throw ServerFailure.error(error, place: stages.pool.settings.place)
        }
    }

    /// Creates the destination of a migration object by object, after its source has made room.
    static func makeInStages(
        _ place: StorePlace, _ metadata: [String: Any], _ model: Data?, _ tables: PostgreSQLTables
    ) throws -> Found {
        let stages = try StagedReplacement.beginDestination(at: place.url)
        var metadata = metadata
        metadata[OlderPrograms.obstacleKey] = "Its objects were copied by a mapping model."
        do {
            var record: StoreRecord?
            try stages.step {
                record = try StoreRecord.replace(on: $0.connection, metadata, model, tables)
            }
            guard let record else { throw StoreErrors.notOpen }
            return Found(
                stages.pool, record, StagedReplacement.withoutMark(place.url), isNew: true, stages: stages)
        } catch let error as PostgreSQLError {
            throw MigrationFailure.error(error, of: place.url, place: stages.pool.settings.place)
        }
    }
}
#endif
