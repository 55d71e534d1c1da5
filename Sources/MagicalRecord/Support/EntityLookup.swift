import CoreData

extension MagicalRecord {
    /// A class that says which entity it stands for, where that is not the name of the class.
    ///
    /// ```swift
    /// final class DifferentName: NSManagedObject, MagicalRecord.EntityNaming {
    ///     class func entityName() -> String { "EntityWithAnotherName" }
    /// }
    /// ```
    /// The original asked the Objective-C runtime whether the class has a class method `entityName` (mogenerator's
    /// classes do). Swift classes say so with this protocol; on Apple's platforms the runtime is asked as well.
    public protocol EntityNaming: NSManagedObject {
        /// The name of the entity in the model.
        static func entityName() -> String
    }
}

/// From a class to the entity it stands for.
enum EntityLookup {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let model: ObjectIdentifier
    }

    /// A class, since a weak reference is costly to copy.
    private final class Entry {
        private(set) weak var model: NSManagedObjectModel?
        let entity: NSEntityDescription

        init(model: NSManagedObjectModel, entity: NSEntityDescription) {
            (self.model, self.entity) = (model, entity)
        }
    }

    private static let cache = Locked<[Key: Entry]>([:])

    /// The name the class itself gives, or the last part of its own name.
    static func name(of type: NSManagedObject.Type) -> String {
        overriddenName(of: type) ?? ownName(of: type)
    }

    /// The same without asking for an override of `MR_entityName`: what that method itself returns.
    static func ownName(of type: NSManagedObject.Type) -> String {
        declaredName(of: type) ?? modelName(of: type) ?? shortName(of: type)
    }

    /// The name of the entity that has this class in the model of the default stack, where no entity has the class's name. The
    /// original's classes say it by a class method, which only the Objective-C runtime finds.
    private static func modelName(of type: NSManagedObject.Type) -> String? {
        #if canImport(ObjectiveC)
        nil
        #else
        MagicalRecord.defaultStack.flatMap { try? entity(for: type, in: $0.mainContext) }?.name
        #endif
    }

    /// What an override of `MR_entityName` returns, where there is an Objective-C runtime to override it in.
    private static func overriddenName(of type: NSManagedObject.Type) -> String? {
        #if canImport(ObjectiveC)
        ClassHooks.overriddenName(of: type)
        #else
        nil
        #endif
    }

    /// The entity `type` stands for in the context's model: the one whose name the class declares, else the one
    /// named like the class, else the only one that has this class.
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

    /// The entity with that name in the context's model.
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
