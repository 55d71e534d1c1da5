import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Destroying a store that is not there: SQLite's leave an empty one, others nothing.
@Suite("Destroying what is not there")
struct MissingStoreTests {
    @Test(arguments: [NSSQLiteStoreType, NSBinaryStoreType, NSXMLStoreType, NSInMemoryStoreType], [true, false])
    func noOtherFileIsMade(type: String, force: Bool) throws {
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        for url in [folder.file("a.store"), folder.file("below/b.store")] {
            try coordinator.destroyPersistentStore(
                at: url, ofType: type, options: [NSPersistentStoreForceDestroyOption: force])
        }
        let expected = type == NSSQLiteStoreType ? ["a.store"] : []
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == expected)
    }

    /// What is left of a database whose file is gone means nothing without it, and would spoil the next one of that name.
    @Test func leftoversOfALostFileGo() throws {
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        for suffix in ["-wal", "-shm", "-journal"] {
            try Data("left".utf8).write(to: folder.file("a.sqlite" + suffix))
        }
        try coordinator.destroyPersistentStore(at: folder.file("a.sqlite"), ofType: NSSQLiteStoreType)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.sqlite"])
    }
}
