import CoreData
import Testing

/// Large values in files of their own: each file belongs to one row, and goes when nothing refers to it.
@Suite
struct ExternalDataTests {
    private let store: FormatStore
    private let big = Data(repeating: 1, count: 150_000)
    private let other = Data(repeating: 2, count: 160_000)

    init() throws {
        let image = FormatStore.entity("Image", [LibraryModel.attribute("data", .binaryDataAttributeType)])
        image.attributesByName["data"]?.allowsExternalBinaryDataStorage = true
        image.uniquenessConstraints = [["name"]]
        store = try FormatStore([image])
    }

    private var files: Int {
        let folder = store.folder.file(".Format_SUPPORT/_EXTERNAL_DATA")
        return (try? FileManager.default.contentsOfDirectory(atPath: folder.path).count) ?? 0
    }

    private func insert(_ rows: [[String: Any]], _ policy: NSMergePolicy? = nil) throws {
        if let policy { store.context.mergePolicy = policy }
        _ = try store.context.execute(NSBatchInsertRequest(entityName: "Image", objects: rows))
    }

    private func data(_ name: String) throws -> Data? {
        store.context.reset()
        return try store.named("Image")[name]?.value(forKey: "data") as? Data
    }

    @Test func cellsAreMarked() throws {
        store.context.insert("Image", ["name": "small", "data": Data([7, 8])])
        store.context.insert("Image", ["name": "big", "data": big])
        store.context.insert("Image", ["name": "none"])
        try store.context.save()
        #expect(try store.sql("SELECT hex(ZDATA) FROM ZIMAGE WHERE ZNAME = 'small'") == ["010708"])
        let cell = try store.sql("SELECT substr(hex(ZDATA), 1, 2), length(ZDATA) FROM ZIMAGE WHERE ZNAME = 'big'")
        #expect(cell == ["02|38"])
        #expect(try store.sql("SELECT ZDATA FROM ZIMAGE WHERE ZNAME = 'none'") == ["NULL"])
        #expect(files == 1)
    }

    @Test func failedBatchesLeaveNoFiles() throws {
        try insert([["name": "a", "data": big]])
        #expect(throws: (any Error).self) { try insert([["name": "b", "data": big], ["name": "a", "data": big]]) }
        #expect(files == 1)
        #expect(throws: (any Error).self) { try insert([["name": "c", "data": big], ["name": 5, "data": 7]]) }
        #expect(files == 1)
        #expect(try store.sql("SELECT COUNT(*) FROM ZIMAGE") == ["1"])
    }

    @Test func ignoredRowsLeaveNoFiles() throws {
        try insert([["name": "a", "data": big]])
        try insert([["name": "a", "data": other], ["name": "b", "data": other]], .mergeByPropertyStoreTrump)
        #expect(files == 2)
        #expect(try data("a") == big)
    }

    @Test func overwrittenRowsLoseTheirOldFile() throws {
        try insert([["name": "a", "data": big], ["name": "b", "data": big]])
        try insert([["name": "a", "data": other], ["name": "b"]], .mergeByPropertyObjectTrump)
        #expect(files == 2)
        #expect(try data("a") == other)
        #expect(try data("b") == big)
        try insert([["name": "a", "data": Data([1])], ["name": "b"]], .overwrite)
        #expect(files == 0)
        #expect(try data("a") == Data([1]))
        #expect(try data("b") == nil)
    }

    /// The names of the files, and of those that rows refer to.
    private func fileNames() throws -> (present: [String], referred: [String]) {
        let folder = store.folder.file(".Format_SUPPORT/_EXTERNAL_DATA")
        return (
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(),
            try store.sql("SELECT CAST(substr(ZDATA, 2, 36) AS TEXT) FROM ZIMAGE WHERE length(ZDATA) = 38 ORDER BY 1")
        )
    }

