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
