import class CoreDataRowStorage.CollectedRows
import CoreDataSQLiteStorage
import CoreDataStoreFiles
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

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

    /// How many files there are once those that are obsolete have been collected, which happens in the background.
    private var files: Int {
        store.close()
        defer { try? store.reopen() }
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
            _ = self.files
            let files = try fileNames()
            #expect(files.present == files.referred)
        }
        #expect(files == 4)
        for name in ["a", "b"] { #expect(try data(name) == other) }
        for name in ["c", "d"] { #expect(try data(name) == big) }
        // Without data of its own a row keeps what the one before it gave, or loses that, too.
        try insert([["name": "e", "data": big], ["name": "e"], ["name": "a", "data": big], ["name": "a"]], policy)
        _ = self.files
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

    // MARK: Missing files

    private var folder: URL { store.folder.file(".Format_SUPPORT/_EXTERNAL_DATA") }

    private func expectMissing(
        _ attribute: String? = "data", _ body: () throws -> Void
    ) throws {
        let error = #expect(throws: NSError.self, performing: body)
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == CocoaError.fileReadNoSuchFile.rawValue)
        #expect(error?.userInfo["entity"] as? String == "Image")
        #expect(error?.userInfo["property"] as? String == attribute)
        let path = try #require(error?.userInfo[NSFilePathErrorKey] as? String)
        #expect(error?.localizedFailureReason?.contains((path as NSString).lastPathComponent) == true)
    }

    /// Backups without the folder are common: everything else can be read and changed, and the value comes back with its file.
    @Test func aMissingFileConcernsItsAttributeAlone() throws {
        try insert([["name": "a", "data": big], ["name": "b"]])
        let away = store.folder.file("away")
        try FileManager.default.moveItem(at: folder, to: away)
        store.context.reset()
        let image = try #require(
            try store.context.fetchAll("Image").first { $0.value(forKey: "name") as? String == "a" })
        #expect(image.value(forKey: "data") == nil)
        try expectMissing { _ = try image.valueThrowing(forKey: "data") }
        image.setValue("c", forKey: "name")
        try store.context.save()
        #expect(try store.sql("SELECT COUNT(*) FROM ZIMAGE WHERE length(ZDATA) = 38") == ["1"])
        // By a fault, and by dictionaries that read other attributes.
        store.context.reset()
        #expect(try store.context.existingObject(with: image.objectID).value(forKey: "name") as? String == "c")
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Image")
        dictionaries.resultType = .dictionaryResultType
        try expectMissing(nil) { _ = try store.context.fetch(dictionaries) }
        dictionaries.propertiesToFetch = ["name"]
        #expect(try store.context.fetch(dictionaries).count == 2)
        try FileManager.default.moveItem(at: away, to: folder)
        store.context.reset()
        #expect(try data("c") == big)
    }

    /// A file that is there and cannot be read is not one that is gone.
    @Test func aFileThatCannotBeReadIsAnError() throws {
        try insert([["name": "a", "data": big]])
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder.path).first)
        let (file, away) = (folder.appendingPathComponent(name), store.folder.file("away"))
        try FileManager.default.moveItem(at: file, to: away)
        // A folder cannot be read as a file.
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let context = store.context
        context.reset()
        let image = try context.fetchAll("Image")[0]
        #expect(image.value(forKey: "data") == nil)
        #expect((context.readError as? NSError)?.code == CocoaError.fileReadUnknown.rawValue)
        image.setValue("c", forKey: "name")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.userInfo["property"] as? String == "data")
        try FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: away, to: file)
        context.takeReadError()
        #expect(image.value(forKey: "data") as? Data == big)
        try context.save()
        context.reset()
        #expect(try data("c") == big)
    }

    /// What is set replaces the reference, nil as well.
    @Test(arguments: [nil, Data(repeating: 3, count: 200_000), Data([1])])
    func aMissingValueCanBeSet(_ value: Data?) throws {
        try insert([["name": "a", "data": big]])
        try FileManager.default.removeItem(at: folder)
        store.context.reset()
        let image = try #require(try store.named("Image")["a"])
        image.setValue(value, forKey: "data")
        #expect(image.hasPersistentChangedValues)
        try store.context.save()
        store.context.reset()
        #expect(try data("a") == value)
        #expect(try store.sql("SELECT ZDATA IS NULL FROM ZIMAGE") == [value == nil ? "1" : "0"])
        let update = NSBatchUpdateRequest(entityName: "Image")
        update.propertiesToUpdate = ["data": other]
        _ = try store.context.execute(update)
        store.context.reset()
        #expect(try data("a") == other)
    }

    /// Nil is not the value of the object that wins.
    @Test(arguments: [
        NSMergePolicy.overwrite, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .rollback,
    ])
    func conflictsKeepAMissingValue(_ policy: NSMergePolicy) throws {
        try insert([["name": "a", "data": big]])
        try FileManager.default.removeItem(at: folder)
        store.context.reset()
        let image = try #require(try store.named("Image")["a"])
        #expect(image.value(forKey: "data") == nil)
        let context = try FormatStore.second(on: store)
        try context.performAndWait {
            try context.fetchAll("Image").first?.setValue("theirs", forKey: "name")
            try context.save()
        }
        image.setValue("mine", forKey: "name")
        store.context.mergePolicy = policy
        try store.context.save()
        #expect(try store.sql("SELECT length(ZDATA) FROM ZIMAGE") == ["38"])
    }

    /// Where evaluation cannot throw it is false; it stopped the program.
    @Test func predicatesDoNotHoldForAMissingValue() throws {
        try insert([["name": "a", "data": big]])
        try FileManager.default.removeItem(at: folder)
        store.context.reset()
        let images = try store.context.fetchAll("Image")
        for format in ["data == nil", "data != nil", "NOT data == nil"] {
            let predicate = NSPredicate(format: format)
            #expect((images as NSArray).filtered(using: predicate).isEmpty)
            try expectMissing { _ = try predicate.evaluateThrowing(with: images[0]) }
        }
        #expect(NSPredicate(format: "name == 'a'").evaluate(with: images[0]))
        let length = NSExpressionDescription()
        length.expression = .init(format: "data.length")
        #expect(length.expression?.expressionValue(with: images[0], context: nil) == nil)
        let order = NSSortDescriptor(key: "data", ascending: true)
        #expect((images as NSArray).sortedArray(using: [order]).count == 1)
    }

    /// Copies must not do without a value that the original names.
    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func storesThatLackFilesAreNotCopiedRowByRow(_ type: String) throws {
        try insert([["name": "a", "data": big]])
        try FileManager.default.removeItem(at: folder)
        store.context.reset()
        let original = store.coordinator.persistentStores[0]
        try expectMissing {
            _ = try store.coordinator.migratePersistentStore(
                original, to: store.folder.file("Copy"), options: nil, withType: type)
        }
        // The original goes on as it was.
        #expect(try store.context.fetchAll("Image").count == 1)
    }

    /// A writer that deletes files with its commit, as other frameworks may, leaves readers of older snapshots without them:
    /// rows can be read again as they are now.
    @Test func readersOfOlderSnapshotsReadRowsAgain() throws {
        try insert([["name": "a", "data": big]])
        let engine = try #require(store.coordinator.persistentStores.first as? SQLiteStore).engine
        let layout = try #require(engine.layouts.byName["Image"])
        let cell = try #require(layout.cells.first { $0.name == "data" })
        try engine.pool.read { connection in
            try connection.execute("BEGIN")
            #expect(try connection.integer("SELECT COUNT(*) FROM ZIMAGE") == 1)
            let old = try fileNames().referred
            let update = try FormatStore.second(on: store)
            for object in try update.fetchAll("Image") { object.setValue(other, forKey: "data") }
            try update.save()
            for name in old { try FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
            let (stale, fresh) = (CollectedRows(), CollectedRows())
            try engine.readRows(keys: [1], of: layout, into: stale, on: connection)
            try engine.session().readRows(keys: [1], of: layout, into: fresh)
            #expect(stale.rows.map { layout.file($0.row, cell.index)?.name } == old)
            #expect(try fresh.rows.map { try layout.file($0.row, cell.index)?.contents() } == [other])
            try connection.execute("COMMIT")
        }
    }

    // MARK: Collecting

    /// Waits until so many files are left.
    private func wait(for count: Int) -> Int {
        var names: [String] = []
        for _ in 0..<200 {
            names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            if names.count == count { break }
            Thread.sleep(forTimeInterval: 0.02)
        }
        return names.count
    }

    @Test func pinnedGenerationsKeepTheirFiles() throws {
        try insert([["name": "a", "data": big]])
        let pinned = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        pinned.persistentStoreCoordinator = store.coordinator
        try pinned.setQueryGenerationFrom(.current)
        _ = try pinned.count(for: NSFetchRequest<NSManagedObject>(entityName: "Image"))
        for value in [other, Data(repeating: 3, count: 200_000), nil] {
            try #require(try store.named("Image")["a"]).setValue(value, forKey: "data")
            try store.context.save()
        }
        Thread.sleep(forTimeInterval: 0.3)
        #expect(try pinned.fetchAll("Image").first?.value(forKey: "data") as? Data == big)
        pinned.reset()
        try pinned.setQueryGenerationFrom(nil)
        #expect(wait(for: 0) == 0)
    }

    /// The same for a reader with a connection of its own, as another process has it.
    @Test func readersElsewhereKeepTheirFiles() throws {
        try insert([["name": "a", "data": big], ["name": "b", "data": big]])
        let reader = try SQLiteConnection(path: store.url.path, access: .readWrite, busyTimeout: 1)
        try reader.execute("BEGIN")
        #expect(try reader.integer("SELECT COUNT(*) FROM ZIMAGE") == 2)
        let names = try fileNames().referred
        let delete = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Image"))
        _ = try store.context.execute(delete)
        Thread.sleep(forTimeInterval: 0.3)
        #expect(try fileNames().present == names)
        try reader.execute("COMMIT")
        #expect(wait(for: 0) == 0)
    }

    private func present() -> Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).count
    }

    /// Searches for files that no row names, as opening the store does, so many days from now.
    private func search(in days: Double) throws {
        let engine = try #require(store.coordinator.persistentStores.first as? SQLiteStore).engine
        let collector = ExternalFileCollector(engine.files, engine.pool) { Date(timeIntervalSinceNow: days * 86_400) }
        collector.collectOrphans()
        collector.close()
    }

    /// What a process that was killed leaves: files written before a commit that never came. They are kept for a week: a log
    /// that is not there may name them.
    @Test func filesThatNoRowNamesAreCollectedLater() throws {
        try insert([["name": "a", "data": big]])
        store.close()
        for _ in 0..<3 { try big.write(to: folder.appendingPathComponent(UUID().uuidString)) }
        try big.write(to: folder.appendingPathComponent("notes.txt"))
        // A copy that was cut short is no value of any row.
        try big.write(to: folder.appendingPathComponent(UUID().uuidString + ".partial"))
        try store.reopen(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(try data("a") == big)
        store.close()
        #expect(present() == 6)
        try store.reopen()
        #expect(wait(for: 5) == 5)
        try insert([["name": "b"]])
        try search(in: 6)
        #expect(present() == 5)
        try search(in: 8)
        #expect(present() == 2)
        #expect(try data("a") == big)
    }

    /// As long as nothing was committed after a file was made, its row may be in a log that is missing.
    @Test func filesNewerThanTheLastCommitAreKept() throws {
        try insert([["name": "a", "data": big]])
        try store.reopen()
        usleep(50_000)
        for _ in 0..<3 { try big.write(to: folder.appendingPathComponent(UUID().uuidString)) }
        for _ in 1...2 {
            try search(in: 1000)
            #expect(present() == 4)
            // Opening makes a log, and commits nothing.
            try store.reopen()
        }
        usleep(50_000)
        try insert([["name": "b"]])
        try search(in: 1000)
        #expect(present() == 1)
        #expect(try data("a") == big)
    }

    /// A store that is copied without its log and opened, and then given it.
    @Test func aLogThatComesLaterFindsItsFiles() throws {
        try store.run("PRAGMA wal_checkpoint(TRUNCATE)")
        let values = (0..<5).map { ["name": "\($0)", "data": big] }
        try insert(values)
        let (manager, copy) = (FileManager.default, store.folder.file("Copy.sqlite"))
        try manager.copyItem(at: store.url, to: copy)
        let copied = store.folder.file(".Copy_SUPPORT/_EXTERNAL_DATA")
        try manager.createDirectory(at: copied.deletingLastPathComponent(), withIntermediateDirectories: true)
        try manager.copyItem(at: folder, to: copied)
        do {
            let (coordinator, context) = try FormatStore.open(copy, store.model)
            #expect(try context.fetchAll("Image").isEmpty)
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
        #expect(try manager.contentsOfDirectory(atPath: copied.path).count == 5)
        for suffix in ["-wal", "-shm"] { try? manager.removeItem(atPath: copy.path + suffix) }
        try manager.copyItem(atPath: store.url.path + "-wal", toPath: copy.path + "-wal")
        let (_, context) = try FormatStore.open(copy, store.model)
        #expect(try context.fetchAll("Image").map { $0.value(forKey: "data") as? Data } == values.map { _ in big })
    }

    /// What lies behind a link may be another store's.
    @Test(arguments: ["folder", "inner folder", "file"])
    func nothingIsDeletedBehindLinks(_ what: String) throws {
        try insert([["name": "a", "data": big], ["name": "b", "data": big]])
        store.close()
        let (manager, away) = (FileManager.default, store.folder.file("Away"))
        let stray = UUID().uuidString
        try big.write(to: folder.appendingPathComponent(stray))
        let linked: URL
        switch what {
        case "folder": linked = folder.deletingLastPathComponent()
        case "inner folder": linked = folder
        default: linked = folder.appendingPathComponent(stray)
        }
        try manager.moveItem(at: linked, to: away)
        try manager.createSymbolicLink(at: linked, withDestinationURL: away)
        try store.reopen()
        try insert([["name": "c"]])
        try search(in: 1000)
        #expect(present() == 3)
        // Values are read and written through the link all the same.
        #expect(try data("a") == big)
        let image = try #require(try store.named("Image")["a"])
        image.setValue(other, forKey: "data")
        try store.context.save()
        #expect(try data("a") == other)
        let isFolder = what != "file"
        #expect(files == (isFolder ? 4 : 3))
        try store.coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType)
        #expect(manager.fileExists(atPath: away.path))
        if isFolder { #expect(present() == 4) }
    }

    // MARK: A busy writer

    private func size() -> Int64 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.reduce(0) { $0 + StoreFiles.size(folder.appendingPathComponent($1).path) }
    }

    /// Saves new values of twelve objects again and again, as fast as it can.
    ///
    /// - Returns: the most bytes that there were in files after a save.
    private func replaceValues(saves: Int, stop: () -> Bool = { false }) throws -> Int64 {
        var largest: Int64 = 0
        for round in 0..<saves where !stop() {
            for image in try store.context.fetchAll("Image") {
                image.setValue(Data(repeating: UInt8(round % 251), count: 150_000), forKey: "data")
            }
            try store.context.save()
            largest = max(largest, size())
        }
        return largest
    }

    /// What the files may take: the values, those of the last save, and what is left to the writer to collect.
    private let most = ExternalFileCollector.sizeForWriter + 3 * 12 * 150_000

    /// The writer leaves collectors in the background no time.
    @Test(.slow) func aBusyWriterDeletesWhatItReplaces() throws {
        try insert((0..<12).map { ["name": "\($0)", "data": big] })
        let largest = try replaceValues(saves: LongForm.choose(25, long: 60))
        #expect(largest <= most, "\(largest) bytes")
        #expect(files == 12)
    }

    /// A reader of an older snapshot keeps its files, and all that came after; the writer goes on, and collects afterwards.
    @Test(.slow) func aBusyWriterWaitsForReaders() throws {
        try insert((0..<12).map { ["name": "\($0)", "data": big] })
        let pinned = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        pinned.persistentStoreCoordinator = store.coordinator
        try pinned.setQueryGenerationFrom(.current)
        _ = try pinned.count(for: NSFetchRequest<NSManagedObject>(entityName: "Image"))
        let start = Date()
        #expect(try replaceValues(saves: LongForm.choose(16, long: 30)) > most)
        #expect(Date().timeIntervalSince(start) < 20)
        #expect(try pinned.fetchAll("Image").allSatisfy { $0.value(forKey: "data") as? Data == big })
        pinned.reset()
        try pinned.setQueryGenerationFrom(nil)
        let end = Date(timeIntervalSinceNow: 10)
        _ = try replaceValues(saves: 10_000) { size() <= most || Date() > end }
        #expect(size() <= most)
    }

    /// The folder's name leaves out the extension of the store's.
    @Test func foldersOfSeveralStoresKeepWhatTheyHave() throws {
        try insert([["name": "a", "data": big]])
        let second = try FormatStore.open(store.folder.file("Format.db"), store.model)
        second.context.insert("Image", ["name": "b", "data": other])
        try second.context.save()
        try store.reopen()
        Thread.sleep(forTimeInterval: 0.3)
        #expect(try data("a") == big)
        second.context.reset()
        #expect(try second.context.fetchAll("Image").first?.value(forKey: "data") as? Data == other)
        // Destroying one leaves the other's files.
        try second.coordinator.destroyPersistentStore(
            at: store.folder.file("Format.db"), ofType: NSSQLiteStoreType)
        #expect(try data("a") == big)
        #expect(try fileNames().present == fileNames().referred)
    }
}
