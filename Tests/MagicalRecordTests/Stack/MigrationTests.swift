import MagicalRecord
import Testing

/// Migrations as this framework asks for them; how Core Data carries them out is tested there.
@Suite struct MigrationTests {
    let file = ScratchFiles.new("Tasks.sqlite")

    /// Version 1: title. Version 2: also a priority. Version 3: the priority must be there, without a default, so that
    /// nothing can be inferred. Version 4: also a note.
    static func versions() -> [NSManagedObjectModel] {
        (1...4).map { version in
            let task = Build.entity("Task")
            task.properties = [Build.attribute("title", .stringAttributeType)]
            if version == 2 { task.properties.append(Build.attribute("priority", .integer32AttributeType)) }
            if version > 2 {
                task.properties.append(Build.attribute("priority", .integer32AttributeType, default: 0))
                // Required, and new under another name: a mapping must say what it holds.
                task.properties.append(Build.attribute("code", .stringAttributeType, optional: false))
            }
            if version == 4 { task.properties.append(Build.attribute("note", .stringAttributeType)) }
            return Build.model(task)
        }
    }

    private func fill(_ model: NSManagedObjectModel) async throws {
        let stack = try MagicalRecord.Stack([.sqlite(at: file)], shape: .server, model: .model(model))
        try await stack.save { context in
            for number in 0..<20 {
                let task = NSEntityDescription.insertNewObject(forEntityName: "Task", into: context)
                task.setValue("Task \(number)", forKey: "title")
            }
        }
        try await stack.tearDown()
    }

    private func values(_ key: String, _ model: NSManagedObjectModel) async throws -> [String] {
        let stack = try MagicalRecord.Stack(
            [.sqlite(at: file)], shape: .server, migration: .none, model: .model(model))
        let values = try await stack.read { context in
            try Query<NSManagedObject>(entityNamed: "Task").all(in: context)
                .map { "\($0.value(forKey: key) ?? "nil")" }.sorted()
        }
        try await stack.tearDown()
        return values
    }

    /// A mapping that fills what is required.
    private static func mapping(from source: NSManagedObjectModel, to destination: NSManagedObjectModel)
        -> NSMappingModel
    {
        let entity = NSEntityMapping()
        entity.name = "TaskToTask"
        entity.mappingType = .transformEntityMappingType
        entity.sourceEntityName = "Task"
        entity.destinationEntityName = "Task"
        entity.sourceEntityVersionHash = source.entityVersionHashesByName["Task"]
        entity.destinationEntityVersionHash = destination.entityVersionHashesByName["Task"]
        entity.sourceExpression = NSExpression(
            format: "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\" , \"Task\", "
                + "\"TRUEPREDICATE\"), FUNCTION($manager, \"sourceContext\"), NO)")
        entity.attributeMappings = [("title", "$source.title"), ("code", "\"unknown\""), ("priority", "2")].map {
            let property = NSPropertyMapping()
            property.name = $0.0
            property.valueExpression = NSExpression(format: $0.1)
            return property
        }
        let mapping = NSMappingModel()
        mapping.entityMappings = [entity]
        return mapping
    }

    @Test func automatically() async throws {
        let versions = Self.versions()
        try await fill(versions[0])
        let stack = try MagicalRecord.Stack([.sqlite(at: file)], shape: .server, model: .model(versions[1]))
        #expect(try await stack.read { try Query<NSManagedObject>(entityNamed: "Task").count(in: $0) } == 20)
        try await stack.tearDown()
        #expect(try await values("title", versions[1]).first == "Task 0")
    }

    /// Every legacy set-up that migrates opens the store; those that do not leave it alone.
    @Test func mappingModelsOnlyDoesNotInfer() async throws {
        let versions = Self.versions()
        try await fill(versions[0])
        #expect(throws: (any Error).self) {
            try MagicalRecord.Stack(
                [.sqlite(at: file)], shape: .server, migration: .mappingModelsOnly, model: .model(versions[1]))
        }
        #expect(try await values("title", versions[0]).count == 20)
    }

    @Test func stepByStepByInference() async throws {
        let versions = Array(Self.versions().prefix(2))
        try await fill(versions[0])
        let progress = Progress(totalUnitCount: 0)
        let steps = try MagicalRecord.migrateStore(.sqlite(at: file), through: versions, progress: progress)
        #expect(steps.map(\.source) == [0])
        #expect(steps.map(\.isInferred) == [true])
        #expect(progress.completedUnitCount == 1)
        #expect(try await values("title", versions[1]).count == 20)
        #expect(try await values("priority", versions[1]).first == "nil")
        // What is up to date needs no step, nor does what is not there.
        #expect(try MagicalRecord.migrateStore(.sqlite(at: file), through: versions).isEmpty)
        #expect(try MagicalRecord.migrateStore(.sqlite(at: ScratchFiles.new("none.sqlite")), through: versions).isEmpty)
        // Nothing is left beside the store.
        let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        #expect(names.allSatisfy { $0.hasPrefix("Tasks.sqlite") })
    }

    @Test func overAMappingOfOnesOwn() async throws {
        let versions = Self.versions()
        try await fill(versions[0])
        let steps = try MagicalRecord.migrateStore(
            .sqlite(at: file), through: versions,
            mapping: { source, destination in
                source === versions[0] && destination === versions[2]
                    ? Self.mapping(from: source, to: destination) : nil
            })
        #expect(steps.map(\.source) == [0, 2])
        #expect(steps.map(\.destination) == [2, 3])
        #expect(steps.map(\.isInferred) == [false, true])
        #expect(try await values("code", versions[3]) == Array(repeating: "unknown", count: 20))
        #expect(try await values("priority", versions[3]) == Array(repeating: "2", count: 20))
        #expect(try await values("note", versions[3]).first == "nil")
    }

    @Test func whereNoPathLeads() async throws {
        let versions = Self.versions()
        try await fill(versions[0])
        let error = #expect(throws: MagicalRecordError.self) {
            try MagicalRecord.migrateStore(.sqlite(at: file), through: versions)
        }
        #expect(error?.code == .noMigrationPath)
        #expect(error?.underlying != nil)
        #expect(try await values("title", versions[0]).count == 20)
        let unknown = #expect(throws: MagicalRecordError.self) {
            try MagicalRecord.migrateStore(.sqlite(at: file), through: Array(versions.dropFirst()))
        }
        #expect(unknown?.code == .modelNotFound)
    }

    @Test func cancelled() async throws {
        let versions = Array(Self.versions().prefix(2))
        try await fill(versions[0])
        let progress = Progress(totalUnitCount: 0)
        progress.cancel()
        let error = #expect(throws: MagicalRecordError.self) {
            try MagicalRecord.migrateStore(.sqlite(at: file), through: versions, progress: progress)
        }
        #expect(error?.code == .cancelled)
        #expect(try await values("title", versions[0]).count == 20)
    }
}
