import Foundation

/// The entity a batch request is for: known, or only by name until the request is executed.
struct BatchEntity {
    var name: String
    var entity: NSEntityDescription?

    init(name: String) {
        self.name = name
    }

    init(_ entity: NSEntityDescription) {
        name = entity.name ?? ""
        self.entity = entity
    }

    /// The entity, looked up by name where only the name is known; remembered then.
    ///
    /// Throws `NSCoreDataError` when the model has none of that name.
    mutating func resolve(in model: NSManagedObjectModel) throws -> NSEntityDescription {
        if let entity { return entity }
        guard let found = model.entitiesByName[name] else {
            throw CoreDataError.make(
                NSCoreDataError, description: "The model has no entity named '\(name)'.",
                reason: "Could not locate an NSEntityDescription for entity name '\(name)'",
                advice: "Check the entity's name against the model.", entity: name)
        }
        entity = found
        return found
    }
}
