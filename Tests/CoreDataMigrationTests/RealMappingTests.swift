import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import ModelFormat
import Testing

@testable import CoreData

/// Mapping models that Xcode wrote for programs, run over stores that Apple's framework wrote. The classes of their policies
/// belong to those programs; what they do is done here by policies of our own.
@Suite("Mapping models of real programs", .enabled(if: RealStores.areAvailable, RealStores.comment))
struct RealMappingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func model(_ path: String) throws -> NSManagedObjectModel {
        try #require(NSManagedObjectModel(contentsOf: RealStores.folder.appendingPathComponent(path)))
    }

    private static func posts(_ version: String) throws -> NSManagedObjectModel {
        try model(
            "migration-example/CoreDataMigration_Example.xcdatamodeld/CoreDataMigration_Example\(version).xcdatamodel")
    }

    private static func cars(_ version: String) throws -> NSManagedObjectModel {
        try model("sample/SampleModel.xcdatamodeld/SampleModel\(version).xcdatamodel")
    }

    private func copy(_ store: String) throws -> URL {
        let url = folder.file((store as NSString).lastPathComponent)
        try FileManager.default.copyItem(at: RealStores.folder.appendingPathComponent(store), to: url)
        return url
    }

    private func mapping(_ path: String) throws -> NSMappingModel {
        try #require(NSMappingModel(contentsOf: RealStores.folder.appendingPathComponent(path)))
    }

    private func migrate(
        _ url: URL, _ source: NSManagedObjectModel, by mapping: NSMappingModel, to destination: NSManagedObjectModel
    ) throws -> URL {
        let result = folder.file("migrated.sqlite")
        try NSMigrationManager(sourceModel: source, destinationModel: destination).migrateStore(
            from: url, sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: result,
            destinationType: NSSQLiteStoreType, destinationOptions: nil)
        return result
    }

    /// The rows of one column, over the new file and the old one as `old`.
    private func rows(_ new: URL, _ old: URL, _ query: String) throws -> [String] {
        let connection = try SQLiteConnection(path: new.path, access: .readWrite, busyTimeout: 5)
        try connection.execute("ATTACH '\(old.path)' AS old")
        let statement = try connection.prepare(query)
        var rows: [String] = []
        while try statement.step() { rows.append(statement.text(0) ?? "NULL") }
        return rows
    }

    /// That both queries have the same rows, and how many.
    private func agree(_ new: URL, _ old: URL, _ one: String, _ other: String) throws -> Int? {
        for (first, second) in [(one, other), (other, one)] {
            let difference = try rows(
                new, old, "SELECT count(*) FROM (SELECT * FROM (\(first)) EXCEPT SELECT * FROM (\(second)))")
            #expect(difference == ["0"])
        }
        return try Int(rows(new, old, "SELECT count(*) FROM (\(one))")[0])
    }

    private func check(_ url: URL, _ model: NSManagedObjectModel) throws {
        #expect(try rows(url, url, "PRAGMA integrity_check") == ["ok"])
        let problems = try StoreAuditor(url, model.layouts).problems()
        #expect(problems.isEmpty, "\(problems)")
    }

    // MARK: Posts, whose colours are renamed, and then become objects

    @Test func renamesAnAttribute() throws {
        let old = try copy("migration-example/CoreDataMigration_Example_1.sqlite")
        let new = try migrate(
            old, Self.posts(""), by: mapping("migration-example/Migration1to2.xcmappingmodel"), to: Self.posts(" 2"))
        let count = try agree(
            new, old, "SELECT ZPOSTID, ZDATE, ZHEXCOLOR FROM main.ZPOST", "SELECT ZPOSTID, ZDATE, ZCOLOR FROM old.ZPOST"
        )
        #expect(count == 1001)
        try check(new, Self.posts(" 2"))
    }

    /// By the version hashes of the models, among those of a bundle.
    @Test func isFoundInABundle() throws {
        let old = try copy("migration-example/CoreDataMigration_Example_1.sqlite")
        let bundle = folder.file("Posts.bundle")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        for name in ["Migration1to2", "Migration2to3"] {
            let path = RealStores.folder.appendingPathComponent("migration-example/\(name).xcmappingmodel")
            try MappingModel(contentsOf: path).archive().write(to: bundle.appendingPathComponent("\(name).cdm"))
        }
        let package = try #require(Bundle(url: bundle))
        let (source, destination) = try (Self.posts(""), Self.posts(" 2"))
        let found = try #require(NSMappingModel(from: [package], forSourceModel: source, destinationModel: destination))
        #expect(found.entityMappings.map(\.name) == ["PostToPost"])
        let new = try migrate(old, Self.posts(""), by: found, to: Self.posts(" 2"))
        #expect(try rows(new, old, "SELECT count(*) FROM ZPOST WHERE ZHEXCOLOR IS NOT NULL") == ["1001"])
    }

    @Test(.slow) func makesObjectsOfValuesByAPolicy() throws {
        let old = try copy("migration-example/CoreDataMigration_Example_2.sqlite")
        let mapping = try mapping("migration-example/Migration2to3.xcmappingmodel")
        for entity in mapping.entityMappings where entity.entityMigrationPolicyClassName != nil {
            entity.entityMigrationPolicyClassName = NSStringFromClass(PostColorPolicy.self)
        }
        let new = try migrate(old, Self.posts(" 2"), by: mapping, to: Self.posts(" 3"))
        let count = try agree(
            new, old,
            """
            SELECT ZPOST.ZPOSTID, ZPOST.ZDATE, ZCOLOR.ZHEX, ZCOLOR.ZCOLORID FROM main.ZPOST
            JOIN main.ZCOLOR ON ZPOST.ZCOLOR = ZCOLOR.Z_PK AND ZCOLOR.ZPOST = ZPOST.Z_PK
            """, "SELECT ZPOSTID, ZDATE, ZHEXCOLOR, ZPOSTID FROM old.ZPOST")
        #expect(count == 5979)
        #expect(try rows(new, old, "SELECT count(*) FROM main.ZCOLOR") == ["5979"])
        try check(new, Self.posts(" 3"))
    }

    /// The class of a policy is the program's: without it the store is not touched, and the error names it.
    @Test(arguments: [
        ("migration-example/CoreDataMigration_Example_2.sqlite", "migration-example/Migration2to3.xcmappingmodel")
    ])
    func namesTheClassThatIsMissing(_ store: String, _ path: String) throws {
        let old = try copy(store)
        let before = try Data(contentsOf: old)
        let mapping = try mapping(path)
        let error = #expect(throws: NSError.self) {
            try migrate(old, Self.posts(" 2"), by: mapping, to: Self.posts(" 3"))
        }
        #expect(error?.domain == NSCocoaErrorDomain)
        let text = error.map { "\($0.userInfo)" } ?? ""
        #expect(text.contains("Post2ToPost3MigrationPolicy"), "\(text)")
        #expect(try Data(contentsOf: old) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [old.lastPathComponent])
    }

    // MARK: Cars, whose makers become objects

    @Test func followsAnInferredMigration() throws {
        let old = try copy("sample/SampleModel_V1.sqlite"), second = folder.file("second.sqlite")
        try FileManager.default.copyItem(at: old, to: second)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try Self.cars("2"))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: second, options: MigrationStore.automatically)
        try coordinator.remove(store)
        #expect(
            try agree(
                second, old, "SELECT Z_PK, ZNUMBERPLATE, ZMODEL, ZMAKER, ZOWNER, ZISLIMITEDEDITION FROM main.ZCAR",
                "SELECT Z_PK, ZNUMBERPLATE, ZMODEL, ZMAKER, ZOWNER, ZISLIMITEDEDITION FROM old.ZCAR") == 125)

        let mapping = try mapping("sample/V2toV3.xcmappingmodel")
        for entity in mapping.entityMappings where entity.entityMigrationPolicyClassName != nil {
            entity.entityMigrationPolicyClassName = NSStringFromClass(CarMakerPolicy.self)
        }
        let new = try migrate(second, Self.cars("2"), by: mapping, to: Self.cars("3"))
        #expect(
            try agree(
                new, old,
                """
                SELECT c.ZNUMBERPLATE, c.ZMODEL, m.ZNAME, p.ZFIRSTNAME, p.ZLASTNAME, p.ZUPDATEDAT, c.ZISLIMITEDEDITION, e.Z_NAME
                FROM main.ZCAR c LEFT JOIN main.ZMAKER m ON c.ZCREATEDBY = m.Z_PK LEFT JOIN main.ZPERSON p ON c.ZOWNER = p.Z_PK
                JOIN main.Z_PRIMARYKEY e ON e.Z_ENT = c.Z_ENT
                """,
                """
                SELECT c.ZNUMBERPLATE, c.ZMODEL, c.ZMAKER, p.ZFIRSTNAME, p.ZLASTNAME, p.ZUPDATEDAT, c.ZISLIMITEDEDITION,
                replace(e.Z_NAME, 'ExpensiveSportCar', 'LuxuryCar')
                FROM old.ZCAR c LEFT JOIN old.ZPERSON p ON c.ZOWNER = p.Z_PK JOIN old.Z_PRIMARYKEY e ON e.Z_ENT = c.Z_ENT
                """) == 125)
        // The mapping makes the owner one of the previous owners, and the cars previous cars.
        #expect(
            try agree(
                new, old,
                """
                SELECT c.ZNUMBERPLATE, p.ZFIRSTNAME, p.ZLASTNAME FROM main.Z_1PREVIOUSOWNERS j
                JOIN main.ZCAR c ON c.Z_PK = j.Z_1PREVIOUSCARS JOIN main.ZPERSON p ON p.Z_PK = j.Z_5PREVIOUSOWNERS
                """,
                """
                SELECT c.ZNUMBERPLATE, p.ZFIRSTNAME, p.ZLASTNAME FROM old.ZCAR c JOIN old.ZPERSON p ON c.ZOWNER = p.Z_PK
                """) == 118)
        #expect(
            try agree(
                new, old, "SELECT ZNAME FROM main.ZMAKER",
                "SELECT DISTINCT ZMAKER FROM old.ZCAR WHERE ZMAKER IS NOT NULL")
                ?? 0 > 0)
        try check(new, Self.cars("3"))
    }
}

/// Makes an object of each colour, as the class of the program does by what its mapping leaves out.
final class PostColorPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        let post = try #require(
            manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [source]).first)
        let color = NSEntityDescription.insertNewObject(forEntityName: "Color", into: manager.destinationContext)
        color.setValue(source.value(forKey: "hexColor"), forKey: "hex")
        color.setValue(source.value(forKey: "postID"), forKey: "colorID")
        post.setValue(color, forKey: "color")
    }
}

/// Makes one maker of each name.
final class CarMakerPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        guard let name = source.value(forKey: "maker") as? String else { return }
        let car = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [source]).first
        let request = NSFetchRequest<NSManagedObject>(entityName: "Maker")
        request.predicate = NSPredicate(format: "name == %@", name)
        let known = try manager.destinationContext.fetch(request).first
        let maker =
            known ?? NSEntityDescription.insertNewObject(forEntityName: "Maker", into: manager.destinationContext)
        maker.setValue(name, forKey: "name")
        car?.setValue(maker, forKey: "createdBy")
    }
}
