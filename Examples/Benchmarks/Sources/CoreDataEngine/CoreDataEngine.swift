import CoreData
import Foundation
import Workloads

/// Core Data as programs use it: public API, generated accessors and the view context on the main thread. Only
/// ``iterate(batch:)`` uses MagicalRecord.
///
/// The code uses nothing specific to this implementation, so that it measures Apple's Core Data on a Mac.
public final class CoreDataEngine: StoreEngine {
    /// The name on the command line and in the table.
    public static let name = "coredata"
    /// The kind of file that the engine opens.
    public static let storeKind = StoreKind.coreData

    let container: NSPersistentContainer
    var context: NSManagedObjectContext { container.viewContext }

    /// Creates an empty store.
    public static func createStore(at url: URL) throws {
        try CoreDataEngine(storeAt: url, synchronous: .normal).close()
    }

    /// Opens a persistent container on the store.
    public init(storeAt url: URL, synchronous: Synchronous) throws {
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
