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
            try MagicalRecord.Query<NSManagedObject>(entityNamed: "Task").findAll(in: context)
                .map { "\($0.value(forKey: key) ?? "nil")" }.sorted()
        }
        try await stack.tearDown()
        return values
    }

    @Test func automatically() async throws {
        let versions = Self.versions()
        try await fill(versions[0])
        let stack = try MagicalRecord.Stack([.sqlite(at: file)], shape: .server, model: .model(versions[1]))
        #expect(
            try await stack.read { try MagicalRecord.Query<NSManagedObject>(entityNamed: "Task").count(in: $0) } == 20)
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
}
