import CoreData

extension StoredProperties {
    private static let known = Locked<[ObjectIdentifier: [String: any StoredCoding.Type]]>([:])

    /// Returns the codings of the stored properties of an entity's class, by their keys. Creates one object of each class, without
    /// a context.
    static func codings(of entity: NSEntityDescription) -> [String: any StoredCoding.Type] {
        // The subentity's class inherits the properties of an abstract entity, which may have no objects.
        guard let entity = entity.isAbstract ? entity.concreteDescendants.first : entity,
            let type = objectClass(of: entity), type != NSManagedObject.self
        else { return [:] }
        if let codings = known.withLock({ $0[ObjectIdentifier(type)] }) { return codings }
        let properties = all(of: type.init(entity: entity, insertInto: nil))
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
