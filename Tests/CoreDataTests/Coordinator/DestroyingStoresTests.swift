import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Destroying a store that is in use.
@Suite("Destroying loaded stores")
struct DestroyingStoresTests {
    @Test(arguments: [NSSQLiteStoreType, NSBinaryStoreType, NSXMLStoreType])
    func aLoadedStoreLeavesItsCoordinator(_ type: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Destroy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("Store")
        let library = try Library(type: type, at: file, removing: folder)
        let coordinator = library.coordinator
        let author = try library.context.performAndWait {
            let author = library.context.insert("Author", ["name": "Ann"])
            try library.context.save()
            return author
        }
        // However the URL is written.
        let other = folder.appendingPathComponent("..").appendingPathComponent(folder.lastPathComponent)
            .appendingPathComponent("Store")
        try coordinator.destroyPersistentStore(at: other, ofType: type)
        #expect(coordinator.persistentStores.isEmpty)
        library.context.performAndWait { #expect(author.value(forKey: "name") == nil) }
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: file)
        try library.context.performAndWait {
            #expect(try library.context.fetchAll("Author").isEmpty)
            library.context.insert("Author", ["name": "Bob"])
            try library.context.save()
        }
        #expect(try library.makeContext().fetchAll("Author").count == 1)
    }

    /// A file is destroyed, and replaced, only as what it is.
    @Test(arguments: [NSSQLiteStoreType, NSBinaryStoreType, NSXMLStoreType], [true, false])
    func filesOfOtherTypesStay(_ type: String, isOpen: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Destroy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("Store")
        let library = try Library(type: type, at: file, removing: folder)
        try library.context.performAndWait {
            library.context.insert("Author", ["name": "Ann"])
            try library.context.save()
        }
        if !isOpen { try library.coordinator.remove(try #require(library.coordinator.persistentStores.first)) }
        let other = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let source = folder.appendingPathComponent("Source")
        for wrong in [NSBinaryStoreType, NSXMLStoreType] where wrong != type {
            let error = #expect(throws: NSError.self) { try other.destroyPersistentStore(at: file, ofType: wrong) }
            #expect(error?.code == NSPersistentStoreTypeMismatchError)
            let added = try other.addPersistentStore(ofType: wrong, configurationName: nil, at: source)
            try other.remove(added)
            #expect(throws: NSError.self) {
                try other.replacePersistentStore(
                    at: file, withPersistentStoreFrom: source, sourceOptions: nil, ofType: wrong)
            }
            try other.destroyPersistentStore(at: source, ofType: wrong)
            #expect(!FileManager.default.fileExists(atPath: source.path))
        }
        if !isOpen { try library.coordinator.addPersistentStore(ofType: type, configurationName: nil, at: file) }
        #expect(try library.makeContext().fetchAll("Author").count == 1)
    }

    /// A damaged file is still one of its type.
    @Test func damagedStoresCanBeDestroyed() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("Damaged")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let store = try coordinator.addPersistentStore(ofType: NSBinaryStoreType, configurationName: nil, at: file)
        try coordinator.remove(store)
        let whole = try Data(contentsOf: file)
        try whole.prefix(whole.count / 2).write(to: file)
        try coordinator.destroyPersistentStore(at: file, ofType: NSBinaryStoreType)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func otherStoresStay() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Destroy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let library = try Library(
            type: NSSQLiteStoreType, at: folder.appendingPathComponent("A.sqlite"), removing: folder)
        let coordinator = library.coordinator
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        try coordinator.destroyPersistentStore(at: folder.appendingPathComponent("B.sqlite"), ofType: NSSQLiteStoreType)
        #expect(coordinator.persistentStores.count == 2)
        try coordinator.destroyPersistentStore(at: folder.appendingPathComponent("A.sqlite"), type: .sqlite)
        #expect(coordinator.persistentStores.map(\.type) == [NSInMemoryStoreType])
    }
}
