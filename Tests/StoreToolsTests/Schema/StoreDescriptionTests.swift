import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

/// The parts of a store's description are read separately.
@Suite struct StoreDescriptionTests {
    /// Returns the description of a store after statements have changed it.
    private static func description(after statements: String...) throws -> StoreDescription {
        let folder = try TemporaryFolder()
        let url = try SchemaTestStore.make(LibraryModel.make(), in: folder, name: "Library")
        let database = try SchemaTestStore.database(url)
        for statement in statements { try database.execute(statement) }
        return try StoreDescription(database)
    }

    private static let entities = ["Author", "Award", "Book", "Shelf", "Tag"]

    @Test func aNewStoreDescribesItself() throws {
        let description = try Self.description()
        #expect(description.problems == [])
        #expect(description.model?.entities.map(\.name).sorted() == Self.entities)
        #expect(description.numbers.keys.sorted() == Self.entities)
        #expect(description.numbers["Book"] == StoreDescription.EntityRow(number: 3, parent: 0, highestKey: 0))
        #expect(description.columns["ZTAG"] == ["Z_PK", "Z_ENT", "Z_OPT", "ZWORD"])
        #expect(description.tables.map(\.name).contains("Z_3TAGS"))
        #expect(description.indexes.contains { $0.name == "ZBOOK_ZAUTHOR_INDEX" && $0.table == "ZBOOK" })
        #expect(!description.indexes.contains { $0.name.hasPrefix("sqlite_") })
        let schema = try description.schema()
        #expect(schema.entities.map(\.name) == Self.entities)
    }

    @Test func missingTablesAreProblems() throws {
        let description = try Self.description(after: "DROP TABLE Z_METADATA", "DROP TABLE Z_PRIMARYKEY")
        #expect(description.problems.count == 2)
        #expect(description.problems.contains { $0.contains("no table Z_METADATA") })
        #expect(description.problems.contains { $0.contains("no table Z_PRIMARYKEY") })
        #expect(description.uuid == nil && description.metadata.isEmpty && description.numbers.isEmpty)
        // The model's own numbers are assumed.
        let schema = try description.schema()
        #expect(schema.entities.map(\.number) == [1, 2, 3, 4, 5])
    }

    @Test func damagedMetadataAreAProblemOfTheirOwn() throws {
        let description = try Self.description(
            after: "UPDATE Z_METADATA SET Z_PLIST = substr(Z_PLIST, 1, 60), Z_UUID = NULL")
        #expect(description.problems.count == 2)
        #expect(description.versionHashes.isEmpty)
        #expect(description.model != nil && description.numbers.count == 5)
        let other = try Self.description(after: "DELETE FROM Z_METADATA")
        #expect(other.problems == ["The metadata are missing: Z_METADATA has no row."])
        let text = try Self.description(after: "UPDATE Z_METADATA SET Z_PLIST = 'no list'")
        #expect(text.problems.count == 1)
        #expect(text.uuid?.count == 36)
    }

