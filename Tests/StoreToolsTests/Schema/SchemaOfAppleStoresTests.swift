import CoreDataTestSupport
import Foundation
import ModelFormat
import StoreTools
import Testing

/// Stores that Apple's framework made have the statements of the schema.
@Suite(.enabled(if: RealStores.areAvailable, RealStores.comment)) struct SchemaOfAppleStoresTests {
    private static func model(_ sample: RealStores.Sample) throws -> Model? {
        try sample.model.map { path in
            let url = RealStores.folder.appendingPathComponent(path)
            let bundle = try ModelBundle(contentsOf: url.deletingLastPathComponent())
            let name = url.deletingPathExtension().lastPathComponent
            return try #require(bundle.versions.first { $0.name == name }).model
        }
    }

    @Test(arguments: RealStores.all) func tablesIndexesAndTriggersAreEqual(_ sample: RealStores.Sample) throws {
        let copy = try RealStores.copy(of: sample)
        defer { copy.remove() }
        let database = try SchemaTestStore.database(copy.url)
        let description = try StoreDescription(database)
        let given = try Self.model(sample)
        let schema = try description.schema(for: sample.isOld ? given : nil)
        let file = try SchemaTestStatements(database)
        let expected = SchemaTestStatements(schema)
        // A framework of 2009 does not sort columns by name.
        if !sample.isOld {
            let differences = SchemaTestStatements.differences(expected.tables, file.tables)
            #expect(differences == [])
        }
        let differences = SchemaTestStatements.differences(expected.others, file.others)
        #expect(differences == [])
        for table in schema.tables {
            let columns = table.columns.map(\.name), found = try #require(description.columns[table.name])
            #expect(sample.isOld ? columns.sorted() == found.sorted() : columns == found)
        }
        // The store's own model is not the only one that gives these names.
        if let given {
            let other = SchemaTestStatements(try StoreSchema(given)).differences(from: SchemaTestStatements(schema))
            #expect(other == [])
        }
    }

    @Test(arguments: RealStores.all) func partsOfTheDescriptionAreThere(_ sample: RealStores.Sample) throws {
        let copy = try RealStores.copy(of: sample)
        defer { copy.remove() }
        let database = try SchemaTestStore.database(copy.url)
        let description = try StoreDescription(database)
        #expect(description.uuid?.count == 36)
        let version = try #require(description.frameworkVersion)
        #expect((200..<2000).contains(version))
        #expect((description.model == nil) == sample.isOld)
        #expect(description.problems == [])
        #expect(description.versionHashes.values.allSatisfy { $0.count == 32 })
        let entities = try database.integer("SELECT count(*) FROM Z_PRIMARYKEY")
        #expect(entities == Int64(description.numbers.count))
        let own = description.numbers.filter { $0.value.number < 16000 }
        #expect(Set(own.keys) == Set(description.versionHashes.keys))
        #expect(description.metadata["NSStoreType"] as? String == "SQLite")
        #expect(description.metadata["NSStoreModelVersionHashesVersion"] as? Int64 == 3)
    }

    @Test func aModelOfAnotherVersionIsNamed() throws {
        let samples = RealStores.all.filter { $0.store.hasPrefix("bookmarks/") }
        let copy = try RealStores.copy(of: samples[0])
        defer { copy.remove() }
        let description = try StoreDescription(try SchemaTestStore.database(copy.url))
        let other = try Self.model(samples[2])
        let error = #expect(throws: StoreToolError.self) { try description.schema(for: other) }
        #expect(error?.code == .otherModel)
        #expect(error?.message.contains("differ in BookmarkEntity") == true)
        let own = try Self.model(samples[0])
        #expect(throws: Never.self) { try description.schema(for: own) }
    }

    @Test func anOldStoreAsksForItsModel() throws {
        let sample = try #require(RealStores.all.first { $0.isOld })
        let copy = try RealStores.copy(of: sample)
        defer { copy.remove() }
        let description = try StoreDescription(try SchemaTestStore.database(copy.url))
        let error = #expect(throws: StoreToolError.self) { try description.schema() }
        #expect(error?.code == .noModel)
        #expect(error?.advice?.contains("model") == true)
    }
}
