import CoreData
import Foundation
import Workloads

/// Core Data as programs use it: public API, generated accessors and the view context on the main thread. Only
/// ``iterate(batch:)`` uses MagicalRecord.
///
/// The code uses nothing specific to this implementation, so that it measures Apple's Core Data on a Mac.
public class CoreDataEngine: StoreEngine {
    /// The name on the command line and in the table.
    public class var name: String { "coredata" }
    /// The kind of file that the engine opens.
    public class var storeKind: StoreKind { .coreData }

    let container: NSPersistentContainer
    var context: NSManagedObjectContext { container.viewContext }

    /// Creates an empty store.
    public static func createStore(at url: URL) throws {
        try CoreDataEngine(storeAt: url, synchronous: .normal).close()
    }

    /// Opens a persistent container on the store.
    public required init(storeAt url: URL, synchronous: Synchronous) throws {
        container = try Container.open(url, synchronous: synchronous)
    }

    /// Resets the view context and removes the store.
    public func close() throws {
        try Container.close(container)
    }

    func users(_ predicate: NSPredicate? = nil) -> NSFetchRequest<User> {
        User.request(predicate)
    }
}

#if PostgreSQL
/// The same code over a store in a PostgreSQL database.
public final class PostgreSQLEngine: CoreDataEngine {
    /// The name on the command line and in the table.
    override public class var name: String { "postgresql" }
    /// The kind of store that the engine opens.
    override public class var storeKind: StoreKind { .postgreSQL }
}
#endif
