import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A disk that is full: a save either returns and is in the file, or is an error and has changed nothing.
///
/// `SMALL_DISK` is a folder on a file system of a few megabytes, which the test fills; `Tests/README.md` has the command.
@Suite(
    "A full disk",
    .enabled(if: ProcessInfo.processInfo.environment["SMALL_DISK"] != nil, "needs a file system of its own"),
    .serialized)
struct SmallDiskTests {
    private let disk: URL
    private let folder: URL
    private let model: NSManagedObjectModel

    init() throws {
        let path = try #require(ProcessInfo.processInfo.environment["SMALL_DISK"])
        disk = URL(fileURLWithPath: path)
        folder = disk.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        model = LibraryModel.make()
        let scan = LibraryModel.attribute("scan", .binaryDataAttributeType)
        scan.allowsExternalBinaryDataStorage = true
        model.entitiesByName["Book"]?.properties.append(scan)
    }

    private func open() throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.appendingPathComponent("Store.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func close(_ context: NSManagedObjectContext) throws {
        guard let coordinator = context.persistentStoreCoordinator else { return }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// What lies in the database, and what in files of its own.
    @Test(arguments: [("cover", 30_000), ("scan", 150_000)], 0..<10)
    func savesReturnOrChangeNothing(_ value: (key: String, size: Int), _ round: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        // Leaves another amount of space each time; goes when there is to be space again.
        let ballast = folder.appendingPathComponent("ballast")
        try Data(count: 800_000 + round * 3_333).write(to: ballast)
        let context = try open()
        var saved: Set<Int> = []
        try context.performAndWait {
            var failures = 0
            for pages in 0..<1000 {
                let bytes = Data((0..<value.size).map { UInt8(truncatingIfNeeded: $0 &* (pages + 3)) })
                context.insert("Book", ["pages": pages, value.key: bytes])
                do {
                    try context.save()
                    saved.insert(pages)
                } catch let error as NSError {
                    #expect(error.domain == NSCocoaErrorDomain)
                    #expect(error.code == CocoaError.fileWriteOutOfSpace.rawValue, "\(error)")
                    #expect(context.hasChanges)
                    failures += 1
                    if failures == 3 { break }
                    if failures == 2 { context.rollback() }
                }
            }
            #expect(failures == 3 && saved.count > 3)
            // With space again the same context goes on, and what it has not saved yet is saved.
            try FileManager.default.removeItem(at: ballast)
            let pending = context.insertedObjects.compactMap { $0.value(forKey: "pages") as? Int }
            try context.save()
            saved.formUnion(pending)
        }
        try close(context)

        let reader = try open()
        try reader.performAndWait {
            let books = try reader.fetchAll("Book")
            #expect(Set(books.compactMap { $0.value(forKey: "pages") as? Int }) == saved)
            #expect(books.count == saved.count)
            for book in books {
                let pages = book.value(forKey: "pages") as? Int ?? 0
                let bytes = book.value(forKey: value.key) as? Data
                #expect(bytes?.count == value.size && bytes?[1] == UInt8(truncatingIfNeeded: pages + 3))
            }
        }
        try close(reader)
    }
}
