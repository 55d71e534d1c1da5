import CoreData
import Foundation
import Testing

/// What a container is told about a store. The defaults are Apple's documented ones.
struct StoreDescriptionTests {
    @Test func defaults() {
        let description = NSPersistentStoreDescription()
        #expect(description.url?.path == "/dev/null")
        #expect(description.type == NSSQLiteStoreType)
        #expect(description.configuration == nil)
        #expect(!description.shouldAddStoreAsynchronously)
        #expect(!description.isReadOnly)
        #expect(description.timeout == 240)
        #expect(description.shouldMigrateStoreAutomatically)
        #expect(description.shouldInferMappingModelAutomatically)
        #expect(description.sqlitePragmas.isEmpty)
    }

    @Test func propertiesAreOptions() {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/tmp/a.sqlite"))
        description.isReadOnly = true
        description.timeout = 3
        description.shouldMigrateStoreAutomatically = false
        description.shouldInferMappingModelAutomatically = false
        description.setValue("FULL" as NSString, forPragmaNamed: "synchronous")
        let options = description.options
        #expect(options[NSReadOnlyPersistentStoreOption] as? NSNumber == true)
        #expect(options[NSPersistentStoreTimeoutOption] as? NSNumber == 3)
        #expect(options[NSMigratePersistentStoresAutomaticallyOption] as? NSNumber == false)
        #expect(options[NSInferMappingModelAutomaticallyOption] as? NSNumber == false)
        #expect(description.sqlitePragmas["synchronous"] as? NSString == "FULL")
        description.setValue(nil, forPragmaNamed: "synchronous")
        #expect(description.sqlitePragmas.isEmpty)
        #expect(description.options[NSSQLitePragmasOption] == nil)
        description.setOption(nil, forKey: NSReadOnlyPersistentStoreOption)
        #expect(!description.isReadOnly)
    }

    /// Pragmas are kept apart from the other options, which must not show.
    @Test func pragmasAreOneOption() throws {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/tmp/a.sqlite"))
        description.setValue("FULL" as NSString, forPragmaNamed: "synchronous")
        let option = try #require(description.options[NSSQLitePragmasOption] as? NSDictionary)
        #expect(option["synchronous"] as? String == "FULL")
        let copy = try #require(description.copy() as? NSPersistentStoreDescription)
        #expect(copy.sqlitePragmas["synchronous"] as? NSString == "FULL")
        #expect(copy == description)

        description.setOption(NSDictionary(dictionary: ["cache_size": "100"]), forKey: NSSQLitePragmasOption)
        #expect(description.sqlitePragmas.keys.sorted() == ["cache_size"])
        description.setValue("2" as NSString, forPragmaNamed: "fullfsync")
        #expect(description.sqlitePragmas.keys.sorted() == ["cache_size", "fullfsync"])
        description.setOption(nil, forKey: NSSQLitePragmasOption)
        #expect(description.sqlitePragmas.isEmpty)
        #expect(description.options[NSSQLitePragmasOption] == nil)
    }

    /// A store shows the options it was added with, the pragmas among them.
    @Test func storesKeepTheirOptions() throws {
        let description = NSPersistentStoreDescription()
        description.setValue("100" as NSString, forPragmaNamed: "cache_size")
        let container = NSPersistentContainer(name: "None", managedObjectModel: NSManagedObjectModel())
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
        let options = try #require(store.options)
        #expect((options[NSSQLitePragmasOption] as? NSDictionary)?["cache_size"] as? String == "100")
        #expect(options[NSInferMappingModelAutomaticallyOption] as? NSNumber == true)
        #expect(options.count == 3)
    }

    @Test func copies() throws {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/tmp/a.sqlite"))
        description.configuration = "Local"
        description.timeout = 3
        let copy = try #require(description.copy() as? NSPersistentStoreDescription)
        #expect(copy == description)
        #expect(copy.hash == description.hash)
        #expect(copy.configuration == "Local")
        copy.timeout = 4
        #expect(copy != description)
        #expect(description.timeout == 3)
        #expect(description.description.contains("a.sqlite"))
    }
}
