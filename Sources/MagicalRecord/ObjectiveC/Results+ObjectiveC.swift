#if canImport(ObjectiveC)
import CoreData

extension NSManagedObject {
    /// The results of a request, whatever it asks for: objects, their IDs, or dictionaries. `nil` after an error.
    class func results(of request: MRFetchRequest, in context: NSManagedObjectContext) -> NSArray? {
        MagicalRecord.reporting { try context.runAndWait { try context.results(of: request) } } as NSArray?
    }

    /// The first result of a request, which is left as it is.
    class func firstResult(of request: MRFetchRequest, in context: NSManagedObjectContext) -> Any? {
        let limit = request.fetchLimit
        request.fetchLimit = 1
        defer { request.fetchLimit = limit }
        return MagicalRecord.reporting { try context.runAndWait { try context.results(of: request).first } } ?? nil
    }

    /// Imports records of any kind, in order: dictionaries together, other objects one by one.
    class func importRecords(_ list: NSArray, in context: NSManagedObjectContext) -> NSArray {
        if let records = list as? [[AnyHashable: Any]] { return mr_import(from: records, in: context) as NSArray }
        return (list as [AnyObject]).map { mr_import(from: $0 as Any, in: context) } as NSArray
    }

    /// An object of the entity in the thread's context that is in no context itself, as a `nil` context gave.
    class func createWithoutContext() -> Self? {
        mr_entityDescription().map { Self(entity: $0, insertInto: nil) }
    }
}
#endif
