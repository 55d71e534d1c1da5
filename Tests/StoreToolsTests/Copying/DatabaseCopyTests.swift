#if PostgreSQL
import CoreData
import CoreDataTestSupport
import Foundation
import PostgreSQLTestSupport
import StoreToolCommands
import StoreTools
import Testing

/// Stores go to a database and back, and are what they were.
@Suite(.enabled(if: TestServer.isAvailable)) struct DatabaseCopyTests {
    /// Runs `body` with a new schema, which is removed afterwards.
    static func withSchema<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let url = try TestServer.makeSchema()
        defer { TestServer.removeSchema(url) }
        return try body(url)
    }

    /// Copies a store to a database and back to a file, and compares all three.
    private static func check(
        _ source: URL, _ model: NSManagedObjectModel, options: [String] = [], modelPath: String? = nil
    ) throws {
        let folder = try TemporaryFolder()
        let back = folder.file("Back.sqlite")
        try withSchema { database in
            let named = modelPath.map { ["--model", $0] } ?? []
            let out = CommandRunner.run(words: ["copy", source.path, database.absoluteString] + options + named)
            try #require(out.status == 0, "\(out.errors)")
            let home = CommandRunner.run(words: ["copy", database.absoluteString, back.path] + options)
            try #require(home.status == 0, "\(home.errors)")
            #expect(!(out.output + home.output).contains(":\(database.password ?? "?")@"))
            // Triggers of SQLite stores count rows twice that refer to themselves.
            let skips = out.output.contains("computed again")
            let first = try GraphContent.of(source, model, roundsDates: true, skipsDerived: skips)
            let second = try GraphContent.of(database, model, roundsDates: true, skipsDerived: skips)
            let third = try GraphContent.of(back, model, skipsDerived: skips)
            let exact = try GraphContent.of(database, model, skipsDerived: skips)
            #expect(GraphContent.differences(first.objects, second.objects) == [])
            #expect(GraphContent.differences(exact.objects, third.objects) == [])
            #expect(first.metadata == second.metadata)
            #expect(first.metadata == third.metadata)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            #expect(names.allSatisfy { !$0.contains("unfinished") })
            let checked = CommandRunner.run("check", back.path)
            #expect(checked.status == 0 || home.output.contains("computed again"), "\(checked.output)")
        }
    }

    @Test(arguments: ValueStores.named.map(\.name).filter { $0 != "extreme values" })
    func everyKindOfValue(_ name: String) throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        let maker = try #require(ValueStores.named.first { $0.name == name })
        try Self.check(url, maker.make(url))
    }

    @Test func aStoreThatIsInUse() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        let maker = try #require(ValueStores.named.first { $0.name == "people" })
        let model = try maker.make(url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            // In the log, which nobody has emptied.
            context.insert("Person", ["serial": 1000, "name": "late"])
            try context.save()
        }
        try Self.check(url, model)
        try coordinator.remove(store)
    }

    @Test func aDatabaseIsCopiedToAnother() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        let maker = try #require(ValueStores.named.first { $0.name == "library" })
        let model = try maker.make(url)
        try Self.withSchema { first in
            #expect(CommandRunner.run("copy", url.path, first.absoluteString).status == 0)
            try Self.withSchema { second in
                let result = CommandRunner.run("copy", first.absoluteString, second.absoluteString)
                #expect(result.status == 0, "\(result.errors)")
                let (one, other) = (try GraphContent.of(first, model), try GraphContent.of(second, model))
                #expect(GraphContent.differences(one.objects, other.objects) == [])
                #expect(one.metadata == other.metadata)
            }
        }
    }

    @Test(arguments: 0..<12)
    func storesOfRandomModels(_ seed: Int) throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        try Self.check(url, ValueStores.random(seed: seed, at: url), options: ["--lossy"])
    }

    @Test(.enabled(if: RealStores.areAvailable, RealStores.comment), arguments: RealStores.all)
    func storesOfApplesFramework(_ sample: RealStores.Sample) throws {
        for name in ["CoverTransformer", "ContentTransformer", "ImageToDataTransformer"] {
            ValueTransformer.setValueTransformer(BytesTransformer(), forName: NSValueTransformerName(name))
        }
        let copy = try RealStores.copy(of: sample)
        defer { copy.remove() }
        let path = sample.model.map { RealStores.folder.appendingPathComponent($0).path }
        let model = try sample.loadModel(copy)
        try Self.check(copy.url, model, modelPath: path)
    }
}

/// Shows the bytes of values.
private final class BytesTransformer: ValueTransformer, @unchecked Sendable {
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? { value }
    override func reverseTransformedValue(_ value: Any?) -> Any? { value }
}
#endif
