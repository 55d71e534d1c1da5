import Foundation

/// A request for the objects of an entity.
///
/// All of what it says is inherited from `FetchRequestBase`. Not thread-safe.
open class NSFetchRequest<ResultType>: FetchRequestBase where ResultType: NSFetchRequestResult {
    /// A request without an entity; set one before use.
    public override init() {
        super.init()
        if let type = ResultType.self as? NSManagedObject.Type { ManagedObjectClassRegistry.note(type) }
    }

    override func makeEmpty() -> NSPersistentStoreRequest { NSFetchRequest<ResultType>() }

    /// Executes the request in the context whose `perform` block is running; traps outside of one.
    open func execute() throws -> [ResultType] {
        guard let context = NSManagedObjectContext.current else {
            fatalError("NSFetchRequest.execute() works only inside a block given to a context's perform(_:).")
        }
        return try context.fetch(self)
    }
}
