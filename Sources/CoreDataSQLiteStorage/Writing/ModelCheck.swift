import CoreDataRowStorage
import Foundation

/// Finds out whether another process has migrated the store since it was opened here: rows written after that would be of
/// entities by other numbers, or overwrite others.
///
/// Costs one number of the file's header where somebody else has written since the last transaction, and nothing otherwise.
struct ModelCheck {
    private var version: Int64
    private let metadata: SQLiteMetadata.Row
    /// To be set when somebody else has written; stays set until the store is found to be of the same version.
    var isDue = true

    init(_ opened: StoreFile.Opened) {
        version = opened.schemaVersion
        metadata = opened.metadata
    }

    /// Checks the file, inside a transaction that writes.
    ///
    /// - Throws: `NSPersistentStoreIncompatibleVersionHashError` when the store is of another version of its model now.
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

    /// A store that did not say its version may have got to say it.
    private static func agree(_ before: [String: Any], _ now: [String: Any]) -> Bool {
        guard let before = StoreVersionHashes.hashes(in: before) else { return true }
        return before == StoreVersionHashes.hashes(in: now)
    }
}
