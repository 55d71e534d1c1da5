import Foundation

/// The model in the form in which a store contains it.
package protocol StoredModel: AnyObject, Sendable {
    /// The entries of the store's metadata that identify the version of the model, as property-list values.
    var versionMetadata: [String: Any] { get }
    /// Returns the model in the form of `Z_MODELCACHE`; nil if a part of it cannot be archived. Costs a pass over the model.
    func archive() -> Data?
}

/// The version hashes in a store's metadata.
package enum StoreVersionHashes {
    package static func hashes(in metadata: [String: Any]) -> [String: Data]? {
        if let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] { return hashes }
        return (metadata[NSStoreModelVersionHashesKey] as? NSDictionary) as? [String: Data]
    }
}
