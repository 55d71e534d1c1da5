import CoreDataRowStorage
import Foundation

/// The differences between a model and the model version of a store, as text for error messages.
struct VersionDifference {
    let model: NSManagedObjectModel
    let configuration: String?
    let metadata: [String: Any]
    /// The model of the store, if known.
    let stored: NSManagedObjectModel?

    /// The recovery suggestion for a store that does not fit the model.
    var advice: String {
        if model.entities.isEmpty {
            return
                "The model has no entities, and would leave nothing of the store\(inBrackets). Load the model from its file, "
                + "and check that the program's resources have it."
        }
        return "Open the store with the model it was made with, or migrate it by setting "
            + "NSMigratePersistentStoresAutomaticallyOption and NSInferMappingModelAutomaticallyOption\(inBrackets)."
    }

    /// The differences in parentheses, preceded by a space; empty if there are none.
    var inBrackets: String {
        let old = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let new = model.versionHashes(forConfiguration: configuration)
        var parts: [String] = []
        func add(_ title: String, _ names: [String]) {
            if !names.isEmpty { parts.append("\(title): \(names.listed())") }
        }
        // A store of a configuration also has the hashes of entities that are not in it.
        if model.definedConfiguration(configuration) == nil {
            add("entities only in the store", old.keys.filter { new[$0] == nil }.sorted())
        }
        add("entities only in the model", new.keys.filter { old[$0] == nil }.sorted())
        let changed = new.keys.filter { old[$0] != nil && old[$0] != new[$0] }.sorted()
        add("entities that differ", changed.map { $0 + (changes(of: $0, from: old[$0]) ?? "") })
        return parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
    }

    /// Returns the differences between an entity and the store's version of it, in parentheses; nil if the store's version is
    /// unknown, or no difference is found.
    private func changes(of name: String, from hash: Data?) -> String? {
        guard let old = stored?.entitiesByName[name], old.versionHash == hash, let new = model.entitiesByName[name]
        else { return nil }
        let before = old.propertiesByName
        let after = new.propertiesByName
        var parts: [String] = []
        func add(_ title: String, _ names: [String]) {
            if !names.isEmpty { parts.append("\(title) \(names.sorted().listed())") }
        }
        add("without", after.keys.filter { before[$0] == nil })
        add("with", before.keys.filter { after[$0] == nil })
        add(
            "another",
            after.keys.filter { key in before[key].map { $0.versionHash != after[key]?.versionHash } ?? false })
        return parts.isEmpty ? nil : " (the store's is \(parts.joined(separator: ", ")))"
    }
}
