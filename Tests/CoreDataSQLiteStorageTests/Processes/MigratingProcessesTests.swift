import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import ModelFormat
import ModelPredicates
import Testing

@testable import CoreData

/// Migrations while other processes write to the store, or migrate it themselves.
@Suite(.slow)
struct MigratingProcessesTests {
    /// Rounds of each kind.
    private static var rounds: Int { Worker.kills >= 100 ? 15 : LongForm.choose(1, long: 2) }

    private func makeStore(_ folder: TemporaryFolder, count: Int) throws -> URL {
        let store = folder.file("Ledger.sqlite")
        #expect(try Worker("fill", store, [String(count)]).finish())
        return store
    }

    /// Others have the store open with the old version of the model, and save without a pause. What was saved is there
    /// afterwards, as an object of its entity; once the store is of another version their saves fail.
    @Test(arguments: LedgerMapping.kinds)
    func noSaveOfAnotherProcessIsLost(_ kind: String) throws {
        for _ in 0..<Self.rounds {
            let folder = try TemporaryFolder()
            let count = 300
            let store = try makeStore(folder, count: count)
            let program = try LedgerMapping.program(for: kind, in: folder, store: store)
            let flag = folder.file("stop")
            let writers = try (0..<2).map { _ in try Worker("append", store, [flag.path]) }
            for writer in writers { try writer.wait(for: "saved 20") }
            let migrating = try Worker("migrate", store, [kind], program: program)
            #expect(migrating.finish(), "\(migrating.lines)")
            for writer in writers { writer.wait(forLast: "outdated") }
            try Data().write(to: flag)
            var saved = 0
            for writer in writers {
                #expect(writer.finish(), "\(writer.lines.suffix(2))")
                #expect(writer.lines.last?.hasPrefix("outdated") == true)
                saved += writer.last("saved") ?? 0
            }
            #expect(migrating.last("entries") == count + saved)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            #expect(!names.contains { $0.contains("migrat") }, "\(names)")
        }
    }

    /// Programs of the new version that start at the same time: one migrates the store, the others find it done.
    @Test(arguments: LedgerMapping.kinds)
    func severalMayStartAtOnce(_ kind: String) throws {
        for _ in 0..<Self.rounds {
            let folder = try TemporaryFolder()
            let store = try makeStore(folder, count: 100)
            let program = try LedgerMapping.program(for: kind, in: folder, store: store)
            let signal = folder.file("go")
            let workers = try (0..<4).map { _ in
                try Worker("migrate", store, [kind, signal.path], program: program)
            }
            for worker in workers { try worker.wait(for: "ready") }
            try Data().write(to: signal)
            for worker in workers {
                #expect(worker.finish(), "\(worker.lines)")
                #expect(worker.last("entries") == 100)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            #expect(!names.contains { $0.contains("migrat") }, "\(names)")
        }
    }

    /// Where there can be no log, a commit between the lock that lets others read and the one that does not is noticed.
    @Test func aHoldWithoutALogNoticesOthers() throws {
        let folder = try TemporaryFolder()
        let store = try makeStore(folder, count: 3)
        func connect(_ url: URL) throws -> SQLiteConnection {
            try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 0.1)
        }
        try connect(store).execute("PRAGMA journal_mode = DELETE")
        let successor = folder.file("Successor.sqlite")
        for interferes in [true, false] {
            try? FileManager.default.removeItem(at: successor)
            let hold = try StoreHold(store, successor: successor, timeout: 0.1, usesLog: false)
            let other = try connect(store)
            #expect(throws: (any Error).self) { try other.execute("UPDATE ZENTRY SET ZPOSITION = 100") }
            try SQLiteFiles.replace(successor, with: store, timeout: 1)
            try connect(successor).execute("UPDATE ZENTRY SET ZPOSITION = 200")
            // The one moment others have.
            hold.beforeLocking = { if interferes { try? other.execute("UPDATE ZENTRY SET ZPOSITION = 300") } }
            if interferes {
                let error = #expect(throws: NSError.self) { try hold.replaceStore() }
                #expect(error?.code == NSPersistentStoreTimeoutError)
            } else {
                try hold.replaceStore()
            }
            #expect(
                try connect(store).integer("SELECT SUM(ZPOSITION) FROM ZENTRY") == (interferes ? 900 : 600))
        }
    }

    /// A context that has the store open with the old version, in this process; also where the migration leaves all tables as
    /// they are.
    @Test(arguments: [true, false])
    func aSaveAfterAMigrationIsRefused(_ changesTables: Bool) throws {
        let store = try MigrationStore()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Versions.first())
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: store.url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Club", into: context)
            try context.save()
        }
        try store.migrate(
            to: Versions.changed { entities, _ in
                if changesTables {
                    entities["Club"]?.properties += [LibraryModel.attribute("motto", .stringAttributeType)]
                } else {
                    entities["Club"]?.versionHashModifier = "2"
                }
            })
        context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Club", into: context)
            for _ in 0..<2 {
                let error = #expect(throws: NSError.self) { try context.save() }
                #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
                #expect(context.insertedObjects.count == 1)
            }
        }
        let connection = try SQLiteConnection(path: store.url.path, access: .readOnly, busyTimeout: 1)
        #expect(try connection.integer("SELECT COUNT(*) FROM ZCLUB") == 1)
    }
}

