import Foundation

/// The model as a store keeps it of itself.
package protocol StoredModel: AnyObject, Sendable {
    /// What says in the store's metadata by which version of the model it was written, as property-list values.
    var versionMetadata: [String: Any] { get }
    /// The model in the form of `Z_MODELCACHE`; nil when it has something that cannot be archived. Costs a walk over it.
    func archive() -> Data?
}

/// Reads the version hashes of a store's metadata.
package enum StoreVersionHashes {
    package static func hashes(in metadata: [String: Any]) -> [String: Data]? {
        if let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] { return hashes }
        return (metadata[NSStoreModelVersionHashesKey] as? NSDictionary) as? [String: Data]
    }
}
