import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// The models alive in this process, newest last: where entities are looked for by class.
enum LoadedModels {
    private static let models = Locked<ContiguousArray<SharedHandle>>([])

    /// Takes note of a model, without keeping it alive.
    static func add(_ model: NSManagedObjectModel) {
        models.withLock { models in
            models.removeAll { Self.model($0) == nil }
            models.append(model.handle.shared)
        }
    }

    /// The models alive: those in use by a coordinator first, newer before older.
    static var all: [NSManagedObjectModel] {
        let alive = models.withLock { $0.compactMap(Self.model) }.reversed()
        return alive.filter(\.isFrozen) + alive.filter { !$0.isFrozen }
    }

    private static func model(_ handle: SharedHandle) -> NSManagedObjectModel? { WeakHandle(handle).object }

    /// The entity whose objects are of exactly that class, in any model alive.
    ///
    /// Where several models have one, the model in use wins over others, and the newer over the older.
    static func entity(for type: NSManagedObject.Type) -> NSEntityDescription? {
        let models = all
        for model in models {
            guard let entity = model.entity(for: type) else { continue }
            AmbiguousClasses.examine(type, entity, in: models)
            return entity
        }
        return nil
    }
}

/// Classes that several entities claim, each of which is warned of once.
enum AmbiguousClasses {
    /// Classes by address, with the entity they were last looked at with.
    private static let examined = Locked([Int: ObjectIdentifier](minimumCapacity: 12))
    private static let warned = Locked<Set<Int>>([])

    /// Warns if other entities of the chosen one's model, or of other models in use, are of the class as well.
    static func examine(
        _ type: NSManagedObject.Type, _ chosen: NSEntityDescription,
        in models: @autoclosure () -> [NSManagedObjectModel]
    ) {
        let address = Int(bitPattern: ObjectIdentifier(type))
        let isNew = examined.withLock { $0.updateValue(ObjectIdentifier(chosen), forKey: address) }
        guard isNew != ObjectIdentifier(chosen) else { return }
        // Finding a class takes long, so only those are looked for that are called as this one is, or were registered.
        let bareName = chosen.storedClassName.map(ManagedObjectClassRegistry.bareName)
        func mayBeOfThatClass(_ name: String) -> Bool {
            ManagedObjectClassRegistry.bareName(name) == bareName || ManagedObjectClassRegistry.isRegistered(name)
        }
        let others = models().filter { $0.isFrozen || $0 === chosen.model }.flatMap(\.storedEntities).filter {
            $0 !== chosen && $0.storedClassName.map(mayBeOfThatClass) == true && $0.managedObjectClass == type
        }
        guard !others.isEmpty, warned.withLock({ $0.insert(address).inserted }) else { return }
        let claims = Set((others + [chosen]).compactMap(\.name)).sorted().joined(separator: ", ")
        NSLog(
            "CoreData: warning: Multiple NSEntityDescriptions claim the NSManagedObject subclass '%@' so +entity is "
                + "unable to disambiguate. Taken is %@ of %@. Load a model once only, or name the entity.",
            String(describing: type), chosen.name ?? "(null)", claims)
    }
}

extension NSManagedObjectModel {
    /// The model's entity whose objects are of exactly that class.
    ///
    /// An entity whose class name resolves to the class wins; else one whose class is called as the class is. A frozen
    /// model remembers the answer.
    func entity(for type: NSManagedObject.Type) -> NSEntityDescription? {
        guard type != NSManagedObject.self else { return nil }
        let identity = Int(bitPattern: ObjectIdentifier(type))
        if let name = memory.withLock({ entityNamesByClass[identity] }) { return entity(named: name) }
        ManagedObjectClassRegistry.note(type)
        let bareName = String(describing: type)
        let candidates = storedEntities.filter {
            $0.storedClassName.map(ManagedObjectClassRegistry.bareName) == bareName
        }
        let entity = candidates.first { $0.managedObjectClass == type } ?? candidates.first
        if isFrozen, let name = entity?.name { memory.withLock { entityNamesByClass[identity] = name } }
        return entity
    }
}
