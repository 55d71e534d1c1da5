import CoreDataRowStorage
import Foundation
import ModelFormat

extension NSManagedObjectModel {
    /// The version hash of each entity, 32 bytes by name: the same hashes that Apple's tools compute.
    ///
    /// Cost: iterates over all properties, once for a frozen model. A model read from a file compiled by this package reads the
    /// hashes from the file, until it is edited.
    public var entityVersionHashesByName: [String: Data] {
        memory.withLock {
            if let knownHashes { return knownHashes }
            let hashes = readHashes?.byName ?? computeHashes()
            if isFrozen || readHashes != nil { knownHashes = hashes }
            return hashes
        }
    }

    /// The checksum of all entity hashes, as text, which staged migrations use.
    public var versionChecksum: String { Model.versionChecksum(entityVersionHashesByName) }

    /// Returns whether a store with this metadata was written with the entities of a configuration.
    ///
    /// Without a named configuration, the metadata must contain the hash of every entity and no others; with one, the hash of
    /// each of its entities. A destroyed SQLite store has no version and matches every model.
    public func isConfiguration(
        withName configuration: String?,
        compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        if StoreMetadata.areOfDestroyedStore(metadata) { return entities(forConfigurationName: configuration) != nil }
        return StoreVersionHashes.hashes(in: metadata).map { isConfiguration(configuration, ofVersion: $0) } ?? false
    }

    /// Returns whether version hashes match a configuration, like ``isConfiguration(withName:compatibleWithStoreMetadata:)``.
    func isConfiguration(_ configuration: String?, ofVersion stored: [String: Data]) -> Bool {
        guard let entities = entities(forConfigurationName: configuration) else { return false }
        let all = entityVersionHashesByName
        if definedConfiguration(configuration) == nil { return stored == all }
        return entities.allSatisfy { entity in entity.name.map { stored[$0] == all[$0] } ?? true }
    }

    /// Returns whether version hashes as read from a store match a configuration.
    func isConfiguration(_ configuration: String?, ofVersion stored: EntityHashes) -> Bool {
        if definedConfiguration(configuration) == nil, let own = memory.withLock({ readHashes }) {
            return stored.isSame(as: own)
        }
        return isConfiguration(configuration, ofVersion: stored.byName)
    }

    /// Returns the value of a store's `NSStoreModelVersionHashesDigest` for version hashes.
    static func versionHashesDigest(_ hashes: [String: Data]) -> String { Model.versionHashesDigest(hashes) }

    /// Returns the value of a store's `NSStoreModelVersionChecksumKey` for version hashes.
    static func versionChecksum(_ hashes: [String: Data]) -> String { Model.versionChecksum(hashes) }

    /// Stores hashes known to be those of the values from which this model was just created.
    func remember(_ hashes: EntityHashes, of values: Model) {
        // Elements of a composite attribute do not invalidate the model's hashes when they are edited.
        let isPlain = values.entities.allSatisfy { $0.attributes.allSatisfy { $0.type != .composite } }
        guard isPlain, hashes.belong(to: values.entities) else { return }
        memory.withLock { readHashes = hashes }
    }

    /// Discards the version hashes. Must be called before a change to anything that they cover.
    final func forgetHashes() {
        memory.withLock {
            knownHashes = nil
            readHashes = nil
        }
    }

    private func computeHashes() -> [String: Data] {
        do {
            return try Model(entities: storedEntities.map(ModelValues.hashedEntity)).versionHashes()
        } catch {
            // The values come from linked descriptions, so only parents outside the model can be missing.
            fatalError("The model's entities cannot be hashed: \(error). Add all superentities to the model.")
        }
    }
}

extension NSEntityDescription {
    /// Returns the entity's hash within its model, or, if it has none, the hash of the entity with its ancestors.
    func computedVersionHash() -> Data {
        guard let name else { return Data() }
        if let model { return model.entityVersionHashesByName[name] ?? Data() }
        var lineage: [NSEntityDescription] = [self]
        while let parent = lineage.last?.parent { lineage.append(parent) }
        let hashes = try? Model(entities: lineage.map(ModelValues.hashedEntity)).versionHashes()
        return hashes?[name] ?? Data()
    }
}

extension NSPropertyDescription {
    /// Returns the hash of the property alone; empty for expressions, which are not part of a model.
    func computedVersionHash() -> Data {
        switch self {
        case let attribute as NSAttributeDescription: ModelValues.attribute(attribute).versionHash
        case let relationship as NSRelationshipDescription:
            ModelValues.relationship(relationship)
                .versionHash(isOwnInverse: relationship.inverseRelationship === relationship)
        case let property as NSFetchedPropertyDescription: ModelValues.fetchedProperty(property).versionHash
        default: Data()
        }
    }
}
