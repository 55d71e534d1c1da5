import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Stores that are reached by symbolic links, to the file or to folders above it: whatever the name, there is one store with one
/// folder of external data beside its file.
@Suite
struct LinkTests {
    private let folder: TemporaryFolder
    private let model: NSManagedObjectModel
    private let manager = FileManager.default
    private let big = Data(repeating: 1, count: 150_000)

    init() throws {
        folder = try TemporaryFolder()
        let image = FormatStore.entity("Image", [LibraryModel.attribute("data", .binaryDataAttributeType)])
        image.attributesByName["data"]?.allowsExternalBinaryDataStorage = true
        model = NSManagedObjectModel()
        model.entities = [image]
        try manager.createDirectory(at: folder.file("real"), withIntermediateDirectories: true)
    }

    private var real: URL { folder.file("real/Data.sqlite") }

    /// A link beside the folder of the store: to its file, or to its folder.
    enum Way: CaseIterable { case file, folder, chain }

    /// Makes links, and gives the URL that leads to `real` by them.
    private func link(_ way: Way) throws -> URL {
        switch way {
        case .file:
            try manager.createSymbolicLink(
                atPath: folder.file("Link.sqlite").path, withDestinationPath: "real/Data.sqlite")
            return folder.file("Link.sqlite")
        case .folder:
            try manager.createSymbolicLink(atPath: folder.file("linked").path, withDestinationPath: "real")
            return folder.file("linked/Data.sqlite")
        case .chain:
            try manager.createSymbolicLink(atPath: folder.file("linked").path, withDestinationPath: "real")
            try manager.createSymbolicLink(
                at: folder.file("real/Second.sqlite"), withDestinationURL: folder.file("linked/Data.sqlite"))
            try manager.createSymbolicLink(
                atPath: folder.file("First.sqlite").path, withDestinationPath: "linked/Second.sqlite")
            return folder.file("First.sqlite")
        }
    }

    private func insert(_ name: String, at url: URL, type: String = NSSQLiteStoreType) throws {
        try withStore(at: url, type) { context in
            context.insert("Image", ["name": name, "data": big])
            try context.save()
        }
    }

    private func names(at url: URL, type: String = NSSQLiteStoreType) throws -> [String] {
        try withStore(at: url, type) { context in
            try context.fetchAll("Image").map { image in
                #expect(image.value(forKey: "data") as? Data == big)
                return image.value(forKey: "name") as? String ?? ""
            }.sorted()
        }
    }

    private func withStore<Result>(
        at url: URL, _ type: String, _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        // As the program gave it.
        #expect(store.url == url)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait { try body(context) }
    }

    /// All files and folders but links and what lies in folders of external data.
    private func files() throws -> [String] {
        let all = try manager.subpathsOfDirectory(atPath: folder.url.path)
        return all.filter { path in
            let attributes = try? manager.attributesOfItem(atPath: folder.file(path).path)
            return attributes?[.type] as? FileAttributeType != .typeSymbolicLink && !path.contains("_EXTERNAL_DATA/")
                && !["-wal", "-shm"].contains(where: path.hasSuffix)
        }.sorted()
    }

    private let expected = [
        "real", "real/.Data_SUPPORT", "real/.Data_SUPPORT/_EXTERNAL_DATA", "real/Data.sqlite",
    ]

    @Test(arguments: Way.allCases)
    func externalDataHasOneFolder(_ way: Way) throws {
        // The link leads nowhere until the store is made through it.
        let link = try link(way)
        try insert("through", at: link)
        #expect(try files() == expected)
        try insert("direct", at: real)
        #expect(try names(at: link) == ["direct", "through"])
        #expect(try names(at: real) == ["direct", "through"])
        #expect(try files() == expected)
    }

