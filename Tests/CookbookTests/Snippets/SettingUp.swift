import MagicalRecord

enum SettingUpSnippets {
    static func defaults(url: URL) throws {
        // snippet
        try MagicalRecord.setUp(model: .named("Model", in: .module))
        // end
        // snippet
        try MagicalRecord.setUp(.sqlite(named: "AddressBook"), shape: .rootSaving, migration: .automatic)
        // end
        // snippet
        try MagicalRecord.setUp(.sqlite(at: url), model: .named("Model", in: .module))
        // end
    }

    #if !canImport(Darwin)
    static func onServer() throws {
        // snippet
        try MagicalRecord.setUp(.postgreSQL("postgresql:///addressbook"), shape: .server)
        // end
    }

    static func onServerWithLimits() throws -> MagicalRecord.Stack {
        // snippet
        let store = try MagicalRecord.Store.postgreSQL(
            "postgresql://addressbook@db.example.com/addressbook",
            options: [NSPersistentStoreConnectionPoolMaxSizeKey: 8, NSPersistentStoreTimeoutOption: 10])
        let stack = try MagicalRecord.Stack([store], shape: .server)
        // end
        return stack
    }
    #endif

    static func overwriting() throws {
        // snippet
        try MagicalRecord.setUp(.sqlite(named: "Cache"), mergePolicy: .mergeByPropertyObjectTrump)
        // end
    }

    static func withoutExtension() throws {
        // snippet
        let file = MagicalRecord.storeDirectory().appendingPathComponent("Library")
        try MagicalRecord.setUp(.sqlite(at: file))
        // end
    }

    static func slowly() async throws {
        // snippet
        try await MagicalRecord.setUpInBackground(.sqlite(named: "AddressBook"))
        // end
    }

    static func places(groupDirectory: URL, url: URL) -> [MagicalRecord.Store] {
        // snippet
        let stores: [MagicalRecord.Store] = [
            .sqlite,  // named after the program, in Application Support
            .sqlite(named: "AddressBook"),  // AddressBook.sqlite, there
            .sqlite(named: "Shared", in: groupDirectory),  // in a folder of yours: an app group's, a user's
            .sqlite(at: url),  // exactly there
            .inMemory,  // for tests
            .binary(at: url),  // read and written as a whole
            .sqlite(at: url).readOnly(),
        ]
        // end
        return stores
    }

    static func several(folder: URL, model: NSManagedObjectModel) throws -> MagicalRecord.Stack {
        // snippet
        let stack = try MagicalRecord.Stack(
            [
                .sqlite(named: "Library", in: folder, configuration: "Library"),
                .inMemory(configuration: "Session"),
            ], model: .model(model))
        // end
        return stack
    }

    static func perUser(folder: URL, name: String) async throws {
        // snippet
        let stack = try MagicalRecord.Stack([.sqlite(named: name, in: folder)])
        try await stack.save { context in try User.create(in: context).displayName = name }
        try await stack.tearDown()  // waits for running saves, closes the files
        // end
    }

    static func custom() throws -> MagicalRecord.Shape {
        // snippet
        let shape = MagicalRecord.Shape.custom("retaining") { coordinator in
            let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
            main.persistentStoreCoordinator = coordinator
            main.retainsRegisteredObjects = true
            return .init(main: main) {
                let worker = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                worker.parent = main
                return worker
            }
        }
        // end
        return shape
    }

    static func container(_ container: NSPersistentContainer) {
        // snippet
        let stack = MagicalRecord.Stack(coordinator: container.persistentStoreCoordinator, shape: .siblings)
        MagicalRecord.setDefaultStack(stack)
        // end
    }
}
