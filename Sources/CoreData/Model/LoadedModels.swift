import Foundation
import Synchronization

/// The models alive in this process, newest last: where entities are looked for by class.
enum LoadedModels {
    private static let models = Mutex<[WeakHandle<NSManagedObjectModel>]>([])

    /// Takes note of a model, without keeping it alive.
    static func add(_ model: NSManagedObjectModel) {
        models.withLock { models in
            models.removeAll { $0.object == nil }
            models.append(model.handle)
        }
    }

    /// The models alive: those in use by a coordinator first, newer before older.
    static var all: [NSManagedObjectModel] {
        let alive = models.withLock { $0.compactMap(\.object) }.reversed()
        return alive.filter(\.isFrozen) + alive.filter { !$0.isFrozen }
    }

    /// The entity whose objects are of exactly that class, in any model alive.
    ///
    /// Where several models have one, the model in use wins over others, and the newer over the older.
    static func entity(for type: NSManagedObject.Type) -> NSEntityDescription? {
        for model in all {
            if let entity = model.entity(for: type) { return entity }
        }
        return nil
    }
}

extension NSManagedObjectModel {
    /// The model's entity whose objects are of exactly that class.
    ///
    /// An entity whose class name resolves to the class wins; else one whose class is called as the class is. A frozen
    /// model remembers the answer.
    func entity(for type: NSManagedObject.Type) -> NSEntityDescription? {
        guard type != NSManagedObject.self else { return nil }
        let identity = ObjectIdentifier(type)
        if let name = entityNamesByClass.withLock({ $0[identity] }) { return entitiesByName[name] }
        ManagedObjectClassRegistry.note(type)
        let bareName = String(describing: type)
        let candidates = storedEntities.filter {
            $0.storedClassName.map(ManagedObjectClassRegistry.bareName) == bareName
        }
        let entity = candidates.first { $0.managedObjectClass == type } ?? candidates.first
        if isFrozen, let name = entity?.name { entityNamesByClass.withLock { $0[identity] = name } }
        return entity
    }
}
