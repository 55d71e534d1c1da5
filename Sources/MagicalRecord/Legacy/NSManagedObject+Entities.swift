import CoreData

extension NSManagedObject {
    /// The entity's name: what the class says (``MagicalRecord/EntityNaming``), else the class's name without its module.
    @discardableResult
    public class func mr_entityName() -> String { EntityLookup.name(of: self) }

    /// How many objects the sorted requests read at a time: 20 unless set. One value for all entities.
    #if canImport(ObjectiveC)
    @objc(MR_defaultBatchSize)
    #endif
    @discardableResult
    public class func mr_defaultBatchSize() -> UInt { Options.current.batchSize }

    /// Sets ``mr_defaultBatchSize()``, for all entities.
    #if canImport(ObjectiveC)
    @objc(MR_setDefaultBatchSize:)
    #endif
    public class func mr_setDefaultBatchSize(_ newBatchSize: UInt) {
        Options.change { $0.batchSize = newBatchSize }
    }

    /// The entity this class stands for, or `nil` when the context's model has none.
    #if canImport(ObjectiveC)
    @objc(MR_entityDescriptionInContext:)
    #endif
    @discardableResult
    public class func mr_entityDescription(in context: NSManagedObjectContext) -> NSEntityDescription? {
        try? EntityLookup.entity(for: self, in: context)
    }

    /// The entity this class stands for in the thread's context.
    #if canImport(ObjectiveC)
    @objc(MR_entityDescription)
    #endif
    @discardableResult
    public class func mr_entityDescription() -> NSEntityDescription? {
        mr_entityDescription(in: ThreadContexts.current())
    }

    /// The properties of these names, in that order. Unknown names are left out, with a warning in the log.
    @discardableResult
    public class func mr_propertiesNamed(_ properties: [String], in context: NSManagedObjectContext)
        -> [NSPropertyDescription]?
    {
        guard let entity = mr_entityDescription(in: context) else { return [] }
        return properties.compactMap { name in
            let property = entity.propertiesByName[name]
            if property == nil { Log.warn("\(mr_entityName()) has no property named \(name)") }
            return property
        }
    }

    /// The properties of these names in the thread's context.
    @discardableResult
    public class func mr_propertiesNamed(_ properties: [String]) -> [NSPropertyDescription]? {
        mr_propertiesNamed(properties, in: ThreadContexts.current())
    }

    /// One ascending descriptor for each name.
    #if canImport(ObjectiveC)
    @objc(MR_ascendingSortDescriptors:)
    #endif
    @discardableResult
    public class func mr_ascendingSortDescriptors(_ attributesToSortBy: [String]) -> [NSSortDescriptor] {
        attributesToSortBy.map { NSSortDescriptor(key: $0, ascending: true) }
    }

    /// One descending descriptor for each name.
    #if canImport(ObjectiveC)
    @objc(MR_descendingSortDescriptors:)
    #endif
    @discardableResult
    public class func mr_descendingSortDescriptors(_ attributesToSortBy: [String]) -> [NSSortDescriptor] {
        attributesToSortBy.map { NSSortDescriptor(key: $0, ascending: false) }
    }
}
