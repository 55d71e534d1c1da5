import CoreData
import Foundation
import Workloads

/// Core Data as programs use it: its public API, generated accessors, the view context on the main thread; and for a walk
/// through all objects MagicalRecord's function.
///
/// Nothing here is particular to this implementation, so that the same file measures Apple's on a Mac.
public final class CoreDataEngine: StoreEngine {
    public static let name = "coredata"
    public static let storeKind = StoreKind.coreData

    let container: NSPersistentContainer
    var context: NSManagedObjectContext { container.viewContext }

    /// Makes an empty store.
    public static func createStore(at url: URL) throws {
        try CoreDataEngine(storeAt: url, synchronous: .normal).close()
    }

    public init(storeAt url: URL, synchronous: Synchronous) throws {
        container = try Container.open(url, synchronous: synchronous)
    }

    public func close() throws {
        try Container.close(container)
    }

    func users(_ predicate: NSPredicate? = nil) -> NSFetchRequest<User> {
        User.request(predicate)
    }
}
