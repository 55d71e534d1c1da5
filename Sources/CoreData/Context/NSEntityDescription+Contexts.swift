import Foundation

extension NSEntityDescription {
    /// Returns the entity with a name in the context's model, or nil if there is none.
    ///
    /// Traps when neither the context nor one of its parents has a coordinator.
    public class func entity(
        forEntityName entityName: String,
        in context: NSManagedObjectContext
    ) -> NSEntityDescription? {
        context.modelForLookup.entity(named: entityName)
    }

    /// Creates an object of the entity's class and inserts it into the context. Traps if the entity is unknown.
    ///
    /// In the contexts of a migration the object is a plain `NSManagedObject`.
    @discardableResult
    public class func insertNewObject(
        forEntityName entityName: String,
        into context: NSManagedObjectContext
    ) -> NSManagedObject {
        guard let entity = entity(forEntityName: entityName, in: context) else {
            fatalError("+entityForName: could not locate an entity named '\(entityName)' in this model.")
        }
        return withExtendedLifetime((entity, context)) {
            let type = context.makesPlainObjects ? NSManagedObject.self : entity.managedObjectClass
            return type.make(.entity(entity, context))
        }
    }
}

extension NSManagedObjectContext {
    /// The model of the coordinator of the context or of its nearest parent that has one.
    fileprivate var modelForLookup: NSManagedObjectModel {
        var current: NSManagedObjectContext? = self
        while let context = current {
            if let coordinator = context.persistentStoreCoordinator { return coordinator.managedObjectModel }
            current = context.parent
        }
        fatalError(
            "+entityForName: nil is not a legal NSPersistentStoreCoordinator for searching for an entity name. "
                + "Give the context a coordinator or a parent first.")
    }
}
