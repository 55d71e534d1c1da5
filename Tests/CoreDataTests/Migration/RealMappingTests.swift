import Foundation
import Testing

@testable import CoreData

/// Mapping models that published programs ship, over the stores these programs wrote with Apple's framework. What the migrated
/// file holds is compared with the source by plain SQL over both.
@Suite("Mapping models of real programs", .enabled(if: RealStores.areAvailable, RealStores.comment))
struct RealMappingTests {
    /// A mapping model with both of its versions, and a copy of a store to be migrated.
    private struct Case {
        let copy: RealStores.Copy
        let source: NSManagedObjectModel
        let destination: NSManagedObjectModel
        let mapping: NSMappingModel
    }

    private static func file(_ path: String) -> URL { RealStores.folder.appendingPathComponent(path) }

    private func posts(from version: Int) throws -> Case {
        let bundle = "migration-example/CoreDataMigration_Example.xcdatamodeld/CoreDataMigration_Example"
        func model(_ number: Int) throws -> NSManagedObjectModel {
            let path = bundle + (number == 1 ? "" : " \(number)") + ".xcdatamodel"
            return try #require(NSManagedObjectModel(contentsOf: Self.file(path)))
        }
        let mapping = "migration-example/Migration\(version)to\(version + 1).xcmappingmodel"
        return Case(
            copy: try RealStores.copy(
                of: .init(store: "migration-example/CoreDataMigration_Example_\(version).sqlite", model: nil)),
            source: try model(version), destination: try model(version + 1),
            mapping: try #require(NSMappingModel(contentsOf: Self.file(mapping))))
    }

    /// The store is of the first version, for which no mapping model exists: it is brought to the second by an inferred mapping.
    private func cars() throws -> Case {
        func model(_ number: Int) throws -> NSManagedObjectModel {
            let name = "SampleModel" + (number == 1 ? "" : "\(number)")
            return try #require(NSManagedObjectModel(contentsOf: Self.file("sample/SampleModel.momd/\(name).mom")))
        }
        let copy = try RealStores.copy(of: .init(store: "sample/SampleModel_V1.sqlite", model: nil))
        let source = try model(2)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: source)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: copy.url, options: MigrationStore.automatically)
        try coordinator.remove(store)
        return Case(
            copy: copy, source: source, destination: try model(3),
            mapping: try #require(NSMappingModel(contentsOf: Self.file("sample/V2toV3.xcmappingmodel"))))
    }

    /// Where the migrated store is made.
    enum Way: CaseIterable, Sendable { case anotherFile, inItsPlace }

    /// Migrates, and returns where the result is.
    private func migrate(_ test: Case, _ mapping: NSMappingModel, _ way: Way) throws -> URL {
        switch way {
        case .anotherFile:
            let result = test.copy.url.deletingLastPathComponent().appendingPathComponent("Result.sqlite")
            try NSMigrationManager(sourceModel: test.source, destinationModel: test.destination).migrateStore(
                from: test.copy.url, type: .sqlite, mapping: mapping, to: result, type: .sqlite)
            return result
        case .inItsPlace:
            // What a coordinator does with a mapping model it has found among the program's resources.
            try FileMigration(
                url: test.copy.url, type: NSSQLiteStoreType, source: test.source, destination: test.destination,
                mapping: mapping, configuration: nil, options: StoreOptions(nil)
            ).run(in: StoreWorkplace(for: test.copy.url, type: NSSQLiteStoreType, timeout: 5))
            return test.copy.url
        }
    }

    private func checkFile(_ url: URL, _ test: Case) throws {
        #expect(try ForeignSchema.integrity(url) == ["ok"])
        #expect(try StoreAuditor(url, test.destination.layouts).problems() == [])
        #expect(try MigrationStore.schema(url) == MigrationStore.schema(ofNewStore: test.destination))
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        #expect(test.destination.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    }

    /// The mapping's policy is a class of the program it comes from: the error names it, and the store stays as it was.
    private func checkRefusal(_ test: Case, className: String, _ way: Way) throws {
        let bytes = try Data(contentsOf: test.copy.url)
        let (content, schema) = (try FileContent(test.copy.url), try MigrationStore.schema(test.copy.url))
        let error = try #require(
            #expect(throws: (any Error).self) { try migrate(test, test.mapping, way) } as NSError?)
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == NSEntityMigrationPolicyError)
        #expect(error.localizedFailureReason?.contains(className) == true, "\(error)")
        #expect(error.localizedRecoverySuggestion?.contains("register(named:)") == true, "\(error)")
        // Opened for writing, a file that had a rollback journal has a write-ahead log from then on; nothing else differs.
        if way == .anotherFile { #expect(try Data(contentsOf: test.copy.url) == bytes) }
        #expect(try FileContent(test.copy.url) == content)
        #expect(try MigrationStore.schema(test.copy.url) == schema)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: test.copy.url)
        #expect(test.source.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        let files = try FileManager.default.contentsOfDirectory(atPath: test.copy.url.deletingLastPathComponent().path)
        #expect(!files.contains { $0.hasPrefix("Result") }, "\(files)")
    }

    /// The mapping with policies of the tests in place of the program's.
    private func mapping(_ test: Case, policy: NSEntityMigrationPolicy.Type) throws -> NSMappingModel {
        let mapping = try #require(test.mapping.copy() as? NSMappingModel)
        for entity in mapping.entityMappings where entity.entityMigrationPolicyClassName != nil {
            entity.entityMigrationPolicyClassName = String(reflecting: policy)
        }
        return mapping
    }

    @Test(arguments: Way.allCases)
    func expressions(_ way: Way) throws {
        let test = try posts(from: 1)
        defer { test.copy.remove() }
        let posts = "SELECT quote(ZPOSTID), quote(ZDATE), quote(%@) FROM ZPOST ORDER BY 1, 2, 3"
        let before = try ForeignSchema.rows(test.copy.url, posts.replacing("%@", with: "ZCOLOR"))
        #expect(before.count == 1001)
        let result = try migrate(test, test.mapping, way)
        #expect(try ForeignSchema.rows(result, posts.replacing("%@", with: "ZHEXCOLOR")) == before)
        try checkFile(result, test)
    }

    @Test(arguments: Way.allCases)
    func policyThatMakesObjects(_ way: Way) throws {
        let test = try posts(from: 2)
        defer { test.copy.remove() }
        try checkRefusal(test, className: "CoreDataMigration_Example.Post2ToPost3MigrationPolicy", way)
        let before = try ForeignSchema.rows(
            test.copy.url, "SELECT quote(ZPOSTID), quote(ZDATE), quote(ZHEXCOLOR) FROM ZPOST ORDER BY 1, 2, 3")
        #expect(before.count == 5979)
        let result = try migrate(test, try mapping(test, policy: ColorPolicy.self), way)
        #expect(
            try ForeignSchema.rows(
                result,
                "SELECT quote(p.ZPOSTID), quote(p.ZDATE), quote(c.ZHEX) FROM ZPOST p JOIN ZCOLOR c "
                    + "ON p.ZCOLOR = c.Z_PK AND c.ZPOST = p.Z_PK ORDER BY 1, 2, 3") == before)
        #expect(try ForeignSchema.rows(result, "SELECT COUNT(*) FROM ZCOLOR") == ["5979"])
        try checkFile(result, test)
    }

