// Needs the project's own compiled models, of which Apple's platforms have no part.
#if !canImport(Darwin)
import CoreData
import Foundation
import MagicalRecord
import Testing

/// Chains and set-ups that are refused: the store stays as it was, byte for byte.
struct MigrationErrorTests {
    private static func model(_ stars: NSAttributeType?) -> NSManagedObjectModel {
        let note = Build.entity("Note")
        note.properties = [Build.attribute("text", .stringAttributeType)]
        if let stars { note.properties.append(Build.attribute("stars", stars)) }
        return Build.model(note)
    }

    private let first = model(nil)
    private let second = model(.integer32AttributeType)
    private var versions: MagicalRecord.ModelVersions { MagicalRecord.ModelVersions([first, second]) }

    private func withStore(_ body: (MagicalRecord.Store, URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("refused-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Notes.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: first)
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.runAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Note", into: context).setValue("a", forKey: "text")
            try context.save()
        }
        try coordinator.remove(store)
        try body(.sqlite(at: url), url)
    }

    private func files(_ url: URL) throws -> [String: Data] {
        let folder = url.deletingLastPathComponent()
        var found: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
            let data = (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data()
            if !name.hasSuffix("-wal") || !data.isEmpty { found[name] = data }
        }
        return found
    }

    private func refusal(
        _ url: URL, _ words: [String] = [], sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) throws -> any Error {
        let before = try files(url)
        let begin = Date()
        let error = try #require(
            #expect(throws: (any Error).self, sourceLocation: sourceLocation, performing: body),
            sourceLocation: sourceLocation)
        // Far below the four minutes that a store waits for others unless told otherwise.
        #expect(Date().timeIntervalSince(begin) < 100, sourceLocation: sourceLocation)
        #expect(try files(url) == before, sourceLocation: sourceLocation)
        let advice = (error as? MagicalRecordError)?.advice ?? (error as NSError).localizedRecoverySuggestion ?? ""
        let text = "\(error.localizedDescription) \((error as NSError).localizedFailureReason ?? "") \(advice)"
        for word in words { #expect(text.contains(word), "\(text)", sourceLocation: sourceLocation) }
        #expect(!advice.isEmpty, "\(error)", sourceLocation: sourceLocation)
        return error
    }

    private func setUp(
        _ store: MagicalRecord.Store, _ migration: MagicalRecord.Migration, _ model: NSManagedObjectModel
    )
        throws
    {
        let stack = try MagicalRecord.Stack([store], shape: .server, migration: migration, model: .model(model))
        try stack.tearDownAndWait()
    }

    /// The steps work on copies, which are gone when the error is read.
    @Test func aStepThatIsRefusedNamesTheStore() throws {
        let third = Self.model(.integer32AttributeType)
        third.entitiesByName["Note"]?.attributesByName["stars"]?.isOptional = false
        try withStore { store, url in
            for versions in [[first, third], [first, second, third]] {
                let error = try refusal(url, [url.path, "Note.stars", "default value"]) {
                    try MagicalRecord.migrate(store, through: MagicalRecord.ModelVersions(versions))
                }
                let info = (error as NSError).userInfo
                #expect((error as NSError).code == NSMigrationError)
                #expect(info[NSURLErrorKey] as? URL == url)
                #expect(!"\(info)".contains(".migration"), "\(info)")
            }
        }
    }

    /// A model that was not found is no version: the store was left without its objects, or deleted.
    @Test func aModelWithoutEntities() throws {
        let empty = NSManagedObjectModel()
        try withStore { store, url in
            let through = MagicalRecord.ModelVersions([first, empty])
            let chain = try refusal(url, ["Notes.sqlite", "has no entities", "Load the model"]) {
                try MagicalRecord.migrate(store, through: through)
            }
            #expect((chain as? MagicalRecordError)?.code == .modelNotFound)
            for migration in [.automatic, .recreating, .none] as [MagicalRecord.Migration] {
                let error = try refusal(url, ["has no entities", "Note"]) { try setUp(store, migration, empty) }
                #expect((error as NSError).code == NSPersistentStoreIncompatibleVersionHashError)
            }
            var policy = MagicalRecord.Migration.through(through)
            policy.deletesOnMismatch = true
            _ = try refusal(url, ["has no entities"]) { try setUp(store, policy, empty) }
        }
    }

    /// A store that is to be read only is not written by a chain either; rehearsing reads it.
    @Test func storesForReadingOnly() throws {
        try withStore { store, url in
            var store = store
            store.options[NSReadOnlyPersistentStoreOption] = true
            let error = try refusal(url, ["Notes.sqlite", "for reading only"]) {
                try MagicalRecord.migrate(store, through: versions)
            }
            #expect((error as? MagicalRecordError)?.code == .storeFile)
            #expect(try MagicalRecord.rehearseMigration(of: store, through: versions).steps.count == 1)
        }
    }

    /// The timeout of the store's options holds for everything a chain opens: it waited for four minutes.
    @Test func aStoreThatAnotherProcessHolds() throws {
        try withStore { store, url in
            var store = store
            store.options[NSPersistentStoreTimeoutOption] = 0.05
            let holder = Process()
            holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            holder.arguments = ["sqlite3", url.path]
            let (input, output) = (Pipe(), Pipe())
            (holder.standardInput, holder.standardOutput) = (input, output)
            try holder.run()
            defer {
                try? input.fileHandleForWriting.close()
                holder.waitUntilExit()
            }
            let statements =
                "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE ZNOTE SET ZTEXT = 'b'; SELECT 'held';\n"
            try input.fileHandleForWriting.write(contentsOf: Data(statements.utf8))
            var said = ""
            while !said.contains("held") {
                said += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            }
            let busy = ["Notes.sqlite", "busy", "NSPersistentStoreTimeoutOption"]
            for body in [
                { _ = try MagicalRecord.migrate(store, through: versions) },
                { _ = try MagicalRecord.rehearseMigration(of: store, through: versions) },
                { try setUp(store, .automatic, second) }, { try setUp(store, .through(versions), second) },
                { try setUp(store, .recreating, second) },
            ] as [() throws -> Void] {
                let error = try refusal(url, busy, body)
                #expect((error as NSError).code == NSPersistentStoreTimeoutError, "\(error)")
            }
        }
    }

    @Test func storesThatAreNone() throws {
        try withStore { store, url in
            let junk = url.deletingLastPathComponent().appendingPathComponent("Junk.sqlite")
            try Data("neither a database nor a store".utf8).write(to: junk)
            let damaged = try refusal(url, ["Junk.sqlite", "not a database"]) {
                try MagicalRecord.migrate(.sqlite(at: junk), through: versions)
            }
            #expect((damaged as NSError).code == CocoaError.fileReadCorruptFile.rawValue)
            var other = store
            other.type = NSXMLStoreType
            let mismatch = try refusal(url, ["Notes.sqlite", "store type"]) {
                try MagicalRecord.migrate(other, through: versions)
            }
            #expect((mismatch as NSError).code == NSPersistentStoreTypeMismatchError)
            for models in [[], [second]] {
                let error = try refusal(url, ["Notes.sqlite", "none of the \(models.count) versions"]) {
                    try MagicalRecord.migrate(store, through: MagicalRecord.ModelVersions(models))
                }
                #expect((error as? MagicalRecordError)?.code == .modelNotFound)
            }
        }
    }

    /// Errors of a step name its versions, and what is wrong in the mapping model.
    @Test func mappingModelsThatFail() throws {
        try withStore { store, url in
            let inferred = try NSMappingModel.inferredMappingModel(forSourceModel: first, destinationModel: second)
            let mapping = try #require(inferred.copy() as? NSMappingModel)
            mapping.entityMappings[0].entityMigrationPolicyClassName = "Absent"
            let error = try refusal(url, ["Notes.sqlite from version 1 to version 2", "Absent", "register(named:)"]) {
                try MagicalRecord.migrate(store, through: versions, mappings: [mapping])
            }
            #expect((error as NSError).code == NSEntityMigrationPolicyError)
            _ = try refusal(url, ["version 1 to version 2", "Absent"]) {
                try setUp(store, .through(versions, mappings: [mapping]), second)
            }
        }
    }
}
#endif
