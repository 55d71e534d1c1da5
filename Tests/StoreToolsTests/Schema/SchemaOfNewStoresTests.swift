import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import ModelFormat
import ModelPredicates
import StoreTools
import Testing

/// Stores that CoreData makes have the statements of the schema.
@Suite struct SchemaOfNewStoresTests {
    private static func differences(_ model: Model?, _ url: URL) throws -> [String] {
        let database = try SchemaTestStore.database(url)
        let description = try StoreDescription(database)
        var differences: [String] = description.problems
        let file = try SchemaTestStatements(database)
        // The schema of the given model as for a new file, and that of the store's own model in this file.
        if let model { differences += SchemaTestStatements(try StoreSchema(model)).differences(from: file) }
        differences += SchemaTestStatements(try description.schema()).differences(from: file)
        if let model { _ = try description.schema(for: model) }
        return differences
    }

    @Test func theLibraryModel() throws {
        let folder = try TemporaryFolder()
        let url = try SchemaTestStore.make(LibraryModel.make(), in: folder, name: "Library")
        let differences = try Self.differences(nil, url)
        #expect(differences == [])
    }

    @Test(arguments: SchemaModels.ofExamples) func theModelsOfExamples(_ file: SchemaModels.File) throws {
        let folder = try TemporaryFolder()
        for version in try ModelBundle(contentsOf: file.url).versions {
            let url = try SchemaTestStore.make(version.model, in: folder)
            let differences = try Self.differences(version.model, url)
            #expect(differences == [], "\(version.name)")
        }
    }

    @Test(.enabled(if: RealStores.areAvailable, RealStores.comment), arguments: SchemaModels.shared)
    func theSharedModels(_ file: SchemaModels.File) throws {
        let folder = try TemporaryFolder()
        let versions = try ModelBundle(contentsOf: file.url).versions
        for version in LongForm.isWanted ? versions : Array(versions.suffix(2)) {
            let url = try SchemaTestStore.make(version.model, in: folder)
            let differences = try Self.differences(version.model, url)
            #expect(differences == [], "\(version.name)")
        }
    }

    @Test func randomModels() throws {
        let folder = try TemporaryFolder()
        for seed in 0..<LongForm.choose(30, long: 300) {
            var models = SchemaRandomModels(seed: seed)
            // In an archive, a flag or number that says the same as another part may have another form.
            let model = try Model(archive: models.make().archive(parser: FormatTextParser()))
            let url = try SchemaTestStore.make(model, in: folder)
            let differences = try Self.differences(model, url)
            #expect(differences == [], "seed \(seed)")
            try? FileManager.default.removeItem(at: url)
        }
    }
}

/// Models in files.
enum SchemaModels {
    struct File: CustomTestStringConvertible, Sendable {
        var url: URL
        var testDescription: String { url.lastPathComponent }
    }

    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let ofExamples = [
        "Benchmarks/Sources/CoreDataEngine/Model", "LoanServer/Sources/LoanService/Loans",
        "Migration/Sources/Migration/Tasks", "RandomNumbers/Sources/RandomNumbers/RandomNumbers",
        "AddressBook/Sources/AddressBookModel/AddressBook",
    ].map { File(url: package.appendingPathComponent("Examples/\($0).xcdatamodeld")) }

    static let shared = ["mage-ios-sdk", "magicalrecord-tests/TestModel"].map {
        File(url: RealStores.folder.deletingLastPathComponent().appendingPathComponent("models/\($0).xcdatamodeld"))
    }
}
