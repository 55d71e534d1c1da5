import Foundation

/// Checks that a kind of store can hold what a model asks for.
struct StoreFeatures {
    private let storeClass: NSPersistentStore.Type

    init(_ storeClass: NSPersistentStore.Type) { self.storeClass = storeClass }

    /// - Throws: `NSPersistentStoreIncompatibleSchemaError`, as Apple's stores do: only SQLite keeps uniqueness constraints
    ///   and derived and composite attributes.
    func check(_ model: NSManagedObjectModel, configuration: String?, at url: URL) throws {
        guard !storeClass.holdsEveryFeature else { return }
        var reasons: [String] = []
        for entity in model.entities(forConfigurationName: configuration) ?? [] {
            let name = entity.name ?? "?"
            if !entity.uniquenessConstraints.isEmpty { reasons.append("\(name) has uniqueness constraints") }
            for property in entity.properties {
                if property is NSDerivedAttributeDescription { reasons.append("\(name).\(property.name) is derived") }
                if property is NSCompositeAttributeDescription {
                    reasons.append("\(name).\(property.name) is composite")
                }
            }
        }
        guard let first = reasons.first else { return }
        throw CoreDataError.make(
            NSPersistentStoreIncompatibleSchemaError, description: "The store cannot hold objects of this model.",
            reason: "Only SQLite stores keep uniqueness constraints and derived and composite attributes: "
                + reasons.joined(separator: "; ") + ".",
            advice:
                "Use NSSQLiteStoreType (with the URL file:///dev/null for a store without a file), or put entities such "
                + "as the one in \"\(first)\" in a configuration of their own.",
            userInfo: [NSURLErrorKey: url])
    }
}
