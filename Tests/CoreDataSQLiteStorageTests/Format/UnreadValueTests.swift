import class CoreDataRowStorage.CollectedRows
import CoreDataSQLiteStorage
import struct CoreDataRowStorage.StoreFetch
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// Values in external files are read when they are asked for, and by nothing else: what only hands an object on works while the
/// files are elsewhere.
@Suite("Unread external values")
struct UnreadValueTests {
    private let store: FormatStore
    private static let size = 200_000

    init() throws {
        let (image, album) = (
            FormatStore.entity(
                "Image",
                [
                    LibraryModel.attribute("data", .binaryDataAttributeType),
                    LibraryModel.attribute("n", .integer64AttributeType),
                ]), FormatStore.entity("Album")
        )
        image.attributesByName["data"]?.allowsExternalBinaryDataStorage = true
        image.managedObjectClassName = NSStringFromClass(ExternalImage.self)
        LibraryModel.relate(image, "album", many: false, album, "images", many: true)
        store = try FormatStore([image, album])
    }

    private func value(_ number: Int) -> Data { Self.value(number) }

    private static func value(_ number: Int) -> Data { Data(repeating: UInt8(number), count: size) }

    /// Makes an album of images with a large value each, and begins with nothing in memory.
    private func fill(_ count: Int = 10) throws {
        let album = store.context.insert("Album", ["name": "album"])
        for number in 0..<count {
            store.context.insert(
                "Image", ["name": "\(number)", "n": number, "data": value(number), "album": album])
        }
        try store.context.save()
        store.context.reset()
    }

    private var folder: URL { store.folder.file(".Format_SUPPORT/_EXTERNAL_DATA") }