    @Test(arguments: Way.allCases)
    func copiesTakeExternalDataAlong(_ way: Way) throws {
        try insert("a", at: real)
        let (link, copy) = (try link(way), folder.file("Copy.sqlite"))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: link, ofType: NSSQLiteStoreType)
        #expect(try names(at: copy) == ["a"])
        try insert("b", at: copy)
        try coordinator.replacePersistentStore(at: link, withPersistentStoreFrom: copy, ofType: NSSQLiteStoreType)
        #expect(try names(at: real) == ["a", "b"])
        try coordinator.destroyPersistentStore(at: copy, ofType: NSSQLiteStoreType)
        try manager.removeItem(at: copy)
        #expect(try files() == expected)
    }

    @Test(arguments: Way.allCases)
    func storesAreMovedAndDestroyed(_ way: Way) throws {
        let (link, old) = (try link(way), folder.file("Old.sqlite"))
        try insert("a", at: old)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: old)
        let moved = try coordinator.migratePersistentStore(store, to: link, withType: NSSQLiteStoreType)
        try coordinator.remove(moved)
        #expect(try names(at: real) == ["a"])
        try coordinator.destroyPersistentStore(at: old, ofType: NSSQLiteStoreType)
        try manager.removeItem(at: old)
        #expect(try files() == expected)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: link)
        try NSPersistentStoreCoordinator.setMetadata(
            metadata.merging(["own": "value"]) { $1 }, forPersistentStoreOfType: NSSQLiteStoreType, at: link)
        #expect(
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: real)["own"]
                as? String == "value")
        try coordinator.destroyPersistentStore(at: link, ofType: NSSQLiteStoreType)
        #expect(try files() == ["real", "real/Data.sqlite"])
        #expect(try names(at: real).isEmpty)
    }

    @Test(arguments: [NSBinaryStoreType, NSXMLStoreType])
    func filesWrittenAsAWholeStayBehindTheirLink(_ type: String) throws {
        let link = try link(.file)
        try insert("a", at: link, type: type)
        try insert("b", at: link, type: type)
        #expect(try names(at: real, type: type) == ["a", "b"])
        #expect(try files() == ["real", "real/Data.sqlite"])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.destroyPersistentStore(at: link, ofType: type)
        #expect(try files() == ["real"])
    }

    @Test(arguments: Way.allCases)
    func migrationsWorkBesideTheFile(_ way: Way) throws {
        try insert("a", at: real)
        let link = try link(way)
        let image = FormatStore.entity(
            "Image",
            [
                LibraryModel.attribute("data", .binaryDataAttributeType),
                LibraryModel.attribute("number", .integer64AttributeType),
            ])
        let newer = NSManagedObjectModel()
        newer.entities = [image]
        let options = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: newer)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: link, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        #expect(try context.fetchAll("Image").first?.value(forKey: "data") as? Data == big)
        try coordinator.remove(store)
        #expect(try files().filter { !$0.contains("_SUPPORT") } == ["real", "real/Data.sqlite"])
    }

    // MARK: One file, two names

    @Test(arguments: [false, true], [NSSQLiteStoreType, NSBinaryStoreType, NSXMLStoreType])
    func replacingAStoreByItselfIsAnError(isHard: Bool, type: String) throws {
        try insert("a", at: real, type: type)
        let other = folder.file("Other.sqlite")
        if isHard {
            try manager.linkItem(at: real, to: other)
        } else {
            try manager.createSymbolicLink(at: other, withDestinationURL: real)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let start = Date()
        for (destination, source) in [(real, other), (other, real)] {
            let error = #expect(throws: NSError.self) {
                try coordinator.replacePersistentStore(at: destination, withPersistentStoreFrom: source, ofType: type)
            }
            #expect(error?.domain == NSCocoaErrorDomain)
            #expect(error?.code == NSPersistentStoreOperationError)
        }
        #expect(Date().timeIntervalSince(start) < 2)
        #expect(try names(at: real, type: type) == ["a"])
    }

    @Test(arguments: Way.allCases)
    func oneCoordinatorAddsAFileOnce(_ way: Way) throws {
        try insert("a", at: real)
        let link = try link(way)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: real)
        let error = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: link)
        }
        #expect(error?.code == NSPersistentStoreOpenError)
        // And destroying removes it, under whatever name.
        try coordinator.destroyPersistentStore(at: link, ofType: NSSQLiteStoreType)
        #expect(coordinator.persistentStores.isEmpty)
    }

    /// Links that lead to each other lead to no store.
    @Test func linksInACircleAreAnError() throws {
        let (one, two) = (folder.file("One.sqlite"), folder.file("Two.sqlite"))
        try manager.createSymbolicLink(at: one, withDestinationURL: two)
        try manager.createSymbolicLink(at: two, withDestinationURL: one)
        #expect(throws: NSError.self) { try insert("a", at: one) }
    }
}
