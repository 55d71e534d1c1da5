import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// Nothing that stands in a model is executed: its names are quoted, or the model is refused with an error that has the name.
struct HostileNameTests {
    /// The ways by which a model comes to a file.
    enum Way: CaseIterable {
        case create, open, migrateInPlace, migrateBeside, migrateToCopy, cachedModel
    }

    /// Two stores with five rows of `ZB` each: the one that is used, and one that is not open.
    private final class Stores {
        let folder: TemporaryFolder
        let url: URL
        let other: URL

        private static let prepared = Result {
            try PreparedStore(HostilePlace.entity.model(nil, version: "1")) { context in
                for x in 0..<5 { context.insert("ZB", ["x": x]) }
                context.insert("ZA", ["u": 1.5, "v": 2.5])
            }
        }

        init() throws {
            folder = try TemporaryFolder()
            (url, other) = (folder.file("Store.sqlite"), folder.file("Other.sqlite"))
            for place in [url, other] { try Self.prepared.get().write(to: place) }
        }

        func add(
            _ model: NSManagedObjectModel, at url: URL, configuration: String? = nil, migrates: Bool = false
        ) throws {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: configuration, at: url,
                options: [NSSQLitePragmasOption: ["synchronous": "OFF"]].merging(
                    migrates ? MigrationStore.automatically : [:]
                ) { $1 })
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                context.insert("ZA", ["u": 3.5, "v": 4.5])
                try context.save()
                for entity in model.entities { _ = try context.fetchAll(entity.name ?? "") }
            }
            try coordinator.remove(store)
        }

        /// Makes the file say that it is of a model, as a received file could.
        func forge(_ model: NSManagedObjectModel) throws {
            let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5)
            var metadata = try SQLiteMetadata.read(connection).values
            metadata.merge(model.versionMetadata) { $1 }
            try SQLiteMetadata.write(metadata, on: connection)
            try ModelCache.write(model, on: connection)
        }

        static func count(_ url: URL) throws -> Int64 {
            try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5).integer("SELECT COUNT(*) FROM ZZB")
        }
    }

    private static func run(_ way: Way, _ name: String, _ place: HostilePlace, isTaken: Bool, _ stores: Stores) throws {
        let new = stores.folder.file("New.sqlite")
        let configuration = place == .configuration && !name.isEmpty ? name : nil
        switch way {
        case .create:
            try stores.add(place.model(name, version: "1"), at: new, configuration: configuration)
        case .open:
            // Indexes and configurations leave the version as it is; of the others the store is not.
            let isSame = [.index, .spatialIndex, .configuration].contains(place)
            try stores.add(
                place.model(name, version: "1"), at: stores.url, configuration: configuration, migrates: !isSame)
        case .migrateInPlace:
            try stores.add(place.model(name, version: "2"), at: stores.url, migrates: true)
        case .migrateBeside:
            try stores.add(place.model(name, version: "2", storesOutside: true), at: stores.url, migrates: true)
        case .migrateToCopy:
            let (old, destination) = (place.model(nil, version: "1"), place.model(name, version: "2"))
            let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: destination)
            try NSMigrationManager(sourceModel: old, destinationModel: destination).migrateStore(
                from: stores.url, type: .sqlite, mapping: mapping, to: new, type: .sqlite)
            #expect(try Stores.count(new) == 5)
        case .cachedModel:
            if isTaken {
                try stores.add(place.model(name, version: "2"), at: stores.url, migrates: true)
            } else {
                try stores.forge(place.model(name, version: "2"))
            }
            try stores.add(
                place.model(nil, version: "3", storesOutside: name.count % 2 == 0), at: stores.url, migrates: true)
        }
    }

    /// Every text of an error and of those behind it.
    private static func texts(_ error: any Error) -> String {
        let error = error as NSError
        let underlying = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map(texts) ?? ""
        return [error.localizedDescription, error.localizedFailureReason ?? "", underlying].joined(separator: "\n")
    }

    /// Every name in every place, in each of the ways; every day one name in each place and way.
    @Test(arguments: HostilePlace.allCases)
    func noNameIsExecuted(place: HostilePlace) throws {
        let count = HostileName.all(besides: "").count
        let first = (HostilePlace.allCases.firstIndex(of: place) ?? 0) * 5
        for index in 0..<count {
            for (turn, way) in Way.allCases.enumerated()
            where LongForm.choose((first + index) % count == turn * count / Way.allCases.count, long: true) {
                let stores = try Stores()
                let name = HostileName.all(besides: stores.other.path)[index]
                try Self.check(way, name, place, stores)
            }
        }
    }

    private static func check(_ way: Way, _ name: HostileName, _ place: HostilePlace, _ stores: Stores) throws {
        let label = "\(way) \(place) \(name.text.debugDescription)"
        let isTaken = place.takes(name)
        do {
            try run(way, name.text, place, isTaken: isTaken, stores)
            // An index with NUL in its name is refused where it would be made: not every way makes it.
            #expect(isTaken || [.index, .spatialIndex].contains(place), "\(label)")
        } catch {
            #expect(!isTaken, "\(label): \(texts(error))")
            let text = texts(error)
            // The name itself, or the statement it would have been part of.
            let quoted = name.text.replacing("\"", with: "\"\"")
            #expect(text.contains(name.text) || text.contains(quoted), "\(label): \(text)")
        }
        for url in [stores.url, stores.other] { #expect(try Stores.count(url) == 5, "\(label)") }
    }

    /// Entities whose tables would have the names of those that every file has.
    @Test(arguments: ["_METADATA", "_primarykey", "_ModelCache"])
    func anEntityThatWouldTakeASystemTable(name: String) throws {
        let stores = try Stores()
        let error = #expect(throws: (any Error).self) {
            try stores.add(HostilePlace.entity.model(name, version: "1"), at: stores.folder.file("New.sqlite"))
        }
        #expect(error.map { Self.texts($0).contains("“\(name)”") } == true)
        #expect((error as NSError?)?.code == NSPersistentStoreIncompatibleSchemaError)
    }

    /// A name needs to be one in SQL only if there is a column or table for it.
    @Test func transientValuesMayBeCalledAnything() throws {
        let stores = try Stores()
        let model = HostilePlace.entity.model(nil, version: "1")
        model.entitiesByName["ZA"]?.properties += [
            LibraryModel.attribute("shown as; a 'text'", .stringAttributeType, transient: true)
        ]
        try stores.add(model, at: stores.folder.file("New.sqlite"))
    }

    /// The columns of a join table are called what the file's maker has chosen.
    @Test func columnsOfAReceivedFileAreQuoted() throws {
        let stores = try Stores()
        let url = stores.folder.file("New.sqlite")
        let model = HostilePlace.manyToMany.model("bs", version: "1")
        try stores.add(model, at: url)
        let name = "Z_1BACK) FROM (SELECT 1), ZZB --"
        do {
            let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5)
            let first = try #require(try connection.text("SELECT name FROM pragma_table_info('Z_1BS')"))
            try connection.executeScript("ALTER TABLE Z_1BS RENAME COLUMN \(first) TO \"\(name)\"")
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let (a, b) = (context.insert("ZA"), context.insert("ZB"))
            a.setValue(Set([b]), forKey: "bs")
            try context.save()
            context.reset()
            let found = try #require(
                try context.fetchAll("ZA").first { ($0.value(forKey: "bs") as? NSSet)?.count == 1 })
            context.delete(found)
            try context.save()
        }
        try coordinator.remove(store)
    }

    /// The file's own text of a trigger may go on after the first statement, since SQLite reads it no further.
    @Test func whatFollowsATriggerIsNotExecuted() throws {
        let stores = try Stores()
        do {
            let connection = try SQLiteConnection(path: stores.url.path, access: .readWrite, busyTimeout: 5)
            try connection.executeScript(
                """
                CREATE TRIGGER foreign_one AFTER INSERT ON ZZA BEGIN SELECT 1; END;
                PRAGMA writable_schema = ON;
                UPDATE sqlite_master SET sql = sql || '; DELETE FROM ZZB' WHERE name = 'foreign_one';
                """)
        }
        try stores.add(HostilePlace.entity.model(nil, version: "2"), at: stores.url, migrates: true)
        #expect(try Stores.count(stores.url) == 5)
    }

    /// What SQLite is given is one statement; spaces and line breaks may follow it.
    @Test(arguments: [
        "SELECT 1; SELECT 2", "SELECT 1; --", "SELECT 1;;", "", "  ", "-- nothing", "SELECT 1\0 SELECT 2",
    ])
    func severalStatementsAreAnError(text: String) throws {
        let stores = try Stores()
        let connection = try SQLiteConnection(path: stores.url.path, access: .readWrite, busyTimeout: 5)
        #expect(throws: (any Error).self) { try connection.prepare(text) }
        #expect(throws: (any Error).self) { try connection.execute(text) }
        #expect(try connection.integer("SELECT 7;\n ") == 7)
    }
}
