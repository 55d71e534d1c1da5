import Foundation

/// The entry in the metadata of a store that marks it as the unfinished copy of another one. `storetool copy` writes it with
/// each step, and removes it last.
package enum UnfinishedCopy {
    package static let key = "MagicalRecordUnfinishedCopy"

    /// Throws for the metadata of an unfinished copy: 134080.
    ///
    /// - Parameter place: The place of the store, for the message.
    package static func requireNone(in metadata: [String: Any], place: String) throws {
        guard metadata[key] != nil else { return }
        throw CoreDataError.make(
            NSPersistentStoreOpenError, description: "The store in \(place) is an unfinished copy of another store.",
            reason: "“storetool copy” was ended before it had copied and compared everything.",
            advice: "Run the same “storetool copy” again: it continues where it was. Or destroy the store.")
    }
}
