#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import Synchronization

/// The version of the model that an engine was opened with, and what is known of migrations by other programs since.
///
/// Every migration counts `schema_version` up; every transaction that writes rows fails if it is another than the engine knows.
final class KnownVersion: Sendable {
    /// The checksum of the engine's version; nil if it is not known.
    let checksum: String?
    private let state: Mutex<State>

    private struct State {
        var record: StoreRecord
        var isMigrated = false
    }

    init(_ record: StoreRecord, of model: (any StoredModel)?) {
        checksum = FormerVersions.checksum(in: model?.versionMetadata ?? record.values)
        state = Mutex(State(record: record))
    }

    /// The number of the tables' version that the engine knows.
    var schemaVersion: Int64 { state.withLock { $0.record.schemaVersion } }
    /// The metadata that describe the store's version, if others have migrated it since it was opened.
    var migratedValues: [String: Any]? { state.withLock { $0.isMigrated ? $0.record.values : nil } }
    /// True if the store has a later version than the engine.
    var isOfOlderProgram: Bool {
        let values = state.withLock { $0.record }.values
        return FormerVersions.checksum(in: values) != checksum && OlderPrograms(in: values).contains(checksum)
    }

    /// Notes the record as it is now; returns true if the store was migrated since.
    ///
    /// - Throws: `NSPersistentStoreIncompatibleVersionHashError` if programs of this version cannot use it any more.
    func note(_ record: StoreRecord) throws -> Bool {
        guard record.schemaVersion != schemaVersion else { return false }
        let values = record.values
        let programs = OlderPrograms(in: values)
        guard FormerVersions.checksum(in: values) == checksum || programs.contains(checksum) else {
            throw CoreDataError.make(
                NSPersistentStoreIncompatibleVersionHashError,
                description: "The store was migrated to another version of its model while it was open.",
                reason: "Another process or coordinator has migrated it since it was added; nothing was written. "
                    + (programs.obstacle.map { "Programs of this version cannot use it any more: \($0)" } ?? ""),
                advice: "Remove the store from its coordinator, and add it again with the model it has now.",
                userInfo: ["metadata": values])
        }
        state.withLock { $0 = State(record: record, isMigrated: true) }
        return true
    }
}

extension PostgreSQLEngine {
    /// Asks whether another program has migrated the store since it was opened; returns true if it has, and this version may go
    /// on.
    ///
    /// - Throws: `NSPersistentStoreIncompatibleVersionHashError` if it may not.
    func noteMigration(on connection: PostgreSQLConnection) throws -> Bool {
        guard let version else { return false }
        return try version.note(StoreRecord.read(on: connection))
    }

    /// Returns the error for a store that another program has migrated, after statements failed that may not fit it any more; nil
    /// if it is not, or the server cannot be asked.
    func migrationFailure() -> (any Error)? {
        guard let version, hold == nil else { return nil }
        var record: StoreRecord?
        try? pool.withConnection(until: Deadline(after: 2)) { record = try StoreRecord.read(on: $0) }
        guard let record else { return nil }
        do {
            _ = try version.note(record)
            return nil
        } catch { return error }
    }

    /// Returns metadata to save with the entries that describe the version of the store: others may have migrated it.
    func described(_ metadata: [String: Any]) -> [String: Any] {
        guard let version, let values = version.migratedValues, let model else { return metadata }
        var metadata = metadata
        let keys =
            model.versionMetadata.keys + [FormerVersions.key, OlderPrograms.key, OlderPrograms.obstacleKey]
        for key in keys { metadata[key] = values[key] }
        return metadata
    }

    /// The statement that fails, as division by zero, if the store was migrated; none for an engine without a store's record.
    var versionChecks: [String] {
        guard let version else { return [] }
        return [
            "SELECT 1 / (schema_version = \(version.schemaVersion))::integer FROM \(StoreRecord.table)"
        ]
    }
}
#endif
