import Foundation
import ModelFormat

extension RescueOperation {
    /// Returns the model to write the new store with, and checks it against the metadata.
    static func model(_ rescue: StoreRescue, _ content: RescueContent, _ notes: RescueNotes) throws -> Model {
        let name = rescue.url.lastPathComponent
        guard let model = rescue.model ?? content.cachedModel else {
            throw StoreToolError(
                .noModel, "\(name) contains no model that can be read, and none was given.",
                advice: "Give the model with which the program made the store.", url: rescue.url)
        }
        guard let stored = content.hashes else { return model }
        let hashes = try versionHashes(model)
        if hashes == stored { return model }
        for configuration in model.configurations
        where (try? model.versionHashes(configuration: configuration.name)) == stored { return model }
        if rescue.model != nil {
            let differing = Set(hashes.keys).union(stored.keys).filter { hashes[$0] != stored[$0] }.sorted()
            throw StoreToolError(
                .otherModel,
                "The given model is not that of \(name): it differs in \(differing.joined(separator: ", ")).",
                advice: content.cachedModel == nil
                    ? "Give the version of the model with which the store was made."
                    : "Leave out the model: the store contains its own.", url: rescue.url)
        }
        notes.add("The version hashes of the metadata did not match the model in the store, and were computed again.")
        return model
    }

    static func versionHashes(_ model: Model) throws -> [String: Data] {
        do { return try model.versionHashes() } catch {
            throw StoreToolError(
                .noModel, "The model cannot be used: \(error.localizedDescription)",
                advice: "Give the model with which the program made the store.")
        }
    }

    /// Returns the property list of the new store's metadata.
    func metadataList() throws -> Data {
        let hashes = try Self.versionHashes(model)
        let isCurrent = content.hashes != nil && !notesMention("version hashes")
        if let list = content.list, isCurrent { return list }
        var metadata = content.metadata
        if content.list == nil {
            metadata = [
                "NSStoreType": "SQLite", "NSPersistenceFrameworkVersion": 1421, "_NSAutoVacuumLevel": "2",
            ]
            notes.add(
                content.uuid == nil
                    ? "The metadata were lost: the store has a new UUID, and a program's own entries are missing."
                    : "The metadata were lost: a program's own entries are missing.", isLoss: true)
        }
        metadata["NSStoreModelVersionHashes"] = hashes
        metadata["NSStoreModelVersionHashesVersion"] = 3
        metadata["NSStoreModelVersionIdentifiers"] = model.versionIdentifiers
        metadata["NSStoreModelVersionHashesDigest"] = Model.versionHashesDigest(hashes)
        metadata["NSStoreModelVersionChecksumKey"] = Model.versionChecksum(hashes)
        return try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
    }

    private func notesMention(_ text: String) -> Bool { notes.notes.contains { $0.message.contains(text) } }
}
