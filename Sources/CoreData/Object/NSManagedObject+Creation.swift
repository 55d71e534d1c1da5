import CoreDataRuntimeSupport

// Creation of objects other than by the designated initializer.

/// A protocol that makes `T(context:)` and `T(entity:insertInto:)` available for any subclass, also through its metatype.
public protocol _ManagedObjectFactory {}

extension NSManagedObject: _ManagedObjectFactory {}

extension _ManagedObjectFactory where Self: NSManagedObject {
    // An initializer cannot tell the class it was called through, which may be a subclass of `Self`; a static method can. Both
    // have the same calling convention, so each initializer is declared with the symbol of a method.

    /// Creates an object of the entity that names this class, and inserts it into the context.
    ///
    /// Traps if no loaded model has such an entity.
    @_silgen_name("CoreData_objectInContext")
    public init(context moc: __shared NSManagedObjectContext)

    @_silgen_name("CoreData_objectInContext")
    @usableFromInline static func _object(_ context: __shared NSManagedObjectContext) -> Self {
        let entity = self.entity(in: context)
        return withExtendedLifetime(entity) { make(.entity(entity, context)) }
    }

    /// Creates an object of an entity and inserts it into the context, if there is one.
    @_silgen_name("CoreData_objectOfEntity")
    public init(entity: __shared NSEntityDescription, insertInto context: __shared NSManagedObjectContext?)

    @_silgen_name("CoreData_objectOfEntity")
    @usableFromInline static func _object(
        _ entity: __shared NSEntityDescription, _ context: __shared NSManagedObjectContext?
    ) -> Self {
        make(.entity(entity, context))
    }
}

extension NSManagedObject {
    /// Creates an object by the class's `init(entity:insertInto:)`.
    ///
    /// Swift calls an initializer through a class value only if every subclass must declare it, which Apple's does not require
    /// of classes with other designated initializers. So this is an alias of ``init(_source:)`` as called through a class
    /// value. Stops the program, as on Apple's platforms, for a class that has other designated initializers and does not
    /// override `init(entity:insertInto:)`: "Use of unimplemented initializer".
    @_silgen_name("$s8CoreData15NSManagedObjectC7_sourceAcA01_D6SourceVh_tcfC")
    static func make(_ source: __shared _ObjectSource) -> Self
}

/// The arguments for creating an object; used by this module only, and only during the call they are passed to.
@usableFromInline struct _ObjectSource: @unchecked Sendable {
    let kind: Kind
    let table: EntityTable?
    unowned(unsafe) let entity: NSEntityDescription?
    unowned(unsafe) let context: NSManagedObjectContext?

    enum Kind {
        case fault, entity, recorder
    }

    @inline(__always)
    static func fault(_ table: EntityTable) -> _ObjectSource {
        _ObjectSource(kind: .fault, table: table, entity: nil, context: nil)
    }
    @inline(__always)
    static func entity(_ entity: NSEntityDescription, _ context: NSManagedObjectContext?) -> _ObjectSource {
        _ObjectSource(kind: .entity, table: nil, entity: entity, context: context)
    }
    static let recorder = _ObjectSource(kind: .recorder, table: nil, entity: nil, context: nil)
}

extension NSManagedObject {
    /// Returns the entity of this class in a context's model, or in any loaded model if that has none.
    static func entity(in context: NSManagedObjectContext) -> NSEntityDescription {
        if let last = context.registry.entity(ofLastMade: self) { return last }
        if MethodOverrides.namesEntity(self) { return entity() }
        if let model = context.persistentStoreCoordinator?.managedObjectModel,
            let entity = model.entities.first(where: { $0.managedObjectClass == self })
        {
            AmbiguousClasses.examine(self, entity, in: [model])
            context.registry.note(making: self, entity)
            return entity
        }
        return entity()
    }
}

extension NSManagedObject {
    static func loadedEntity() -> NSEntityDescription {
        MethodOverrides.noteUnnamedEntity()
        if let entity = LoadedModels.entity(for: self) { return entity }
        NSLog(
            "CoreData: error: No NSEntityDescriptions in any model claim the NSManagedObject subclass '%@' so +entity is confused. "
                + "Have you loaded your NSManagedObjectModel yet, and does an entity name this class?",
            String(describing: self))
        return MissingEntities.entity(for: self)
    }
}

/// Placeholders for the entities of classes that no model names. They have no name and no model; using one fails.
enum MissingEntities {
    private static let known = Locked<[Int: NSEntityDescription]>([:])

    static func entity(for type: NSManagedObject.Type) -> NSEntityDescription {
        known.withLock { known in
            let address = Int(bitPattern: ObjectIdentifier(type))
            if let entity = known[address] { return entity }
            let entity = NSEntityDescription()
            entity.managedObjectClassName = _typeName(type, qualified: true)
            known[address] = entity
            return entity
        }
    }
}

/// The model of objects that record key paths: one entity without properties.
enum RecorderModel {
    static let entity: NSEntityDescription = {
        let entity = NSEntityDescription()
        entity.name = "KeyPathRecorder"
        let model = NSManagedObjectModel()
        model.entities = [entity]
        retained = model
        return entity
    }()
    private nonisolated(unsafe) static var retained: NSManagedObjectModel?
}
