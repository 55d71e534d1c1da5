import CoreData

extension MagicalRecord {
    /// A class that declares the name of its entity, for entities not named after their class.
    ///
    /// ```swift
    /// final class DifferentName: NSManagedObject, MagicalRecord.EntityNaming {
    ///     class func entityName() -> String { "EntityWithAnotherName" }
    /// }
    /// ```
    /// The original looked for a class method `entityName` in the Objective-C runtime (mogenerator's classes have one). Swift
    /// classes conform to this protocol instead; on Apple's platforms the runtime is consulted as well.
    public protocol EntityNaming: NSManagedObject {
        /// Returns the name of the entity in the model.
        static func entityName() -> String
    }
}

/// Finds the entity of a class.
enum EntityLookup {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let model: ObjectIdentifier
    }

    /// A class, because copying a weak reference is costly.
    private final class Entry {
        private(set) weak var model: NSManagedObjectModel?
        let entity: NSEntityDescription

        init(model: NSManagedObjectModel, entity: NSEntityDescription) {
            (self.model, self.entity) = (model, entity)
        }
    }

    private static let cache = Locked<[Key: Entry]>([:])

    /// Returns the name of the class's entity: that of an override of `MR_entityName`, else ``ownName(of:)``.
    static func name(of type: NSManagedObject.Type) -> String {
        overriddenName(of: type) ?? ownName(of: type)
    }

    /// Returns the name of the class's entity without calling an override of `MR_entityName`, as that method itself does: the
    /// declared name, the name in the default stack's model, or the class's name without its module.
    static func ownName(of type: NSManagedObject.Type) -> String {
        declaredName(of: type) ?? modelName(of: type) ?? shortName(of: type)
    }

    /// Returns the name of the class's entity in the model of the default stack, for entities not named after their class. The
    /// original's classes declare it by a class method, which only the Objective-C runtime can find.
    private static func modelName(of type: NSManagedObject.Type) -> String? {
        #if canImport(ObjectiveC)
        nil
        #else
        MagicalRecord.defaultStack.flatMap { try? entity(for: type, in: $0.mainContext) }?.name
        #endif
    }

    /// Returns the name that an override of `MR_entityName` returns; nil without an Objective-C runtime.
    private static func overriddenName(of type: NSManagedObject.Type) -> String? {
        #if canImport(ObjectiveC)
        ClassHooks.overriddenName(of: type)
        #else
        nil
        #endif
    }

    /// Returns the entity of `type` in the context's model: the one with the declared name, else the one named after the class,
    /// else the only one of this class.
    static func entity(for type: NSManagedObject.Type, in context: NSManagedObjectContext) throws
        -> NSEntityDescription
    {
        let model = try self.model(of: context)
        if let name = overriddenName(of: type) { return try entity(named: name, in: model) }
        let key = Key(type: ObjectIdentifier(type), model: ObjectIdentifier(model))
        if let entry = cache.withLock({ $0[key] }), entry.model === model { return entry.entity }
        #if !canImport(ObjectiveC)
        ManagedObjectClassRegistry.note(type)
        #endif
        let entity = try find(type, in: model)
        cache.withLock { entries in
            entries = entries.filter { $0.value.model != nil }
            entries[key] = Entry(model: model, entity: entity)
        }
        return entity
    }

    /// Returns the entity with a name in the context's model.
    static func entity(named name: String, in context: NSManagedObjectContext) throws -> NSEntityDescription {
        try entity(named: name, in: model(of: context))
    }

    private static func entity(named name: String, in model: NSManagedObjectModel) throws -> NSEntityDescription {
        guard let entity = model.entitiesByName[name] else { throw unknown(name, in: model) }
        return entity
    }

    static func model(of context: NSManagedObjectContext) throws -> NSManagedObjectModel {
        guard let coordinator = context.persistentStoreCoordinator else {
            throw MagicalRecordError(
                .missingContext, "The context has neither a parent nor a persistent store coordinator.",
                advice: "Use a context of a stack.")
        }
        return coordinator.managedObjectModel
    }

    private static func find(_ type: NSManagedObject.Type, in model: NSManagedObjectModel) throws
        -> NSEntityDescription
    {
        if let declared = declaredName(of: type) {
            return try entity(named: declared, in: model)
        }
        let short = shortName(of: type)
        if let entity = model.entitiesByName[short] { return entity }
        let className = ClassName.full(type)
        let candidates = model.entities.filter {
            $0.managedObjectClassName == className || $0.managedObjectClassName == short
        }
        guard let entity = candidates.first else { throw unknown(short, in: model) }
        guard candidates.count == 1 else {
            throw MagicalRecordError(
                .unknownEntity,
                "The class \(className) serves several entities: "
                    + candidates.compactMap(\.name).sorted().joined(separator: ", ") + ".",
                advice: "Say which one, with Query(entityNamed:) or by conforming to EntityNaming.")
        }
        return entity
    }

    private static func declaredName(of type: NSManagedObject.Type) -> String? {
        if let naming = type as? any MagicalRecord.EntityNaming.Type {
            let name = naming.entityName()
            if !name.isEmpty { return name }
        }
        #if canImport(ObjectiveC)
        return ClassHooks.generatedName(of: type)
        #else
        return nil
        #endif
    }

    private static func shortName(of type: NSManagedObject.Type) -> String {
        let full = ClassName.full(type)
        return full.split(separator: ".").last.map(String.init) ?? full
    }

    private static func unknown(_ name: String, in model: NSManagedObjectModel) -> MagicalRecordError {
        let known = model.entities.compactMap(\.name).sorted()
        return MagicalRecordError(
            .unknownEntity, "The model has no entity named \(name).",
            advice: known.isEmpty
                ? "The model is empty." : "It has: \(known.prefix(20).joined(separator: ", ")).",
            entity: name)
    }
}
