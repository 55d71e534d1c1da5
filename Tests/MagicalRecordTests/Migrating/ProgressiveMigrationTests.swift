import CoreData
import Foundation
import MagicalRecord
import Testing

/// Chains of migrations as one call.
struct ProgressiveMigrationTests {
    private func note(_ change: (NSEntityDescription) -> Void) -> NSManagedObjectModel {
        let note = NSEntityDescription()
        note.name = "Note"
        note.managedObjectClassName = "NSManagedObject"
        note.properties = [attribute("text", .stringAttributeType)]
        change(note)
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    private func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    /// Text; text and stars as text; stars as a number, which cannot be inferred; stars and a colour, without text.
    private var versions: MagicalRecord.ModelVersions {
        MagicalRecord.ModelVersions([
            note { _ in },
            note { $0.properties += [attribute("stars", .stringAttributeType)] },
            note { $0.properties += [attribute("stars", .integer32AttributeType)] },
            note {
                $0.properties = [
                    attribute("stars", .integer32AttributeType), attribute("colour", .stringAttributeType),
                ]
            },
        ])
    }

    /// From text to number.
    private func mapping(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> NSMappingModel {
        let entity = NSEntityMapping()
        entity.name = "NoteToNote"
        entity.mappingType = .transformEntityMappingType
        entity.sourceEntityName = "Note"
        entity.sourceEntityVersionHash = source.entityVersionHashesByName["Note"]
        entity.destinationEntityName = "Note"
        entity.destinationEntityVersionHash = destination.entityVersionHashesByName["Note"]
        entity.attributeMappings = [("text", "$source.text"), ("stars", "CAST($source.stars, 'NSNumber')")].map {
            let property = NSPropertyMapping()
            property.name = $0.0
            property.valueExpression = NSExpression(format: $0.1)
            return property
        }
        let model = NSMappingModel()
        model.entityMappings = [entity]
        return model
    }

    /// What a destroyed store leaves is of no version: there is nothing to migrate.
    @Test func destroyedStoresNeedNoMigration() throws {
        try withStore { store, url in
            try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel()).destroyPersistentStore(
                at: url, ofType: NSSQLiteStoreType)
            #expect(try MagicalRecord.rehearseMigration(of: store, through: versions).steps.isEmpty)
            #expect(try MagicalRecord.migrate(store, through: versions).steps.isEmpty)
            #if !canImport(Darwin)
            let stack = try MagicalRecord.Stack(
                [store], migration: .through(versions), model: .model(versions.models[3]))
            #expect(stack.stores.count == 1)
            try stack.tearDownAndWait()
            #endif
        }
    }

    /// A store of the second version in a folder of its own.
    private func makeStore(_ count: Int = 3) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("chain-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appendingPathComponent("Notes.sqlite")
        try open(url, versions.models[1]) { context in
            for number in 0..<count {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue("note \(number)", forKey: "text")
                note.setValue("\(number)", forKey: "stars")
            }
            try context.save()
        }
        return url
    }

    private func withStore(_ count: Int = 3, _ body: (MagicalRecord.Store, URL) throws -> Void) throws {
        let url = try makeStore(count)
        let folder = url.deletingLastPathComponent()
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(.sqlite(at: url), url)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { $0.hasPrefix("Notes") })
    }

    private func open(_ url: URL, _ model: NSManagedObjectModel, _ body: (NSManagedObjectContext) throws -> Void) throws
    {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.runAndWait { try body(context) }
    }

