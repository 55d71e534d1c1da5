import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// Which class serves which type of store.
enum StoreRegistry {
    /// What was registered for a type, which may be nothing.
    private static let registered = Locked<[String: NSPersistentStore.Type?]>([:])

    private static let builtInTypes = [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType]

    private static func builtIn(_ type: String) -> NSPersistentStore.Type? {
        switch type {
        case NSSQLiteStoreType: SQLiteStore.self
        case NSInMemoryStoreType: InMemoryStore.self
        case NSBinaryStoreType: BinaryStore.self
        case NSXMLStoreType: XMLStore.self
        default: nil
        }
    }

    static var all: [String: NSPersistentStore.Type] {
        let types = Set(builtInTypes).union(registered.withLock { Array($0.keys) })
        return types.reduce(into: [:]) { $0[$1] = storeClass(for: $1) }
    }

    static func storeClass(for type: String) -> NSPersistentStore.Type? {
        registered.withLock { $0[type] } ?? builtIn(type)
    }

    static func register(_ storeClass: NSPersistentStore.Type?, for type: String) {
        registered.withLock { _ = $0.updateValue(storeClass, forKey: type) }
    }

    /// The type a class is registered under.
    static func type(of storeClass: NSPersistentStore.Type) -> String? {
        let types = registered.withLock { $0.isEmpty ? builtInTypes : builtInTypes + $0.keys }
        return types.lazy.filter { self.storeClass(for: $0) == storeClass }.min()
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
