import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Hashes of models that were read from compiled bundles, which may hold them beside the model.
@Suite("Hashes of compiled models")
struct CompiledHashTests {
    private let folder: TemporaryFolder
    private var url: URL { folder.file("Library.momd") }
    private var list: URL { url.appendingPathComponent("VersionInfo.plist") }

    init() throws { folder = try TemporaryFolder() }

    private static func library(_ title: String = "title: string?") -> NSManagedObjectModel {
        makeModel([
            ("Book", "\(title); author -> Author.books 0..1?"), ("Author", "books -> Book.author 0..0?; name: string"),
        ])
    }

    private func read() throws -> NSManagedObjectModel { try #require(NSManagedObjectModel(contentsOf: url)) }

    /// Rewrites the list with other bytes for the hash of an entity.
    private func forgeHash(of entity: String) throws -> Data {
        let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: list), format: nil)
        var info = try #require(list as? [String: Any])
        var versions = try #require(info["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
        let forged = Data(repeating: 7, count: 32)
        versions["Library"]?[entity] = forged
        info["NSManagedObjectModel_VersionHashes"] = versions
        try PropertyListSerialization.data(fromPropertyList: info, format: .binary, options: 0).write(to: self.list)
        return forged
    }

    @Test("are those of the model that was compiled") func same() throws {
        let model = Self.library()
        _ = try model.write(to: url)
        #expect(try read().entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test("come from the list beside a model that was not changed since") func believed() throws {
        _ = try Self.library().write(to: url)
        let forged = try forgeHash(of: "Book")
        #expect(try read().entityVersionHashesByName["Book"] == forged)
    }

    @Test("do not come from a list that was made for another model") func replaced() throws {
        let (first, second) = (Self.library(), Self.library("title: string"))
        let other = folder.file("Other.momd")
        _ = try first.write(to: url)
        _ = try second.write(to: other)
        let model = url.appendingPathComponent("Library.mom")
        try FileManager.default.removeItem(at: model)
        try FileManager.default.copyItem(at: other.appendingPathComponent("Other.mom"), to: model)
        #expect(try read().entityVersionHashesByName == second.entityVersionHashesByName)
        #expect(try read().entityVersionHashesByName != first.entityVersionHashesByName)
    }

    @Test("do not come from lists of other tools, and of damaged ones") func othersLists() throws {
        let model = Self.library()
        _ = try model.write(to: url)
        _ = try forgeHash(of: "Book")
        for change: (inout [String: Any]) -> Void in [
            { $0["MagicalRecord_ArchiveChecksums"] = nil },
            { $0["MagicalRecord_ArchiveChecksums"] = ["Library": 7] },
            { $0["MagicalRecord_ArchiveChecksums"] = "Library" },
            { $0["NSManagedObjectModel_VersionHashes"] = ["Library": ["Book": Data(repeating: 7, count: 3)]] },
        ] {
            let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: list), format: nil)
            var info = try #require(list as? [String: Any])
            change(&info)
            try PropertyListSerialization.data(fromPropertyList: info, format: .binary, options: 0).write(to: self.list)
            #expect(try read().entityVersionHashesByName == model.entityVersionHashesByName)
            _ = try model.write(to: url)
            _ = try forgeHash(of: "Book")
        }
    }

    @Test(
        "change when the model is edited",
        arguments: [
            { $0.entitiesByName["Book"]?.attributesByName["title"]?.isOptional = false },
            { $0.entitiesByName["Book"]?.attributesByName["title"]?.attributeType = .integer16AttributeType },
            { $0.entitiesByName["Book"]?.relationshipsByName["author"]?.isOptional = false },
            { $0.entitiesByName["Book"]?.versionHashModifier = "2" },
            { $0.entitiesByName["Book"]?.name = "Volume" },
            { $0.entitiesByName["Book"]?.uniquenessConstraints = [["title"]] },
            { $0.entitiesByName["Author"]?.properties.removeAll { $0.name == "name" } },
            { $0.entities.append(makeModel([("Shelf", "name: string?")]).entities[0].copy() as! NSEntityDescription) },
        ] as [@Sendable (NSManagedObjectModel) -> Void])
    func edited(_ edit: @Sendable (NSManagedObjectModel) -> Void) throws {
        let original = Self.library()
        _ = try original.write(to: url)
        let model = try read()
        edit(model)
        // The same edit of a model that never had its hashes from a file.
        edit(original)
        #expect(model.entityVersionHashesByName == original.entityVersionHashesByName)
        #expect(try model.entityVersionHashesByName != read().entityVersionHashesByName)
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test("follow the parts of composite attributes") func composites() throws {
        func make() -> NSManagedObjectModel {
            let model = Self.library()
            let place = NSCompositeAttributeDescription()
            place.name = "place"
            place.elements = ["shelf", "floor"].map { name in
                let element = NSAttributeDescription()
                element.name = name
                element.attributeType = .integer16AttributeType
                return element
            }
            model.entitiesByName["Book"]?.properties.append(place)
            return model
        }
        _ = try make().write(to: url)
        let model = try read()
        let place = model.entitiesByName["Book"]?.attributesByName["place"] as? NSCompositeAttributeDescription
        try #require(place).elements[0].attributeType = .stringAttributeType
        #expect(model.entityVersionHashesByName["Book"] != make().entityVersionHashesByName["Book"])
    }

    @Test("let a store be opened, and refuse one of another model") func stores() throws {
        _ = try Self.library().write(to: url)
        let store = folder.file("Library.sqlite")
        func open(_ model: NSManagedObjectModel) throws {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: store, options: nil)
            try coordinator.remove(store)
        }
        try open(read())
        try open(Self.library())
        let edited = try read()
        edited.entitiesByName["Book"]?.attributesByName["title"]?.isOptional = false
        let error = #expect(throws: NSError.self) { try open(edited) }
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    }
}