    @Test func rowsOfEntitiesWithoutNumberOrNameAreProblems() throws {
        let description = try Self.description(
            after: "INSERT INTO Z_PRIMARYKEY VALUES (99, NULL, 0, 0), (-4, 'X', 0, 0), (100, 'Book', 0, 'a')",
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 'many', Z_SUPER = NULL WHERE Z_NAME = 'Tag'")
        #expect(description.problems.count == 3)
        #expect(description.numbers.count == 5)
        #expect(description.numbers["Tag"] == StoreDescription.EntityRow(number: 5, parent: nil, highestKey: nil))
    }

    @Test func aDamagedModelIsAProblemAndAGivenOneServes() throws {
        let description = try Self.description(after: "UPDATE Z_MODELCACHE SET Z_CONTENT = randomblob(900)")
        #expect(description.model == nil)
        #expect(description.modelProblem?.contains("cannot be read") == true)
        #expect(description.problems.count == 1)
        let error = #expect(throws: StoreToolError.self) { try description.schema() }
        #expect(error?.code == .noModel)
        let model = try #require(try Self.description().model)
        let schema = try description.schema(for: model)
        #expect(schema.tables.count == 5)
        var other = model
        other.entities.removeAll { $0.name == "Award" }
        for index in other.entities.indices {
            other.entities[index].relationships.removeAll { $0.destinationName == "Award" }
        }
        let refusal = #expect(throws: StoreToolError.self) { try description.schema(for: other) }
        #expect(refusal?.code == .otherModel)
        #expect(refusal?.message.contains("differ in Author; the model lacks Award") == true)
    }

    @Test func aStoreWithoutAModelIsNotDamaged() throws {
        for statement in ["DELETE FROM Z_MODELCACHE", "DROP TABLE Z_MODELCACHE"] {
            let description = try Self.description(after: statement)
            #expect(description.problems == [])
            #expect(description.model == nil && description.modelProblem != nil)
        }
    }

    @Test func metadataHaveSwiftTypes() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Library.sqlite")
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.5)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        var metadata = coordinator.metadata(for: store)
        metadata["flag"] = true
        metadata["number"] = 1
        metadata["real"] = 1.5
        metadata["date"] = date
        metadata["list"] = ["a", ["key": Data([1, 2])]] as [Any]
        coordinator.setMetadata(metadata, for: store)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            context.insert("Tag")
            try context.save()
        }
        try coordinator.remove(store)
        let description = try StoreDescription(try SchemaTestStore.database(url))
        #expect(description.problems == [])
        #expect(description.metadata["flag"] is Bool)
        #expect(description.metadata["number"] as? Int64 == 1)
        #expect(!(description.metadata["number"] is Bool))
        #expect(description.metadata["real"] as? Double == 1.5)
        #expect(description.metadata["date"] as? Date == date)
        let list = description.metadata["list"] as? [any Sendable]
        #expect(list?.first as? String == "a")
        let inner = list?.last as? [String: any Sendable]
        #expect(inner?["key"] as? Data == Data([1, 2]))
    }

    @Test func historyHasTheSystemTables() throws {
        let folder = try TemporaryFolder()
        let model = makeModel([
            ("A", "a: string? preserve; b: i16? preserve; c: string?"), ("B : A", "d: date? preserve"),
            ("C", "e: data? preserve"),
        ])
        let url = folder.file("History.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true as NSNumber])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            context.insert("B", ["a": "x"])
            try context.save()
        }
        try coordinator.remove(store)
        let description = try StoreDescription(try SchemaTestStore.database(url))
        let schema = try description.schema()
        #expect(schema.tombstoneCount == 3)
        let tables = SystemTables.historyTables(tombstones: 3) + SystemTables.all
        for table in tables {
            #expect(description.tables.first { $0.name == table.name } == table)
        }
        for index in SystemTables.historyIndexes {
            #expect(description.indexes.first { $0.name == index.name } == index)
        }
        for (number, name) in SystemTables.historyNames { #expect(description.numbers[name]?.number == number) }
    }

    @Test func statementsMakeAFileThatCoreDataOpens() throws {
        let folder = try TemporaryFolder()
        let first = try SchemaTestStore.make(LibraryModel.make(), in: folder, name: "First")
        let source = try SchemaTestStore.database(first)
        let schema = try StoreDescription(source).schema()
        let second = folder.file("Second.sqlite")
        try Data().write(to: second)
        do {
            let database = try SchemaTestStore.database(second)
            for sql in schema.creationStatements(isSpatial: true) { try database.execute(sql) }
            try database.execute("ATTACH '\(first.path)' AS first")
            for table in SystemTables.all {
                try database.execute("INSERT INTO \(table.name) SELECT * FROM first.\(table.name)")
            }
        }
        try SchemaTestStore.open(LibraryModel.make(), at: second) { $0.insert("Tag", ["word": "new"]) }
        let count = try SchemaTestStore.database(second).integer("SELECT count(*) FROM ZTAG WHERE ZWORD = 'new'")
        #expect(count == 1)
    }
}
