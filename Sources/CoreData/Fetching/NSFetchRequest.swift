import Foundation

/// A request for the objects of an entity.
///
/// All settings are inherited from ``FetchRequestBase``. Not thread-safe.
open class NSFetchRequest<ResultType>: FetchRequestBase where ResultType: NSFetchRequestResult {
    /// Creates a request without an entity; set one before use.
    public override init() {
        super.init()
        if let type = ResultType.self as? NSManagedObject.Type { ManagedObjectClassRegistry.note(type) }
    }

    override func makeEmpty() -> NSPersistentStoreRequest { NSFetchRequest<ResultType>() }

    /// Executes the request in the context of the innermost `perform` block that runs on this thread. Traps outside of such a
    /// block.
    ///
    /// - Throws: The errors of ``NSManagedObjectContext/fetch(_:)-(NSFetchRequest<T>)``.
    open func execute() throws -> [ResultType] {
        guard let context = NSManagedObjectContext.current else {
            fatalError("NSFetchRequest.execute() works only inside a block given to a context's perform(_:).")
        }
        return try context.fetch(self)
    }
}