    /// One request writes rows several times: `a` was there, `b` was not.
    @Test(arguments: [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite])
    func rowsWrittenTwiceKeepTheLastFile(_ policy: NSMergePolicy) throws {
        try insert([["name": "a", "data": big]])
        let again = [["a", "b", "c", "a", "b"], ["a", "b", "d", "a", "b"]]
        for names in again {
            try insert(
                names.enumerated().map { ["name": $0.element, "data": $0.offset < 3 ? big : other] }, policy)
            let files = try fileNames()
            #expect(files.present == files.referred)
        }
        #expect(files == 4)
        for name in ["a", "b"] { #expect(try data(name) == other) }
        for name in ["c", "d"] { #expect(try data(name) == big) }
        // Without data of its own a row keeps what the one before it gave, or loses that, too.
        try insert([["name": "e", "data": big], ["name": "e"], ["name": "a", "data": big], ["name": "a"]], policy)
        let files = try fileNames()
        #expect(files.present == files.referred)
        #expect(try data("e") == (policy.mergeType == .overwriteMergePolicyType ? nil : big))
        #expect(try data("a") == (policy.mergeType == .overwriteMergePolicyType ? nil : big))
    }

    @Test func updatedRowsHaveAFileEach() throws {
        try insert([["name": "a", "data": big], ["name": "b"], ["name": "c"]])
        let update = NSBatchUpdateRequest(entityName: "Image")
        update.propertiesToUpdate = ["data": other]
        _ = try store.context.execute(update)
        #expect(files == 3)
        #expect(try data("a") == other)
        let delete = NSFetchRequest<NSManagedObject>(entityName: "Image")
        delete.predicate = NSPredicate(format: "name == 'a'")
        _ = try store.context.execute(NSBatchDeleteRequest(fetchRequest: delete))
        #expect(files == 2)
        #expect(try data("b") == other)
        update.propertiesToUpdate = ["data": Data([3])]
        _ = try store.context.execute(update)
        #expect(files == 0)
        #expect(try data("c") == Data([3]))
        update.propertiesToUpdate = ["data": NSNull()]
        _ = try store.context.execute(update)
        #expect(try data("c") == nil)
    }

    @Test func failedSavesLeaveNoFiles() throws {
        try insert([["name": "a", "data": big]])
        store.context.insert("Image", ["name": "b", "data": big])
        store.context.insert("Image", ["name": "a", "data": big])
        #expect(throws: (any Error).self) { try store.context.save() }
        #expect(files == 1)
    }

    @Test func copiesAndRemovals() throws {
        try insert([["name": "a", "data": big]])
        let copy = store.folder.file("Copy.sqlite")
        try store.coordinator.replacePersistentStore(
            at: copy, withPersistentStoreFrom: store.url, ofType: NSSQLiteStoreType)
        let copied = store.folder.file(".Copy_SUPPORT/_EXTERNAL_DATA")
        #expect(try FileManager.default.contentsOfDirectory(atPath: copied.path).count == 1)
        // Again, after a change: the file of before goes.
        let image = try #require(try store.named("Image")["a"])
        image.setValue(other, forKey: "data")
        try store.context.save()
        try store.coordinator.replacePersistentStore(
            at: copy, withPersistentStoreFrom: store.url, ofType: NSSQLiteStoreType)
        let names = try FileManager.default.contentsOfDirectory(atPath: copied.path)
        #expect(names.count == 1)
        #expect(try Data(contentsOf: copied.appendingPathComponent(names[0])) == other)
        let moved = try store.coordinator.migratePersistentStore(
            store.coordinator.persistentStores[0], to: store.folder.file("Moved.sqlite"), withType: NSSQLiteStoreType)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = store.coordinator
        #expect(try context.fetchAll("Image").first?.value(forKey: "data") as? Data == other)
        try store.coordinator.remove(moved)
        try store.coordinator.destroyPersistentStore(at: copy, ofType: NSSQLiteStoreType)
        #expect(!FileManager.default.fileExists(atPath: copied.path))
    }

    /// A cell that names anything but a file of the folder is not followed, nor is what it names deleted.
    @Test func craftedNamesLeadNowhere() throws {
        try insert([["name": "a"]])
        let path = "../../secret-0123456789-0123456789-0"
        try #require(path.utf8.count == 36)
        try FileManager.default.createDirectory(
            at: store.folder.file(".Format_SUPPORT/_EXTERNAL_DATA"), withIntermediateDirectories: true)
        try Data("secret".utf8).write(to: store.folder.file("secret-0123456789-0123456789-0"))
        let hex = path.utf8.map { String($0, radix: 16) }.joined()
        try store.run("UPDATE ZIMAGE SET ZDATA = x'02\(hex)00'")
        #expect(try data("a") != Data("secret".utf8))
        let image = try #require(try store.named("Image")["a"])
        store.context.delete(image)
        try store.context.save()
        #expect(FileManager.default.fileExists(atPath: store.folder.file("secret-0123456789-0123456789-0").path))
    }

    @Test func aMissingFileReadsAsNil() throws {
        try insert([["name": "a", "data": big]])
        try FileManager.default.removeItem(at: store.folder.file(".Format_SUPPORT"))
        #expect(try data("a") == nil)
        let image = try #require(try store.named("Image")["a"])
        image.setValue(other, forKey: "data")
        try store.context.save()
        #expect(try data("a") == other)
    }
}
