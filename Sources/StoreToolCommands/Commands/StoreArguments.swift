import CoreDataModelBuilding
import Foundation
import ModelFormat
import StoreTools

extension Arguments {
    /// Returns the model that `--model` names; nil without the option.
    func model() throws -> Model? {
        guard let path = self["model"] else { return nil }
        let bundle = try ModelFile.bundle(path)
        return bundle.currentVersion?.model ?? bundle.versions.last?.model
    }
}

/// The URI of an object as it is typed: in full, or `Person/p12`.
struct ObjectReference: Sendable, Hashable {
    let text: String
    /// The URI, if it is given in full.
    let uri: URL?
    let entity: String
    let key: Int64

    init(_ text: String) throws(UsageError) {
        self.text = text
        let isFull = text.hasPrefix("x-coredata:")
        let parts = text.split(separator: "/")
        guard parts.count == (isFull ? 4 : 2), let last = parts.last,
            let key = Int64(last.first == "p" ? last.dropFirst() : last), key > 0
        else {
            throw UsageError("“\(text)” is no URI of an object, such as Person/p12 or x-coredata://UUID/Person/p12")
        }
        entity = String(parts[parts.count - 2])
        self.key = key
        uri = isFull ? URL(string: text) : nil
    }
}

extension ObjectReference {
    /// Returns the URI of the object in a store.
    func uri(in store: OpenStore) throws -> URL {
        _ = try EntityFacts(entity, in: store.model)
        return uri ?? ObjectAddress(storeUUID: store.identifier, entity: entity, key: key).uri
    }
}