    private func fileNames() -> Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    }

    /// Runs `body` while the files are elsewhere.
    private func withoutFiles<Result>(_ body: () throws -> Result) throws -> Result {
        let away = store.folder.file("away")
        try FileManager.default.moveItem(at: folder, to: away)
        defer {
            // What was written meanwhile stays.
            for name in fileNames() {
                try? FileManager.default.moveItem(
                    at: folder.appendingPathComponent(name), to: away.appendingPathComponent(name))
            }
            try? FileManager.default.removeItem(at: folder)
            try? FileManager.default.moveItem(at: away, to: folder)
        }
        return try body()
    }

    private func newContext(parent: NSManagedObjectContext? = nil) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        if let parent { context.parent = parent } else { context.persistentStoreCoordinator = store.coordinator }
        return context
    }

    private func images(_ context: NSManagedObjectContext) throws -> [NSManagedObject] { try Self.images(context) }

    private static func images(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Image")
        request.sortDescriptors = [NSSortDescriptor(key: "n", ascending: true)]
        return try context.fetch(request)
    }

    private func expectAllValues(_ count: Int = 10) throws {
        let found = try images(newContext())
        #expect(found.map { $0.value(forKey: "data") as? Data } == (0..<count).map(value))
    }

    // MARK: What is read

    #if os(Linux)
    /// How many bytes this thread has read.
    private func bytesRead() throws -> Int {
        let lines = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8).split(separator: "\n")
        return try #require(lines.first { $0.hasPrefix("rchar:") }.flatMap { Int($0.dropFirst(7)) })
    }

    private func bytesRead(by body: () throws -> Void) throws -> Int {
        let before = try bytesRead()
        try body()
        return try bytesRead() - before
    }

    @Test(arguments: ["all", "one property", "batches", "relationship", "prefetched", "keys", "objects one by one"])
    func fetchesReadNoFiles(_ way: String) throws {
        try fill()
        let context = newContext()
        let ids = try images(newContext()).map(\.objectID)
        let read = try bytesRead {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Image")
            var found: [NSManagedObject] = []
            switch way {
            case "one property":
                request.propertiesToFetch = ["n"]
                found = try context.fetch(request)
            case "batches":
                request.fetchBatchSize = 3
                found = try context.fetch(request)
            case "relationship", "prefetched":
                let albums = NSFetchRequest<NSManagedObject>(entityName: "Album")
                if way == "prefetched" { albums.relationshipKeyPathsForPrefetching = ["images"] }
                found = Array(
                    try #require(try context.fetch(albums)[0].value(forKey: "images") as? Set<NSManagedObject>))
            case "keys": found = try ids.map { try context.existingObject(with: $0) }
            case "objects one by one": found = ids.map { context.object(with: $0) }
            default: found = try context.fetch(request)
            }
            #expect(Set(found.map { $0.value(forKey: "n") as? Int }) == Set(0..<10))
        }
        #expect(read < Self.size)
    }

    @Test func aValueIsReadOnce() throws {
        try fill()
        let context = newContext()
        let read = try bytesRead {
            let found = try images(context)
            for _ in 0..<5 { #expect(found[2].value(forKey: "data") as? Data == value(2)) }
            #expect((found[2] as? ExternalImage)?.data == value(2))
            #expect(found[2].committedValues(forKeys: ["data"])["data"] as? Data == value(2))
        }
        #expect(read >= Self.size && read < 2 * Self.size)
    }

    @Test func aFaultReadsItsValueAnew() throws {
        try fill(1)
        let context = newContext()
        let image = try images(context)[0]
        for _ in 0..<2 {
            let read = try bytesRead { #expect(image.value(forKey: "data") as? Data == value(0)) }
            #expect(read >= Self.size)
            context.refresh(image, mergeChanges: false)
        }
    }
    #endif

    /// Rows with large values are no larger than others.
    @Test func rowsAreSmall() throws {
        try fill(50)
        let engine = try #require(store.coordinator.persistentStores.first as? SQLiteStore).engine
        let sink = CollectedRows()
        let layout = try #require(engine.layouts.byName["Image"])
        try engine.session().fetchRows(StoreFetch(layout: layout), into: sink)
        let slabs = Dictionary(sink.rows.map { (ObjectIdentifier($0.slab), $0.slab.footprint) }) { $1 }
        #expect(sink.rows.count == 50)
        #expect(slabs.values.reduce(0, +) < 200_000)
    }

    // MARK: What works without the files

    @Test func editsBesideTheValueAreSaved() throws {
        try fill()
        try withoutFiles {
            let context = newContext()
            for image in try images(context) {
                image.setValue("edited", forKey: "name")
                #expect(image.changedValues().keys.sorted() == ["name"])
                #expect(image.changedValuesForCurrentEvent().keys.sorted() == ["name"])
            }
            try context.save()
            #expect(context.registeredObjects.allSatisfy { !$0.hasChanges })
        }
        try expectAllValues()
        #expect(try images(newContext()).allSatisfy { $0.value(forKey: "name") as? String == "edited" })
    }

    @Test func childContextsHandTheValueOn() throws {
        try fill()
        let context = newContext()
        try withoutFiles {
            let child = newContext(parent: context)
            for image in try images(child) { image.setValue("edited", forKey: "name") }
            try child.save()
            try context.save()
        }
        // Both have the value, as it was fetched.
        #expect(try images(context).map { $0.value(forKey: "data") as? Data } == (0..<10).map(value))
        let child = newContext(parent: context)
        #expect(try images(child).map { $0.value(forKey: "data") as? Data } == (0..<10).map(value))
        try expectAllValues()
    }

    @Test func refreshingUndoingAndRollingBackReadNothing() throws {
        try fill()
        let context = newContext()
        context.undoManager = UndoManager()
        try withoutFiles {
            let found = try images(context)
            found[0].setValue("edited", forKey: "name")
            context.processPendingChanges()
            context.refresh(found[0], mergeChanges: true)
            found[1].setValue("edited", forKey: "name")
            context.processPendingChanges()
            context.undo()
            #expect(found[1].value(forKey: "name") as? String == "1")
            found[2].setValue(Data([1]), forKey: "data")
            context.processPendingChanges()
            context.undo()
            found[3].setValue(Data([1]), forKey: "data")
            context.rollback()
            try context.save()
        }
        #expect(try images(context).map { $0.value(forKey: "data") as? Data } == (0..<10).map(value))
        try expectAllValues()
    }

    @Test(arguments: [
        NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback, .error,
    ])
    func conflictsReadNothing(_ policy: NSMergePolicy) throws {
        try fill(1)
        let context = newContext()
        context.mergePolicy = policy
        try withoutFiles {
            let image = try images(context)[0]
            image.setValue("mine", forKey: "name")
            let other = newContext()
            try images(other)[0].setValue("theirs", forKey: "name")
            try other.save()
            if policy.mergeType == .errorMergePolicyType {
                #expect(throws: NSError.self) { try context.save() }
            } else {
                try context.save()
            }
            // A value that was to be read would have been noted as missing. Whether the class validates values itself is read
            // from its method table; without, all are read for that.
            if ProcessInfo.processInfo.environment["COREDATA_PLAIN"] != "1" { #expect(context.missingValue == nil) }
        }
        try expectAllValues(1)
        #expect(fileNames().count == 1)
    }

    /// Conflicts tell all values to those that ask.
    @Test func snapshotsOfConflictsHaveTheValue() throws {
        try fill(1)
        let context = newContext()
        try images(context)[0].setValue("mine", forKey: "name")
        let other = newContext()
        try images(other)[0].setValue(value(7), forKey: "data")
        try other.save()
        let error = try #require(throws: NSError.self) { try context.save() }
        let conflict = try #require(
            (error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?.first)
        #expect(conflict.objectSnapshot?["data"] as? Data == value(0))
        #expect(conflict.cachedSnapshot?["data"] as? Data == value(0))
        #expect(conflict.persistedSnapshot?["data"] as? Data == value(7))
    }

    /// The object's unread value wins over one that was saved meanwhile.
    @Test func overwritingBringsTheValueBack() throws {
        try fill(1)
        let context = newContext()
        context.mergePolicy = NSMergePolicy.overwrite
        try images(context)[0].setValue("mine", forKey: "name")
        let other = newContext()
        try images(other)[0].setValue(value(7), forKey: "data")
        try other.save()
        try context.save()
        try expectAllValues(1)
    }

    /// A change of the value gives way to another's, which is not read.
    @Test func theStoresValueWins() throws {
        try fill(1)
        let context = newContext()
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        let image = try images(context)[0]
        image.setValue(value(5), forKey: "data")
        image.setValue("mine", forKey: "name")
        let other = newContext()
        try images(other)[0].setValue(value(7), forKey: "data")
        try other.save()
        try context.save()
        #expect(image.value(forKey: "data") as? Data == value(7))
        #expect(try images(newContext())[0].value(forKey: "data") as? Data == value(7))
        #expect(try images(newContext())[0].value(forKey: "name") as? String == "mine")
    }

    // MARK: Copies

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType])
    func copiesHaveTheValues(_ type: String) throws {
        try fill()
        let context = newContext()
        let found = try images(context)
        let old = fileNames()
        _ = try store.coordinator.migratePersistentStore(
            store.coordinator.persistentStores[0], to: store.folder.file("Copy.store"), options: nil, withType: type)
        // Objects that were there before, and fetched ones.
        #expect(found.map { $0.value(forKey: "data") as? Data } == (0..<10).map(value))
        try expectAllValues()
        guard type == NSSQLiteStoreType else { return }
        let copied = try FileManager.default.contentsOfDirectory(
            atPath: store.folder.file(".Copy_SUPPORT/_EXTERNAL_DATA").path)
        #expect(copied.count == 10 && old.isDisjoint(with: copied))
        try FileManager.default.removeItem(at: folder)
        context.refreshAllObjects()
        #expect(found.map { $0.value(forKey: "data") as? Data } == (0..<10).map(value))
    }

    /// An object that others have deleted is inserted anew with its value, in a file of its own.
    @Test func objectsThatComeBackHaveTheirValue() throws {
        try fill(1)
        let context = newContext()
        context.mergePolicy = NSMergePolicy.overwrite
        try images(context)[0].setValue("back", forKey: "name")
        let old = fileNames()
        let other = newContext()
        other.delete(try images(other)[0])
        try other.save()
        try context.save()
        try expectAllValues(1)
        context.reset()
        try store.reopen()
        try expectAllValues(1)
        #expect(fileNames().count == 1 && fileNames().isDisjoint(with: old))
    }

    @Test func undoAfterASaveBringsTheValueBack() throws {
        try fill(1)
        let context = newContext()
        context.undoManager = UndoManager()
        let image = try images(context)[0]
        image.setValue(value(9), forKey: "data")
        context.processPendingChanges()
        try context.save()
        Thread.sleep(forTimeInterval: 0.3)
        context.undo()
        try context.save()
        #expect(image.value(forKey: "data") as? Data == value(0))
        try expectAllValues(1)
    }

    // MARK: Replaced files

    private func wait(for count: Int) -> Int {
        for _ in 0..<200 where fileNames().count != count { Thread.sleep(forTimeInterval: 0.02) }
        return fileNames().count
    }

    /// Other contexts and other coordinators of the process have the rows of before, and their values.
    @Test(arguments: [false, true]) func replacedValuesCanBeReadByWhoeverHasTheirRows(_ isElsewhere: Bool) throws {
        try fill(3)
        let context = isElsewhere ? try FormatStore.second(on: store) : newContext()
        let found = try images(context)
        let child = newContext(parent: context)
        let inherited = try images(child)
        let writer = newContext()
        for (number, image) in try images(writer).enumerated() {
            if number == 0 { writer.delete(image) } else { image.setValue(value(number + 10), forKey: "data") }
        }
        try writer.save()
        Thread.sleep(forTimeInterval: 0.3)
        #expect(fileNames().count == 5)
        #expect(found.map { $0.value(forKey: "data") as? Data } == (0..<3).map(value))
        #expect(inherited.map { $0.value(forKey: "data") as? Data } == (0..<3).map(value))
        // An edit makes a row of its own.
        found[1].setValue("edited", forKey: "name")
        child.reset()
        context.reset()
        #expect(wait(for: 2) == 2)
    }

    /// Another process deletes a file together with the commit that replaces it: then the value is what the store has by now.
    @Test(arguments: [200_000, 5, 0]) func aValueThatOthersReplacedIsReadAnew(_ size: Int) throws {
        try fill(1)
        let context = newContext()
        let image = try images(context)[0]
        let new = size > 0 ? Data(repeating: 9, count: size) : nil
        let old = fileNames()
        let other = try FormatStore.second(on: store)
        try images(other)[0].setValue(new, forKey: "data")
        try other.save()
        for name in old { try FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
        #expect(image.value(forKey: "data") as? Data == new)
        #expect(try image.valueThrowing(forKey: "data") as? Data == new)
        // The object is still the one of before, so that a save notices the other's.
        image.setValue("mine", forKey: "name")
        #expect(throws: NSError.self) { try context.save() }
    }

    @Test func aRowThatIsGoneIsAnError() throws {
        try fill(1)
        let image = try images(newContext())[0]
        try store.run("DELETE FROM ZIMAGE")
        try FileManager.default.removeItem(at: folder)
        #expect(throws: NSError.self) { try image.valueThrowing(forKey: "data") }
    }

    @Test func unreadableFilesAreAnError() throws {
        try fill(1)
        let image = try images(store.context)[0]
        let file = folder.appendingPathComponent(try #require(fileNames().first))
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let error = #expect(throws: NSError.self) { try image.valueThrowing(forKey: "data") }
        #expect(error?.code == CocoaError.fileReadUnknown.rawValue)
        #expect(error?.userInfo["entity"] as? String == "Image" && error?.userInfo["property"] as? String == "data")
        #expect(error?.userInfo[NSFilePathErrorKey] as? String == file.path)
    }

    /// Rows are shared by contexts, each on its own queue.
    @Test func contextsReadTheSameRowsAtOnce() throws {
        try fill(20)
        let parent = newContext()
        _ = try images(parent)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            child.performAndWait {
                let found = (try? Self.images(child)) ?? []
                #expect(found.map { $0.value(forKey: "data") as? Data } == (0..<20).map(Self.value))
            }
        }
    }

    // MARK: Setting and comparing

    /// Only another value is a change, whether the old one has been read or not.
    @Test func settingTheSameValueIsNoChange() throws {
        try fill(1)
        let context = newContext()
        let image = try images(context)[0]
        image.setValue(value(0), forKey: "data")
        #expect(image.changedValues().isEmpty)
        try context.save()
        #expect(try store.sql("SELECT Z_OPT FROM ZIMAGE") == ["1"])
        image.setValue(value(1), forKey: "data")
        #expect(image.changedValues()["data"] as? Data == value(1))
        #expect(image.committedValues(forKeys: ["data"])["data"] as? Data == value(0))
        #expect(image.changedValuesForCurrentEvent()["data"] as? Data == value(0))
        try context.save()
        #expect(try images(newContext())[0].value(forKey: "data") as? Data == value(1))
    }

    @Test func accessorsReadAndSet() throws {
        try fill(2)
        let context = newContext()
        let found = try images(context).compactMap { $0 as? ExternalImage }
        #expect(found.map(\.data) == [value(0), value(1)])
        found[0].data = value(5)
        found[1].data = nil
        #expect(found.map(\.data) == [value(5), nil])
        try context.save()
        #expect(try images(newContext()).map { $0.value(forKey: "data") as? Data } == [value(5), nil])
    }

    @Test func predicatesInMemoryReadTheValue() throws {
        try fill(3)
        let found = try images(newContext()) as NSArray
        #expect(found.filtered(using: NSPredicate(format: "data == %@", value(1) as NSData)).count == 1)
        #expect(found.filtered(using: NSPredicate(format: "data != nil")).count == 3)
    }

    @Test func rulesOfTheValueAreKept() throws {
        let image = FormatStore.entity("Image", [LibraryModel.attribute("data", .binaryDataAttributeType)])
        let data = try #require(image.attributesByName["data"])
        data.allowsExternalBinaryDataStorage = true
        data.setValidationPredicates(
            [NSPredicate(format: "SELF.length < 300000")], withValidationWarnings: ["too long"])
        let store = try FormatStore([image])
        store.context.insert("Image", ["name": "a", "data": value(1)])
        try store.context.save()
        store.context.reset()
        let object = try #require(try store.named("Image")["a"])
        object.setValue("b", forKey: "name")
        try store.context.save()
        object.setValue(Data(count: 400_000), forKey: "data")
        #expect(throws: NSError.self) { try store.context.save() }
    }
}

final class ExternalImage: NSManagedObject {
    var data: Data? {
        get { managedValue(ManagedProperty("data")) }
        set { setManagedValue(newValue, for: ManagedProperty("data")) }
    }
}
