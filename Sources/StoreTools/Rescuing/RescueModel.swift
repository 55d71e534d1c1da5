import Foundation
import ModelFormat

extension RescueOperation {
    /// The model to write the new store with, and the parts of the damaged store's own description that fit it.
    struct ChosenModel {
        let model: Model
        /// True if the metadata can be copied, as far as they can be read.
        var keepsMetadata = true
        /// True if the model in the store can be copied.
        var keepsCache = true
    }

    /// Returns the model to write the new store with, compared with the metadata.
    static func model(_ rescue: StoreRescue, _ content: RescueContent, _ notes: RescueNotes) throws -> ChosenModel {
        let name = rescue.url.lastPathComponent
        guard let model = rescue.model ?? content.cachedModel else {
            throw StoreToolError(
                .noModel, "\(name) contains no model that can be read, and none was given.",
                advice: "Give the model with which the program made the store.", url: rescue.url)
        }
        var chosen = ChosenModel(model: model)
        guard let stored = content.hashes else { return chosen }
        let sums = [
            ("NSStoreModelVersionHashesDigest", Model.versionHashesDigest(stored)),
            ("NSStoreModelVersionChecksumKey", Model.versionChecksum(stored)),
        ].compactMap { key, sum in (content.metadata[key] as? String).map { $0 == sum } }
        let hashes = try versionHashes(model)
        let isOfModel =
            hashes == stored
            || model.configurations.contains { (try? model.versionHashes(configuration: $0.name)) == stored }
        if isOfModel {
            if sums.contains(false) {
                notes.add("The checksum of the version hashes in the metadata was wrong, and was computed again.")
                chosen.keepsMetadata = false
            }
            return chosen
        }
        if rescue.model != nil {
            let differing = Set(hashes.keys).union(stored.keys).filter { hashes[$0] != stored[$0] }.sorted()
            throw StoreToolError(
                .otherModel,
                "The given model is not that of \(name): it differs in \(differing.joined(separator: ", ")).",
                advice: content.cachedModel == nil
                    ? "Give the version of the model with which the store was made."
                    : "Leave out the model: the store contains its own.", url: rescue.url)
        }
        if !sums.isEmpty, !sums.contains(false) {
            // The metadata agree with themselves.
            notes.add(
                "The model in the store is damaged: the metadata have other version hashes. It was left out; give the "
                    + "program's model to write it as well.", isLoss: true)
            chosen.keepsCache = false
        } else {
            notes.add(
                "The version hashes of the metadata did not match the model in the store, and were computed again.")
            chosen.keepsMetadata = false
        }
        return chosen
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
        if let list = content.list, content.hashes != nil, chosen.keepsMetadata { return list }
        let hashes = try Self.versionHashes(model)
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
}
