import Foundation
import ModelFormat

/// The metadata of stores as a binary property list.
package enum MetadataList {
    /// Encodes metadata. Throws `NSPersistentStoreSaveError` for values that a property list cannot contain, and for values
    /// nested so deeply that the store could not be opened again.
    package static func data(of metadata: [String: Any]) throws -> Data {
        let data: Data
        do {
            data = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
        } catch {
            throw failure("Metadata may hold property list values only.", underlying: error)
        }
        guard PropertyListDictionary.read(data) != nil else {
            throw failure("Its values are nested more than 128 deep.", underlying: nil)
        }
        return data
    }

    private static func failure(_ reason: String, underlying error: (any Error)?) -> NSError {
        CoreDataError.make(
            NSPersistentStoreSaveError, description: "The metadata of the store cannot be saved.", reason: reason,
            underlying: error)
    }
}
