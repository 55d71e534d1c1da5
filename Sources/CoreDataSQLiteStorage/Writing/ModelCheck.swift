import CoreDataRowStorage
import Foundation

/// Detects that another process has migrated the store since it was opened: rows written after that would have wrong entity
/// numbers, or overwrite others.
///
/// Costs a read of the file's header after another connection has written, and nothing otherwise.
struct ModelCheck {
    private var version: Int64
    private let metadata: SQLiteMetadata.Row
    /// Whether a check is due. Set it after another connection has written; it stays true until a check succeeds.
    var isDue = true

    init(_ opened: StoreFile.Opened) {
        version = opened.schemaVersion
        metadata = opened.metadata
    }

    /// Checks the file, inside a write transaction.
    ///
    /// - Throws: `NSPersistentStoreIncompatibleVersionHashError` if the store now has another version of its model.
    mutating func run(_ connection: SQLiteConnection) throws {
        let current = try connection.schemaVersion()
        if current != version {
            let found = try SQLiteMetadata.read(connection)
            if EmptiedStore.namesNoModel(found.values), !EmptiedStore.namesNoModel(metadata.values) {
                throw EmptiedStore.failure(connection.path)
            }
            guard Self.agree(metadata.values, found.values) else {
                throw SQLiteFailure.storeError(
                    NSPersistentStoreIncompatibleVersionHashError, path: connection.path,
                    description: "The store was migrated to another version of its model while it was open.",
                    reason: "Another process or coordinator has migrated it since it was added; nothing was written.",
                    advice: "Remove the store from its coordinator, and add it again with the model it has now.",
                    userInfo: ["metadata": found.values])
            }
            version = current
        }
        isDue = false
    }

    /// Returns true if the version hashes agree; a store without hashes may have got some since.
    private static func agree(_ before: [String: Any], _ now: [String: Any]) -> Bool {
        guard let before = StoreVersionHashes.hashes(in: before) else { return true }
        return before == StoreVersionHashes.hashes(in: now)
    }
}
