import Foundation
import Synchronization

/// Which class serves which type of store.
enum StoreRegistry {
    private static let classes = Locked(builtIn)

    private static var builtIn: [String: NSPersistentStore.Type] {
        var classes = [String: NSPersistentStore.Type](minimumCapacity: 8)
        classes[NSSQLiteStoreType] = SQLiteStore.self
        classes[NSInMemoryStoreType] = InMemoryStore.self
        classes[NSBinaryStoreType] = BinaryStore.self
        classes[NSXMLStoreType] = XMLStore.self
        return classes
    }

    static var all: [String: NSPersistentStore.Type] { classes.withLock { $0 } }

    static func storeClass(for type: String) -> NSPersistentStore.Type? { classes.withLock { $0[type] } }

    static func register(_ storeClass: NSPersistentStore.Type?, for type: String) {
        classes.withLock { $0[type] = storeClass }
    }

    /// The type a class is registered under.
    static func type(of storeClass: NSPersistentStore.Type) -> String? {
        classes.withLock { classes in
            classes.filter { $0.value == storeClass }.keys.min()
        }
    }

    /// - Throws: `NSPersistentStoreInvalidTypeError` for a type nobody registered.
    static func requireClass(for type: String) throws -> NSPersistentStore.Type {
        if let found = storeClass(for: type) { return found }
        let known = all.keys.sorted().joined(separator: ", ")
        throw CoreDataError.make(
            NSPersistentStoreInvalidTypeError, description: "There is no store type \"\(type)\".",
            reason: "No class is registered for the store type \"\(type)\".",
            advice: "Use one of \(known), or register a class with NSPersistentStoreCoordinator.registerStoreClass.")
    }
}
