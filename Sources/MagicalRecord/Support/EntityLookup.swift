import CoreData

extension MagicalRecord {
    /// The protocol that every managed object class conforms to.
    ///
    /// The framework's finders are declared on this protocol, since a class method cannot return an array of `Self` but a
    /// protocol's can: `User.findAll()` returns `[User]`. Do not conform to it; there is no need to name it.
    public protocol ManagedObject: NSManagedObject {}

    /// A class that declares the name of its entity, for entities not named after their class.
    ///
    /// ```swift
    /// final class DifferentName: NSManagedObject, MagicalRecord.EntityNaming {
    ///     class func entityName() -> String { "EntityWithAnotherName" }
    /// }
    /// ```
    /// On Apple's platforms a class method `entityName` that Objective-C finds, as mogenerator's classes have, is enough.
    public protocol EntityNaming: NSManagedObject {
        /// Returns the name of the entity in the model.
        static func entityName() -> String
    }
}

extension NSManagedObject: MagicalRecord.ManagedObject {}

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

        init(model: NSManagedObjectModel, entity: NSEntityDescription) { (self.model, self.entity) = (model, entity) }
    }

    private static let cache = Locked<[Key: Entry]>([:])

    /// Returns the name of the class's entity: that of an override of `MR_entityName`, else ``ownName(of:)``.
    static func name(of type: NSManagedObject.Type) -> String {
        #if canImport(ObjectiveC)
        if let name = ClassHooks.overriddenName(of: type) { return name }
        #endif
        return ownName(of: type)
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

    /// Returns the entity of `type` in the context's model: the one with the declared name, else the one named after the class,
    /// else the only one of this class.
    static func entity(for type: NSManagedObject.Type, in context: NSManagedObjectContext) throws
        -> NSEntityDescription
    {
        let model = try self.model(of: context)
        #if canImport(ObjectiveC)
        if let name = ClassHooks.overriddenName(of: type) { return try entity(named: name, in: model) }
        #endif
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
        if let declared = declaredName(of: type) { return try entity(named: declared, in: model) }
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
        let name = (type as? any MagicalRecord.EntityNaming.Type)?.entityName()
        if let name, !name.isEmpty { return name }
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
            advice: known.isEmpty ? "The model is empty." : "It has: \(known.prefix(20).joined(separator: ", ")).",
            entity: name)
    }
}

/// Determines the names of classes.
enum ClassName {
    /// Returns the name as `NSStringFromClass` does: `Module.Class`.
    ///
    /// Off Apple's platforms, the first call of that function builds a table of all of Foundation's classes, which takes longer
    /// than opening a store.
    static func full(_ type: AnyClass) -> String {
        #if canImport(ObjectiveC)
        NSStringFromClass(type)
        #else
        _typeName(type, qualified: true)
        #endif
    }
}
