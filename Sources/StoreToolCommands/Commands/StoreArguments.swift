import CoreDataModelBuilding
import Foundation
import ModelFormat
import StoreTools

extension Arguments {
    /// Returns the model that `--model` names; nil without the option.
    func model() throws -> Model? {
        try self["model"].map(ModelFile.current)
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
        if ObjectAddress.isLike(text), let address = ObjectAddress(text) {
            (uri, entity, key) = (address.uri, address.entity, address.key)
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty,
            let key = Int64(parts[1].first == "p" ? parts[1].dropFirst() : parts[1]), key > 0
        else {
            throw UsageError("“\(text)” is no URI of an object, such as Person/p12 or x-coredata://UUID/Person/p12")
        }
        (uri, entity) = (nil, String(parts[0]))
        self.key = key
    }
}

extension ObjectReference {
    /// Returns the URI of the object in a store.
    func uri(in store: OpenStore) throws -> URL {
        if let uri { return uri }
        _ = try EntityFacts(entity, in: store.model)
        return ObjectAddress(storeUUID: store.identifier, entity: entity, key: key).uri
    }

    /// Reports that the store has no such object, and returns the exit code.
    func reportMissing(_ console: Console) throws -> Int32 {
        try console.output.flush()
        try console.errors.write("storetool: There is no object \(CellText.escaped(text)).\n")
        return 1
    }
}
