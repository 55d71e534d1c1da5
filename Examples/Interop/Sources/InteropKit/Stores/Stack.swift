import CoreData
import Foundation

/// An open store with a context.
@MainActor
final class Stack {
    private let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    private var objects: [String: NSManagedObject] = [:]

    /// Opens a store and creates it if necessary.
    ///
    /// - Throws: Core Data's errors.
    init(_ store: URL, _ model: NSManagedObjectModel, tracksHistory: Bool, migrates: Bool = false) throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let options: [String: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: migrates),
            NSInferMappingModelAutomaticallyOption: NSNumber(value: migrates),
            NSPersistentHistoryTrackingKey: NSNumber(value: tracksHistory),
        ]
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store, options: options)
        context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        context.undoManager = nil
    }

    /// Closes the store. The stack must not be used afterwards.
    func close() throws {
        objects = [:]
        context.reset()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    var model: NSManagedObjectModel { coordinator.managedObjectModel }

    /// The entities that have no parent, by name.
    var roots: [String] { model.entities.filter { $0.superentity == nil }.compactMap(\.name).sorted() }

    /// Runs steps. The context is reset after each save, so that later steps read the store.
    ///
    /// - Throws: Core Data's errors, ``InteropError`` for a key without an object.
    func run(_ steps: [Step]) throws {
        for step in steps {
            switch step {
            case .insert(let entity, let key, let values): objects[key] = try insert(entity, key, values)
            case .upsert(let entity, let key, let values): _ = try insert(entity, key, values)
            case .set(let key, let attribute, let value):
                try set(attribute, of: object(key), to: value)
            case .link(let key, let relationship, let destinations):
                try link(object(key), relationship, destinations.map(object))
            case .delete(let key):
                context.delete(try object(key))
                context.processPendingChanges()
            case .save(let author):
                context.transactionAuthor = author
                try context.save()
                context.reset()
                objects = [:]
            }
        }
    }

    private func insert(_ entity: String, _ key: String, _ values: [String: Value]) throws -> NSManagedObject {
        // On a Mac, an unknown entity or attribute raises an exception, which would terminate the program.
        guard model.entitiesByName[entity] != nil else { throw InteropError("the model has no entity \(entity)") }
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        try set("key", of: object, to: .text(key))
        for (name, value) in values { try set(name, of: object, to: value) }
        return object
    }

    private func set(_ attribute: String, of object: NSManagedObject, to value: Value) throws {
        guard object.entity.attributesByName[attribute] != nil else {
            throw InteropError("the model has no attribute \(object.entity.name ?? "").\(attribute)")
        }
        object.setValue(value.object, forKey: attribute)
    }

    private func link(_ object: NSManagedObject, _ name: String, _ destinations: [NSManagedObject]) throws {
        guard let relationship = object.entity.relationshipsByName[name] else {
            throw InteropError("the model has no relationship \(object.entity.name ?? "").\(name)")
        }
        if !relationship.isToMany {
            object.setValue(destinations.first, forKey: name)
        } else if relationship.isOrdered {
            object.setValue(NSOrderedSet(array: destinations), forKey: name)
        } else {
            object.setValue(NSSet(array: destinations), forKey: name)
        }
    }

    private func object(_ key: String) throws -> NSManagedObject {
        if let object = objects[key] { return object }
        for root in roots {
            let request = NSFetchRequest<NSManagedObject>(entityName: root)
            request.predicate = NSPredicate(format: "key == %@", key)
            guard let found = try context.fetch(request).first else { continue }
            objects[key] = found
            return found
        }
        throw InteropError("there is no object with the key \(key)")
    }
}
