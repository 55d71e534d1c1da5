import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// The store classes by store type: built-in ones and those that programs register.
enum StoreRegistry {
    /// The registrations by type; a nil class unregisters a built-in type.
    private static let registered = Locked<[String: NSPersistentStore.Type?]>([:])

    private static let builtInTypes: [String] = {
        let types = [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType]
        #if PostgreSQL
        return types + [CoreDataPostgreSQLStoreType]
        #else
        return types
        #endif
    }()

    private static func builtIn(_ type: String) -> NSPersistentStore.Type? {
        switch type {
        case NSSQLiteStoreType: SQLiteStore.self
        case NSInMemoryStoreType: InMemoryStore.self
        case NSBinaryStoreType: BinaryStore.self
        case NSXMLStoreType: XMLStore.self
        #if PostgreSQL
        case CoreDataPostgreSQLStoreType: PostgreSQLStore.self
        #endif
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

    /// Returns the type that a class is registered for; the alphabetically first if there are several.
    static func type(of storeClass: NSPersistentStore.Type) -> String? {
        let types = registered.withLock { $0.isEmpty ? builtInTypes : builtInTypes + $0.keys }
        return types.lazy.filter { self.storeClass(for: $0) == storeClass }.min()
    }

    // MARK: URL schemes

    /// The types of servers' stores by URL scheme. They have names without the trait too, so that errors can name it.
    private static let builtInTypesByScheme = [
        "postgresql": CoreDataPostgreSQLStoreType, "postgres": CoreDataPostgreSQLStoreType,
    ]

    /// The store types with URL schemes other than `file`, by scheme. Registered types come before built-in ones.
    private static var typesByScheme: [String: String] {
        let types = registered.withLock { $0 }
        return types.reduce(into: builtInTypesByScheme) { all, entry in
            for scheme in entry.value?.urlSchemes ?? [] { all[scheme] = entry.key }
        }
    }

    /// Returns the store type for the scheme of a URL: SQLite for files and for unknown schemes.
    static func type(at url: URL?) -> String {
        guard let url, !url.isFileURL, let scheme = url.scheme?.lowercased() else { return NSSQLiteStoreType }
        return typesByScheme[scheme] ?? NSSQLiteStoreType
    }

    /// Returns the store class registered for the scheme of a URL.
    ///
    /// - Throws: the errors of ``requireClass(for:)`` and ``check(_:_:for:)``.
    static func requireClass(forStoreAt url: URL) throws -> NSPersistentStore.Type {
        let type = type(at: url)
        let storeClass = try requireClass(for: type)
        try check(url, storeClass, for: type)
        return storeClass
    }

    /// Returns the types of stores that may be at a URL, in alphabetical order.
    static func types(acceptingSchemeOf url: URL) -> [String] {
        all.filter { (try? check(url, $0.value, for: $0.key)) != nil }.keys.sorted()
    }

    /// Checks that a store class accepts the scheme of a URL.
    ///
    /// - Throws: `NSPersistentStoreOpenError` listing the registered schemes.
    static func check(_ url: URL, _ storeClass: NSPersistentStore.Type, for type: String) throws {
        guard let schemes = storeClass.urlSchemes else { return }
        let scheme = url.scheme?.lowercased() ?? ""
        if url.isFileURL ? schemes.isEmpty : schemes.contains(scheme) { return }
        let known = typesByScheme
        let all = (["file"] + known.keys.sorted()).joined(separator: ", ")
        let own = schemes.isEmpty ? "a file URL" : "a URL of the scheme \(schemes.joined(separator: " or "))"
        throw CoreDataError.make(
            NSPersistentStoreOpenError, description: "The store at \(url.nameInMessages) could not be opened.",
            reason: known[scheme] == nil && !url.isFileURL
                ? "No type of store is registered for the URL scheme \"\(scheme)\"; there are \(all)."
                : "A store of the type \(type) needs \(own).",
            advice: known[scheme].map { "Give the type \($0)." } ?? "Give the store \(own).",
            userInfo: [NSURLErrorKey: url])
    }

    // MARK: Types

    /// Returns the class registered for a store type.
    ///
    /// - Throws: `NSPersistentStoreInvalidTypeError` for a type that is not registered.
    static func requireClass(for type: String) throws -> NSPersistentStore.Type {
        if let found = storeClass(for: type) { return found }
        #if !PostgreSQL
        if type == CoreDataPostgreSQLStoreType { throw withoutTrait(type) }
        #endif
        let known = all.keys.sorted().joined(separator: ", ")
        throw CoreDataError.make(
            NSPersistentStoreInvalidTypeError, description: "There is no store type \"\(type)\".",
            reason: "No class is registered for the store type \"\(type)\".",
            advice: "Use one of \(known), or register a class with NSPersistentStoreCoordinator.registerStoreClass.")
    }

    #if !PostgreSQL
    private static func withoutTrait(_ type: String) -> NSError {
        CoreDataError.make(
            NSPersistentStoreInvalidTypeError,
            description: "This program was built without stores of the type \(type).",
            reason: "The package's trait \"PostgreSQL\" is off.",
            advice: "Build with `--traits PostgreSQL`, or name the trait where the program depends on the package: "
                + ".package(url: …, traits: [\"PostgreSQL\"]). It needs libpq (libpq-dev).")
    }
    #endif
}
