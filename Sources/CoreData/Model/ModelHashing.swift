import CoreDataRowStorage
import Foundation
import ModelFormat

extension NSManagedObjectModel {
    /// The version hash of each entity, 32 bytes by name: the same as Apple's tools compute.
    ///
    /// Costs a walk over all properties; a frozen model computes them once. A model read from a compiled file of ours has
    /// them from there, until it is edited.
    public var entityVersionHashesByName: [String: Data] {
        memory.withLock {
            if let knownHashes { return knownHashes }
            let hashes = readHashes?.byName ?? computeHashes()
            if isFrozen || readHashes != nil { knownHashes = hashes }
            return hashes
        }
    }

    /// One text for all entity hashes, as staged migrations use it.
    public var versionChecksum: String { Model.versionChecksum(entityVersionHashesByName) }

    /// Whether a store with that metadata was written with these entities: the hash of each entity is there, and no
    /// other; of a named configuration, the hash of each of its entities, whatever else is there. A SQLite store that was
    /// destroyed is of no version, and becomes one of any model.
    public func isConfiguration(
        withName configuration: String?,
        compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        if StoreMetadata.areOfDestroyedStore(metadata) { return entities(forConfigurationName: configuration) != nil }
        return StoreVersionHashes.hashes(in: metadata).map { isConfiguration(configuration, ofVersion: $0) } ?? false
    }

    /// As ``isConfiguration(withName:compatibleWithStoreMetadata:)``, for the hashes in the metadata.
    func isConfiguration(_ configuration: String?, ofVersion stored: [String: Data]) -> Bool {
        guard let entities = entities(forConfigurationName: configuration) else { return false }
        let all = entityVersionHashesByName
        if definedConfiguration(configuration) == nil { return stored == all }
        return entities.allSatisfy { entity in entity.name.map { stored[$0] == all[$0] } ?? true }
    }

    /// The same, for hashes as they were read from a store.
    func isConfiguration(_ configuration: String?, ofVersion stored: EntityHashes) -> Bool {
        if definedConfiguration(configuration) == nil, let own = memory.withLock({ readHashes }) {
            return stored.isSame(as: own)
        }
        return isConfiguration(configuration, ofVersion: stored.byName)
    }

    /// The text of a store's `NSStoreModelVersionHashesDigest` for those hashes.
    static func versionHashesDigest(_ hashes: [String: Data]) -> String { Model.versionHashesDigest(hashes) }

    /// The text of a store's `NSStoreModelVersionChecksumKey` for those hashes.
    static func versionChecksum(_ hashes: [String: Data]) -> String { Model.versionChecksum(hashes) }

    /// Takes over hashes that are known to be those of the values this model was just made from.
    func remember(_ hashes: EntityHashes, of values: Model) {
        // The parts of a composite attribute do not tell their model when they are edited.
        let isPlain = values.entities.allSatisfy { $0.attributes.allSatisfy { $0.type != .composite } }
        guard isPlain, hashes.belong(to: values.entities) else { return }
        memory.withLock { readHashes = hashes }
    }

    /// To be called before anything changes that the hashes are made of.
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
            // The values come from linked descriptions: parents outside the model are all that can be missing.
            fatalError("The model's entities cannot be hashed: \(error). Add all superentities to the model.")
        }
    }
}

extension NSEntityDescription {
    /// The hash within the model, or of the entity with its ancestors where it is in none.
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
    /// The hash of the property by itself; empty for expressions, which are no part of a model.
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
