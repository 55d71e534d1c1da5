import CoreData
import CoreDataSQLiteStorage
import Foundation
import PostgreSQLTestSupport
import Testing

/// A store in a folder of its own, or in a schema of the test server, opened with one model or another.
package final class MigrationStore {
    package let folder: TemporaryFolder
    package let url: URL
    package let type: String
    package var kind: NSPersistentStore.StoreType { .init(rawValue: type) }

    package init(type: String = NSSQLiteStoreType, name: String = "Store.sqlite") throws {
        folder = try TemporaryFolder()
        self.type = type
        #if PostgreSQL
        if type == CoreDataPostgreSQLStoreType {
            url = try TestServer.makeSchema()
            return
        }
        #endif
        url = folder.file(name)
    }

    deinit {
        #if PostgreSQL
        if type == CoreDataPostgreSQLStoreType { TestServer.removeSchema(url) }
        #endif
    }

    package static var automatically: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    /// Opens the store, lets `body` work, saves and closes.
    @discardableResult
    package func open<T>(
        _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil,
        _ body: (NSManagedObjectContext) throws -> T
    ) throws -> T {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: options)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            let result = try body(context)
            if context.hasChanges { try context.save() }
            return result
        }
    }

    /// Migrates the store by opening it.
    package func migrate(to model: NSManagedObjectModel) throws {
        try open(model, options: Self.automatically) { _ in }
    }

    /// Names and texts of everything in the file.
    package static func schema(_ url: URL) throws -> Set<String> {
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5)
        let statement = try connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master")
        var found: Set<String> = []
        while try statement.step() {
            found.insert((0..<4).map { statement.text(Int32($0)) ?? "" }.joined(separator: " | "))
        }
        return found
    }

    /// What a new store of the model has.
    package static func schema(
        ofNewStore model: NSManagedObjectModel, type: String = NSSQLiteStoreType
    ) throws -> Set<String> {
        let fresh = try MigrationStore(type: type)
        try fresh.open(model) { _ in }
        return try fresh.schema()
    }

    /// Names and texts of everything in the store's file or schema.
    package func schema() throws -> Set<String> {
        #if PostgreSQL
        if type == CoreDataPostgreSQLStoreType { return try ServerCatalogue.lines(url) }
        #endif
        return try Self.schema(url)
    }
}

/// The code of the error a closure throws.
package func code(_ body: () throws -> Void) -> Int? {
    do {
        try body()
        return nil
    } catch {
        return (error as NSError).code
    }
}

/// Expects two values to be equal; inside closures, where `#expect` does not take calls that throw.
package func check<Value: Equatable>(
    _ value: Value, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(value == expected, sourceLocation: sourceLocation)
}
