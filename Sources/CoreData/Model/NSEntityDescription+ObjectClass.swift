import CoreDataRuntimeSupport
import Foundation

extension NSEntityDescription {
    /// The class of the entity's objects; `NSManagedObject` if the program lacks the named class, as in Apple's framework. A
    /// frozen entity caches the result.
    var managedObjectClass: NSManagedObject.Type {
        guard let name = storedClassName else { return NSManagedObject.self }
        return resolving.withLock {
            if isFrozen, let known = resolvedClass,
                known.isFinal || known.generation == ManagedObjectClassRegistry.generation
            {
                return known.type
            }
            let generation = ManagedObjectClassRegistry.generation
            let found = ManagedObjectClassRegistry.resolve(name).type
            resolvedClass = ResolvedClass(
                type: found ?? NSManagedObject.self, isFinal: found != nil, generation: generation)
            return found ?? NSManagedObject.self
        }
    }

    /// The reason for which the entity's objects are plain managed objects although it names a class; nil if they are of that
    /// class.
    var missingClassReason: String? {
        guard let name = storedClassName, name != "NSManagedObject" else { return nil }
        switch ManagedObjectClassRegistry.resolve(name) {
        case .found: return nil
        case .missing: return "No class of the program is called \(name)."
        case .ambiguous(let names):
            return
                "The class name \(name) of the entity \(self.name ?? "?") may mean \(names.joined(separator: " or "))."
        }
    }

    /// Logs, once for each entity and class name, that the entity's objects are plain managed objects although it names a
    /// class.
    func warnOfMissingClass() {
        guard let reason = missingClassReason, let className = storedClassName else { return }
        let entity = name ?? "?"
        guard Self.warned.withLock({ $0.insert(entity + " " + className).inserted }) else { return }
        NSLog(
            "CoreData: warning: Unable to load class named '%@' for entity '%@'.  Class not found, using default "
                + "NSManagedObject instead. %@ %@",
            className, entity, reason, Self.classAdvice)
    }

    /// The recovery suggestion for a class that is not found.
    static let classAdvice =
        "Name the class with its module in the model, as Module.Class, or call ManagedObjectClassRegistry.register(_:named:)."

    private static let warned = Locked<Set<String>>([])
}

/// The result of looking up an entity's class, with the registry's generation at the time.
struct ResolvedClass {
    var type: NSManagedObject.Type
    /// Whether the class was found; if not, a later lookup may find it.
    var isFinal: Bool
    var generation: Int
}
