import CoreDataSQLiteStorage
import CoreDataTestSupport
import Testing

@testable import CoreData

/// A transient relationship has no storage: neither a column nor a join table, in no kind of store.
@Suite("Transient relationships")
struct TransientRelationshipTests {
    /// A `Room` with every kind of transient relationship: to-one and to-many, with and without inverse, and many-to-many.
    /// `guests` of a `House` is many-to-many and kept.
    private static func entities(transient: Bool = true) -> [NSEntityDescription] {
        let house = FormatStore.entity("House"), room = FormatStore.entity("Room")
        LibraryModel.relate(house, "rooms", many: true, room, "house", many: false)
        LibraryModel.relate(house, "admirers", many: true, room, "admired", many: true)
        LibraryModel.relate(house, "guests", many: true, room, "visits", many: true)
        for (name, isMany) in [("mirror", false), ("echoes", true)] {
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = room
            relationship.maxCount = isMany ? 0 : 1
            relationship.isTransient = transient
            room.properties.append(relationship)
        }
        for relationship in house.properties + room.properties
        where ["rooms", "house", "admirers", "admired"].contains(relationship.name) {
            relationship.isTransient = transient
        }
        return [house, room]
    }

    @Test func aNewFileHasNoPlaceForThem() throws {
        let store = try FormatStore(Self.entities())
        let columns = try store.sql("SELECT name FROM pragma_table_info('ZROOM')")
        #expect(columns == ["Z_PK", "Z_ENT", "Z_OPT", "ZNAME"])
        let joins = try store.sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
        #expect(joins == ["Z_1GUESTS"])
        #expect(try store.sql("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE '%HOUSE%'").isEmpty)
        #expect(try store.problems().isEmpty)
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType])
    func theyLastAsLongAsTheContext(type: String) throws {
        let folder = try TemporaryFolder()
        let model = NSManagedObjectModel()
        model.entities = Self.entities()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: folder.file("Rooms"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let house = context.insert("House", ["name": "h"]), room = context.insert("Room", ["name": "r"])
        for (object, key, value) in [
            (house, "rooms", Set([room])), (house, "admirers", Set([room])), (house, "guests", Set([room])),
            (room, "echoes", Set([room])),
        ] { object.setValue(value, forKey: key) }
        room.setValue(room, forKey: "mirror")
        try context.save()
        #expect(FormatStore.names(house, "admirers") == ["r"])

        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = coordinator
        let request = NSFetchRequest<NSManagedObject>(entityName: "House")
        request.relationshipKeyPathsForPrefetching = ["admirers", "guests"]
        let found = try #require(try other.fetch(request).first)
        #expect(FormatStore.names(found, "guests") == ["r"])
        for key in ["rooms", "admirers"] { #expect(FormatStore.names(found, key) == [], "\(key)") }
        let foundRoom = try #require(try other.fetchAll("Room").first)
        for key in ["house", "admired", "mirror", "echoes"] {
            #expect(FormatStore.names(foundRoom, key) == [], "\(key)")
        }
    }

    /// As in files of Apple's framework: what they keep of such a relationship in other versions is of no concern.
    @Test func aFileWithoutTheJoinTableOpens() throws {
        let store = try FormatStore(Self.entities())
        store.context.insert("House", ["name": "h"])
        try store.context.save()
        try store.reopen()
        #expect(try store.context.fetchAll("House").count == 1)
        #expect(try store.sql("SELECT name FROM sqlite_master WHERE name LIKE 'Z_%ADMIR%'").isEmpty)
    }

    /// What is no longer kept leaves the file, and what is kept from now on gets its place.
    @Test(arguments: [true, false])
    func migrationsDropAndMakeThePlaces(becomesTransient: Bool) throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Rooms.sqlite")
        func open(transient: Bool) throws -> NSManagedObjectContext {
            let model = NSManagedObjectModel()
            model.entities = Self.entities(transient: transient)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            _ = try context.persistentStoreCoordinator?.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ])
            return context
        }
        let first = try open(transient: !becomesTransient)
        let room = first.insert("Room", ["name": "r"])
        first.insert("House", ["name": "h", "admirers": Set([room]), "guests": Set([room]), "rooms": Set([room])])
        try first.save()
        try first.persistentStoreCoordinator!.remove(first.persistentStoreCoordinator!.persistentStores[0])

        let second = try open(transient: becomesTransient)
        let house = try #require(try second.fetchAll("House").first)
        #expect(FormatStore.names(house, "guests") == ["r"])
        #expect(FormatStore.names(house, "admirers") == [])
        house.setValue("changed", forKey: "name")
        if !becomesTransient {
            house.setValue(Set(try second.fetchAll("Room")), forKey: "admirers")
        }
        try second.save()
        second.reset()
        let names = FormatStore.names(try second.fetchAll("House").first, "admirers")
        #expect(names == (becomesTransient ? [] : ["r"]))
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5)
        let joins = try connection.integer(
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
        #expect(joins == (becomesTransient ? 1 : 2))
    }

    /// A relationship that is kept although its inverse is transient needs its table; files without it open nevertheless.
    @Test func oneTransientSideIsEnoughToDoWithoutTheTable() throws {
        let entities = Self.entities(transient: false)
        entities[1].properties.first { $0.name == "visits" }?.isTransient = true
        let store = try FormatStore(entities)
        store.context.insert("House", ["name": "h", "guests": Set([store.context.insert("Room", ["name": "r"])])])
        try store.context.save()
        try store.reopen()
        #expect(FormatStore.names(try store.named("House")["h"], "guests") == ["r"])
        #expect(FormatStore.names(try store.named("Room")["r"], "visits") == [])
        store.close()
        try store.run("DROP TABLE Z_1GUESTS")
        try store.reopen()
        #expect(FormatStore.names(try store.named("House")["h"], "guests") == [])
    }

    @Test(arguments: ["mirror == NULL", "ANY echoes.name == 'a'", "admirers.@count == 0", "house.name == 'h'"])
    func fetchesByThemAreErrors(format: String) throws {
        let store = try FormatStore(Self.entities())
        let request = NSFetchRequest<NSManagedObject>(entityName: format.hasPrefix("admirers") ? "House" : "Room")
        request.predicate = NSPredicate(format: format)
        let error = try #require(#expect(throws: NSError.self) { try store.context.fetch(request) })
        #expect(error.localizedDescription.contains("not found in entity"))
        #expect((error.localizedRecoverySuggestion ?? "").contains("transient"), "\(error)")
    }

    @Test func historyRecordsNoChangeOfThem() throws {
        let store = try FormatStore(Self.entities(), options: [NSPersistentHistoryTrackingKey: true])
        let room = store.context.insert("Room", ["name": "r"])
        try store.context.save()
        room.setValue(room, forKey: "mirror")
        room.setValue("s", forKey: "name")
        try store.context.save()
        // name, then the to-one relationships house and mirror, then admired, echoes and visits.
        #expect(try store.sql("SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1") == ["80"])
    }
}
