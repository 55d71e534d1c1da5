import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// The existing models of the process, newest last, in which entities are looked up by class.
enum LoadedModels {
    private static let models = Locked<ContiguousArray<SharedHandle>>([])

    /// Registers a model with a weak reference.
    static func add(_ model: NSManagedObjectModel) {
        models.withLock { models in
            models.removeAll { Self.model($0) == nil }
            models.append(model.handle.shared)
        }
    }

    /// The existing models: those in use by a coordinator first, newer before older.
    static var all: [NSManagedObjectModel] {
        let alive = models.withLock { $0.compactMap(Self.model) }.reversed()
        return alive.filter(\.isFrozen) + alive.filter { !$0.isFrozen }
    }

    private static func model(_ handle: SharedHandle) -> NSManagedObjectModel? { WeakHandle(handle).object }

    /// Returns the entity with exactly this class, in any existing model.
    ///
    /// If several models have one, a model in use takes precedence over others, and a newer model over an older one.
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

/// Classes used by several entities; a warning is logged once for each.
enum AmbiguousClasses {
    /// The classes checked, by address, with the entity chosen at the last check.
    private static let examined = Locked([Int: ObjectIdentifier](minimumCapacity: 12))
    private static let warned = Locked<Set<Int>>([])

    /// Logs a warning if other entities of the chosen one's model, or of other models in use, have the same class.
    static func examine(
        _ type: NSManagedObject.Type, _ chosen: NSEntityDescription,
        in models: @autoclosure () -> [NSManagedObjectModel]
    ) {
        let address = Int(bitPattern: ObjectIdentifier(type))
        let isNew = examined.withLock { $0.updateValue(ObjectIdentifier(chosen), forKey: address) }
        guard isNew != ObjectIdentifier(chosen) else { return }
        // Resolving a class name is slow, so only classes with the same bare name, or registered ones, are resolved.
        let bareName = chosen.storedClassName.map(ProgramClasses.bareName)
        func mayBeOfThatClass(_ name: String) -> Bool {
            ProgramClasses.bareName(name) == bareName || ManagedObjectClassRegistry.isRegistered(name)
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
    /// Returns the model's entity with exactly this class.
    ///
    /// An entity with a class name that resolves to the class takes precedence over one with a class of the same bare name. A
    /// frozen model caches the result.
    func entity(for type: NSManagedObject.Type) -> NSEntityDescription? {
        guard type != NSManagedObject.self else { return nil }
        let identity = Int(bitPattern: ObjectIdentifier(type))
        if let name = memory.withLock({ entityNamesByClass[identity] }) { return entity(named: name) }
        ManagedObjectClassRegistry.note(type)
        let bareName = String(describing: type)
        let candidates = storedEntities.filter {
            $0.storedClassName.map(ProgramClasses.bareName) == bareName
        }
        let entity = candidates.first { $0.managedObjectClass == type } ?? candidates.first
        if isFrozen, let name = entity?.name { memory.withLock { entityNamesByClass[identity] = name } }
        return entity
    }
}
