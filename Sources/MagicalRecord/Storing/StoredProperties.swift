import CoreData

/// The properties with the wrapper `@Stored` of a class, which note themselves while an object of it is created.
enum StoredProperties {
    /// A property, without the type of its values.
    struct Property {
        let key: String
        let coding: any StoredCoding.Type
        let valueType: Any.Type
    }

    private final class Collection {
        var properties: [Property] = []
    }

    private static let collection = ThreadValue<Collection>()

    /// Notes a property that is created, if an object is created to look for them.
    static func note(_ key: String, _ coding: any StoredCoding.Type, _ valueType: Any.Type) {
        collection.current?.properties.append(Property(key: key, coding: coding, valueType: valueType))
    }

    /// Creates an object without a context. Returns it with its properties, including those of superclasses.
    static func object<Object: NSManagedObject>(
        of type: Object.Type, _ entity: NSEntityDescription
    ) -> (object: Object, properties: [Property]) {
        let found = Collection()
        let object = collection.with(found) { type.init(entity: entity, insertInto: nil) }
        return (object, found.properties)
    }

    private static let known = Locked<[ObjectIdentifier: [String: any StoredCoding.Type]]>([:])

    /// Returns the codings of the stored properties of an entity's class, by their keys. Creates one object of each class, without
    /// a context.
    static func codings(of entity: NSEntityDescription) -> [String: any StoredCoding.Type] {
        // The subentity's class inherits the properties of an abstract entity, which may have no objects.
        guard let entity = entity.isAbstract ? entity.concreteDescendants.first : entity,
            let type = objectClass(of: entity), type != NSManagedObject.self
        else { return [:] }
        if let codings = known.withLock({ $0[ObjectIdentifier(type)] }) { return codings }
        let properties = object(of: type, entity).properties
        let codings = Dictionary(properties.map { ($0.key, $0.coding) }, uniquingKeysWith: { first, _ in first })
        known.withLock { $0[ObjectIdentifier(type)] = codings }
        return codings
    }

    private static func objectClass(of entity: NSEntityDescription) -> NSManagedObject.Type? {
        #if canImport(ObjectiveC)
        NSClassFromString(entity.managedObjectClassName) as? NSManagedObject.Type
        #else
        ManagedObjectClassRegistry.managedObjectClass(named: entity.managedObjectClassName)
        #endif
    }
}
