import CoreData

/// The versions of a model that a program has, for reading stores of older versions.
package struct KnownVersions {
    /// The versions of a chain of migrations, or of the model's file, oldest first; empty if the model is merged of several.
    private let versions: MagicalRecord.ModelVersions
    /// Versions in all files of the model, and the current one, searched last.
    private let others: [MagicalRecord.ModelVersions]

    /// Finds the versions of a policy with a chain, or else those in the model's file.
    ///
    /// - Parameters:
    ///   - model: the source of the current model.
    ///   - current: the current model.
    ///   - migration: the policy.
    /// - Throws: ``MagicalRecordError/Code/modelNotFound`` if a version cannot be read.
    package init(
        of model: MagicalRecord.ModelSource, current: NSManagedObjectModel, _ migration: MagicalRecord.Migration
    ) throws {
        let files = try (model.bundles() ?? []).map { try MagicalRecord.ModelVersions(at: $0) }
        let chain = migration.preparation?.versions
        versions = chain ?? (files.count == 1 ? files[0] : MagicalRecord.ModelVersions([]))
        others = files + [MagicalRecord.ModelVersions([current])]
    }

    /// Returns the model that a store was written with, as automatic migration finds it, and the configuration that fits the
    /// store; nil if no version fits.
    package func model(
        ofStoreWith metadata: [String: Any], configuration: String?
    ) -> (model: NSManagedObjectModel, configuration: String?)? {
        guard let model = find(metadata, configuration) else { return nil }
        let isWhole = model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
        return (model, isWhole ? nil : configuration)
    }

    private func find(_ metadata: [String: Any], _ configuration: String?) -> NSManagedObjectModel? {
        for list in [versions] + others {
            if let index = list.index(ofStoreWith: metadata, configuration: configuration) { return list.models[index] }
        }
        if let model = NSManagedObjectModel(byMerging: others.flatMap(\.models), forStoreMetadata: metadata) {
            return model
        }
        for bundles in [nil, Bundle.allBundles + Bundle.allFrameworks] {
            if let model = NSManagedObjectModel.mergedModel(from: bundles, forStoreMetadata: metadata) { return model }
        }
        return nil
    }

    /// Returns the position of a version, from 1; nil if it is not in the list.
    package func position(of model: NSManagedObjectModel) -> Int? { versions.index(of: model).map { $0 + 1 } }

    /// Returns the versions from an older one to a newer one, both included; these two alone if their order is unknown.
    package func versions(from old: NSManagedObjectModel, to new: NSManagedObjectModel) -> [NSManagedObjectModel] {
        guard let start = versions.index(of: old), let end = versions.index(of: new), start < end else {
            return [old, new]
        }
        return [old] + versions.models[(start + 1)..<end] + [new]
    }
}
