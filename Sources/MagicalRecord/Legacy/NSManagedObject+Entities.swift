import CoreData

extension NSManagedObject {
    /// Returns the entity's name: the one that the class declares (``MagicalRecord/EntityNaming``), else the class's name
    /// without its module.
    @discardableResult
    public class func mr_entityName() -> String { EntityLookup.name(of: self) }

    /// Returns the batch size of sorted requests: 20 by default, one value for all entities.
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

    /// Returns the entity of this class in the model of a context, by default the current thread's; nil if there is none.
    #if canImport(ObjectiveC)
    @objc(MR_entityDescriptionInContext:)
    #endif
    @discardableResult
    public class func mr_entityDescription(in context: NSManagedObjectContext = .currentThread) -> NSEntityDescription?
    {
        try? EntityLookup.entity(for: self, in: context)
    }

    /// Returns the properties with these names, in this order. Unknown names are omitted, with a warning in the log.
    @discardableResult
    public class func mr_propertiesNamed(
        _ properties: [String], in context: NSManagedObjectContext = .currentThread
    ) -> [NSPropertyDescription]? {
        guard let entity = mr_entityDescription(in: context) else { return [] }
        return properties.compactMap { name in
            let property = entity.propertiesByName[name]
            if property == nil { Log.warn("\(mr_entityName()) has no property named \(name)") }
            return property
        }
    }

    /// Returns an ascending sort descriptor for each name.
    #if canImport(ObjectiveC)
    @objc(MR_ascendingSortDescriptors:)
    #endif
    @discardableResult
    public class func mr_ascendingSortDescriptors(_ attributesToSortBy: [String]) -> [NSSortDescriptor] {
        attributesToSortBy.map { NSSortDescriptor(key: $0, ascending: true) }
    }

    /// Returns a descending sort descriptor for each name.
    #if canImport(ObjectiveC)
    @objc(MR_descendingSortDescriptors:)
    #endif
    @discardableResult
    public class func mr_descendingSortDescriptors(_ attributesToSortBy: [String]) -> [NSSortDescriptor] {
        attributesToSortBy.map { NSSortDescriptor(key: $0, ascending: false) }
    }
}