    private func stars(_ url: URL, _ model: NSManagedObjectModel) throws -> [String] {
        var found: [String] = []
        try open(url, model) { context in
            found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).map {
                "\($0.value(forKey: "stars") ?? "nil")"
            }.sorted()
        }
        return found
    }

    @Test func theWayLeadsOverGivenMappings() throws {
        let versions = versions
        let given = mapping(versions.models[1], versions.models[2])
        let path = try MagicalRecord.MigrationPath(through: versions, from: 0, mappings: [given])
        #expect(path.steps.map(\.versions.from) == [1, 2, 3])
        #expect(path.steps.map(\.isInferred) == [true, false, true])
        // Without the mapping there is no way.
        #expect(throws: (any Error).self) { try MagicalRecord.MigrationPath(through: versions, from: 1, to: 2) }
        #expect(try MagicalRecord.MigrationPath(through: versions, from: 3).steps.isEmpty)
    }

    @Test func chainsMigrateWithProgress() throws {
        let versions = versions
        let given = mapping(versions.models[1], versions.models[2])
        try withStore { store, url in
            let seen = Seen()
            let report = try MagicalRecord.migrate(store, through: versions, mappings: [given]) {
                seen.add($0.fraction)
            }
            #expect(report.steps.map(\.isInferred) == [false, true])
            #expect(report.steps.map(\.rowsOut) == [["Note": 3], ["Note": 3]])
            #expect(report.losses == ["3 values of Note.text"])
            #expect(seen.values == seen.values.sorted() && seen.values.last == 1)
            #expect(try stars(url, versions.models[3]) == ["0", "1", "2"])
            #expect(try MagicalRecord.migrate(store, through: versions, mappings: [given]).steps.isEmpty)
        }
    }

    /// The version between gives the objects the value that the last one requires.
    @Test func aLeapThatIsRefusedIsMadeInSteps() throws {
        let versions = MagicalRecord.ModelVersions([
            versions.models[1],
            note {
                let rank = attribute("rank", .integer32AttributeType)
                rank.defaultValue = 7
                $0.properties += [attribute("stars", .stringAttributeType), rank]
            },
            note {
                let rank = attribute("rank", .integer32AttributeType)
                rank.isOptional = false
                $0.properties += [attribute("stars", .stringAttributeType), rank]
            },
        ])
        try withStore { store, url in
            let rehearsal = try MagicalRecord.rehearseMigration(of: store, through: versions)
            #expect(rehearsal.steps.map(\.to) == [2, 3])
            let report = try MagicalRecord.migrate(store, through: versions)
            #expect(report.steps.map(\.to) == [2, 3])
            #expect(try stars(url, versions.models[2]) == ["0", "1", "2"])
        }
    }

    #if !canImport(Darwin)
    @Test func rehearsalsTellThatAStoreGoesBack() throws {
        let (second, fourth) = (
            versions.models[1], note { $0.properties += [attribute("colour", .stringAttributeType)] }
        )
        try withStore { store, url in
            try MagicalRecord.migrate(store, through: MagicalRecord.ModelVersions([second, fourth]))
            let report = try MagicalRecord.rehearseMigration(
                of: store, through: MagicalRecord.ModelVersions([fourth, second]))
            #expect(report.steps.map(\.leadsBack) == [true])
            #expect(report.description.hasPrefix("back from version 1 to 2, inferred"))
            // The caller's will.
            try MagicalRecord.migrate(store, through: MagicalRecord.ModelVersions([fourth, second]))
            #expect(try stars(url, second) == ["nil", "nil", "nil"])
        }
    }
    #endif

    @Test func rehearsalsChangeNothing() throws {
        let versions = versions
        let given = mapping(versions.models[1], versions.models[2])
        try withStore { store, url in
            let report = try MagicalRecord.rehearseMigration(of: store, through: versions, mappings: [given])
            #expect(report.steps.count == 2)
            #expect(report.losses == ["3 values of Note.text"])
            #expect(report.description.contains("version 2 to 3, by mapping model"))
            #expect(try stars(url, versions.models[1]) == ["0", "1", "2"])
        }
    }

    @Test func cancellingLeavesTheStore() throws {
        let versions = versions
        let given = mapping(versions.models[1], versions.models[2])
        try withStore { store, url in
            do {
                try MagicalRecord.migrate(store, through: versions, mappings: [given]) { $0.cancel() }
                Issue.record("It went on.")
            } catch let error as MagicalRecordError {
                #expect(error.code == .cancelled)
            }
            #expect(try stars(url, versions.models[1]) == ["0", "1", "2"])
        }
    }

    // MARK: While setting up

    @Test func settingUpMigratesWithProgress() throws {
        let versions = versions
        let given = mapping(versions.models[1], versions.models[2])
        let seen = Seen()
        let policy = MagicalRecord.Migration.through(versions, mappings: [given]) { seen.add($0.fraction) }
        try withStore { store, url in
            func setUp() throws {
                let stack = try MagicalRecord.Stack(
                    [store], shape: .server, migration: policy, model: .model(versions.models[3]))
                try stack.tearDownAndWait()
            }
            try setUp()
            #expect(!seen.values.isEmpty)
            #expect(seen.values == seen.values.sorted() && seen.values.last == 1)
            #expect(try stars(url, versions.models[3]) == ["0", "1", "2"])
            // Of the present version now: nothing to do, nothing to report.
            let calls = seen.values.count
            try setUp()
            #expect(seen.values.count == calls)
        }
    }

    /// Why a stack with the last version will not open the store; nil if it opens.
    private func refusal(of store: MagicalRecord.Store, _ policy: MagicalRecord.Migration) -> MagicalRecordError.Code? {
        do {
            _ = try MagicalRecord.Stack(
                [store], shape: .server, migration: policy, model: .model(versions.models[3]))
            return nil
        } catch {
            return (error as? MagicalRecordError)?.code
        }
    }

    @Test func cancellingASetUpLeavesTheStore() throws {
        let versions = versions
        let given = mapping(versions.models[1], versions.models[2])
        let policy = MagicalRecord.Migration.through(versions, mappings: [given]) { $0.cancel() }
        try withStore { store, url in
            #expect(refusal(of: store, policy) == .cancelled)
            let kept = try stars(url, versions.models[1])
            #expect(kept == ["0", "1", "2"])
        }
    }

    @Test func aCancelledTaskBeginsNoMigration() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let given = mapping(versions.models[1], versions.models[2])
            try withStore { store, url in
                let error = #expect(throws: MagicalRecordError.self) {
                    try MagicalRecord.migrate(store, through: versions, mappings: [given])
                }
                #expect(error?.code == .cancelled)
                #expect(refusal(of: store, .through(versions, mappings: [given])) == .cancelled)
                let kept = try stars(url, versions.models[1])
                #expect(kept == ["0", "1", "2"])
            }
        }
        try await task.value
    }

    /// The task that sets up is cancelled while the first of two steps runs.
    @Test func cancellingTheTaskOfASetUpLeavesTheStore() async throws {
        let models = Models(versions.models)
        let box = TaskBox()
        let policy = MagicalRecord.Migration.through(
            versions, mappings: [mapping(models.all[1], models.all[2])]
        ) { _ in box.cancel() }
        let url = try makeStore()
        defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
        let task = Task {
            let error = await #expect(throws: MagicalRecordError.self) {
                try await MagicalRecord.withDefaultStack(nil) {
                    try await MagicalRecord.setUpInBackground(
                        .sqlite(at: url), shape: .server, migration: policy, model: .model(models.all[3]))
                }
            }
            #expect(error?.code == .cancelled)
        }
        box.task = task
        await task.value
        let kept = try stars(url, models.all[1])
        #expect(kept == ["0", "1", "2"])
    }

    /// A model that is none of the versions is a mistake in the program, not a reason to lose data.
    @Test func theStacksModelMustBeAmongTheVersions() throws {
        let versions = versions
        try withStore { store, url in
            var policy = MagicalRecord.Migration.through(MagicalRecord.ModelVersions(Array(versions.models[..<2])))
            policy.deletesOnMismatch = true
            #expect(refusal(of: store, policy) == .modelNotFound)
            let kept = try stars(url, versions.models[1])
            #expect(kept == ["0", "1", "2"])
        }
    }
}

/// Models, which are only read.
private struct Models: @unchecked Sendable {
    let all: [NSManagedObjectModel]
    init(_ all: [NSManagedObjectModel]) { self.all = all }
}

private final class TaskBox: @unchecked Sendable {
    private let lock = NSLock()
    private var kept: Task<Void, Never>?

    var task: Task<Void, Never>? {
        get { lock.withLock { kept } }
        set { lock.withLock { kept = newValue } }
    }

    /// Once the task is there.
    func cancel() {
        while task == nil { Thread.sleep(forTimeInterval: 0.001) }
        task?.cancel()
    }
}

private final class Seen: @unchecked Sendable {
    private let lock = NSLock()
    private var found: [Double] = []

    func add(_ value: Double) { lock.withLock { found.append(value) } }
    var values: [Double] { lock.withLock { found } }
}