    @Test(arguments: Way.allCases)
    func inheritanceAndLinks(_ way: Way) throws {
        let test = try cars()
        defer { test.copy.remove() }
        try checkRefusal(test, className: "REPLACE_AT_RUNTIME.V2to3MakerPolicy", way)
        func rows(_ url: URL, _ sql: String) throws -> [String] { try ForeignSchema.rows(url, sql) }
        let names = "(SELECT Z_NAME FROM Z_PRIMARYKEY k WHERE k.Z_ENT = c.Z_ENT)"
        let cars =
            "SELECT \(names), quote(c.ZNUMBERPLATE), quote(c.ZMODEL), quote(c.ZMARKEDFORDELETIONASOF), "
            + "quote(c.ZISLIMITEDEDITION) FROM ZCAR c ORDER BY 1, 2, 3"
        let people = "SELECT quote(ZFIRSTNAME), quote(ZLASTNAME), quote(ZUPDATEDAT) FROM ZPERSON ORDER BY 1, 2, 3"
        let owners =
            "SELECT c.ZNUMBERPLATE, p.ZFIRSTNAME, p.ZLASTNAME FROM ZCAR c JOIN ZPERSON p ON c.ZOWNER = p.Z_PK ORDER BY 1"
        let makers = "SELECT ZNUMBERPLATE, ZMAKER FROM ZCAR WHERE ZMAKER IS NOT NULL ORDER BY 1"
        let url = test.copy.url
        let before = (try rows(url, cars), try rows(url, people), try rows(url, owners), try rows(url, makers))
        #expect(before.0.count == 125)
        #expect(before.1.count == 20)
        #expect(before.2.count > 50 && before.3.count > 50)
        let result = try migrate(test, try mapping(test, policy: MakerPolicy.self), way)
        #expect(try rows(result, cars) == before.0)
        #expect(try rows(result, people) == before.1)
        #expect(try rows(result, owners) == before.2)
        #expect(
            try rows(
                result,
                "SELECT c.ZNUMBERPLATE, m.ZNAME FROM ZCAR c JOIN ZMAKER m ON c.ZCREATEDBY = m.Z_PK ORDER BY 1")
                == before.3)
        // The mapping gives each car's owner as its only former one.
        let schema = SQLSchema(test.destination.layouts, numbering: EntityNumbering(test.destination.layouts))
        let join = try #require(schema.joins.first)
        let isCarFirst = test.destination.layouts.byNumber[join.first.entity]?.name == "Car"
        let (car, person) =
            isCarFirst ? (join.firstColumn, join.secondColumn) : (join.secondColumn, join.firstColumn)
        #expect(
            try rows(
                result,
                "SELECT c.ZNUMBERPLATE, p.ZFIRSTNAME, p.ZLASTNAME FROM \(join.name) j JOIN ZCAR c ON j.\(car) = c.Z_PK "
                    + "JOIN ZPERSON p ON j.\(person) = p.Z_PK ORDER BY 1") == before.2)
        try checkFile(result, test)
    }
}

/// Gives each post a color of its own, as the program's policy does according to its published store.
final class ColorPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let color = NSEntityDescription.insertNewObject(forEntityName: "Color", into: manager.destinationContext)
        color.setValue(UUID().uuidString, forKey: "colorID")
        color.setValue(sInstance.value(forKey: "hexColor"), forKey: "hex")
        let posts = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        posts.first?.setValue(color, forKey: "color")
    }
}

/// Turns the text of a car's maker into an object that all cars of the maker share.
final class MakerPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        guard let name = sInstance.value(forKey: "maker") as? String else { return }
        var makers = manager.userInfo?["makers"] as? [String: NSManagedObject] ?? [:]
        let maker =
            makers[name]
            ?? NSEntityDescription.insertNewObject(forEntityName: "Maker", into: manager.destinationContext)
        maker.setValue(name, forKey: "name")
        makers[name] = maker
        manager.userInfo = ["makers": makers]
        let cars = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        cars.first?.setValue(maker, forKey: "createdBy")
    }
}
