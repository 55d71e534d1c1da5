#if canImport(ObjectiveC)
import CoreData

extension NSManagedObject {
    /// Returns the results of a request of any result type: objects, object IDs or dictionaries; nil after an error.
    class func results(of request: MRFetchRequest, in context: NSManagedObjectContext) -> NSArray? {
        MagicalRecord.reporting { try context.runAndWait { try context.results(of: request) } } as NSArray?
    }

    /// Returns the first result of a request, or nil. The request's limit stays unchanged.
    class func firstResult(of request: MRFetchRequest, in context: NSManagedObjectContext) -> Any? {
        let limit = request.fetchLimit
        request.fetchLimit = 1
        defer { request.fetchLimit = limit }
        return MagicalRecord.reporting { try context.runAndWait { try context.results(of: request).first } } ?? nil
    }

    /// Imports records in order: an array of dictionaries as a whole, other objects one by one.
    class func importRecords(_ list: NSArray, in context: NSManagedObjectContext) -> NSArray {
        if let records = list as? [[AnyHashable: Any]] { return mr_import(from: records, in: context) as NSArray }
        return (list as [AnyObject]).map { mr_import(from: $0 as Any, in: context) } as NSArray
    }

    /// Creates an object without a context, of the entity in the current thread's context: Objective-C may pass a nil context.
    class func createWithoutContext() -> Self? {
        mr_entityDescription().map { Self(entity: $0, insertInto: nil) }
    }
}
#endif