/// The mapping models of the worker's migrations.
enum LedgerMapping {
    static let kinds = ["light", "heavy", "stages", "mapping", "chain"]

    /// The program to start: for migrations by a mapping model in a file, one beside which that file lies.
    static func program(for kind: String, in folder: TemporaryFolder, store: URL) throws -> URL {
        let program = try Worker.program()
        guard kind == "mapping" else { return program }
        let place = folder.url.appendingPathComponent("program", isDirectory: true)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let copy = place.appendingPathComponent("CoreDataStoreWorker")
        try Worker.copyProgram(to: copy)
        let other = place.appendingPathComponent("Other.sqlite")
        try SQLiteFiles.replace(other, with: store, timeout: 5)
        let worker = try Worker("migrate", other, ["heavy"])
        try #require(worker.finish(), "\(worker.lines)")
        let mapping = try mapping(
            from: NSManagedObjectModel(cachedInStoreAt: store), to: NSManagedObjectModel(cachedInStoreAt: other))
        try mapping.archive().write(to: place.appendingPathComponent("Ledger.cdm"))
        return copy
    }

    private static func mapping(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel
    ) throws -> MappingModel {
        let parser = FormatTextParser()
        var model = MappingModel(entityMappings: [])
        for entity in destination.entities {
            guard let name = entity.name else { continue }
            let old = name == "ATag" ? "Label" : name
            var mapping = EntityMapping(name: "\(old)To\(name)", kind: .transform)
            (mapping.sourceEntityName, mapping.destinationEntityName) = (old, name)
            mapping.sourceEntityVersionHash = source.entityVersionHashesByName[old]
            mapping.destinationEntityVersionHash = destination.entityVersionHashesByName[name]
            for property in entity.properties where !(property is NSDerivedAttributeDescription) {
                if property is NSRelationshipDescription {
                    let text =
                        "FUNCTION($manager, 'destinationInstancesForSourceRelationshipNamed:sourceInstances:', "
                        + "'\(property.name)', $source.\(property.name))"
                    mapping.relationshipMappings.append(
                        PropertyMapping(name: property.name, valueExpression: try parser.expression(text)))
                } else if property.name != "note" {
                    mapping.attributeMappings.append(
                        PropertyMapping(
                            name: property.name, valueExpression: try parser.expression("$source.\(property.name)")))
                }
            }
            model.entityMappings.append(mapping)
        }
        return model
    }
}
