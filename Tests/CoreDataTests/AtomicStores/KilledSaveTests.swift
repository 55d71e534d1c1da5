import CoreData
import CoreDataTestSupport
import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What saves of binary and XML stores leave beside them when their process ends.
@Suite("Killed saves of stores that are written as a whole")
struct KilledSaveTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func names(_ folder: URL) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    }

    /// The model of `CoreDataStoreWorker step`.
    private func coordinator() -> NSPersistentStoreCoordinator {
        let (model, label, word) = (NSManagedObjectModel(), NSEntityDescription(), NSAttributeDescription())
        (label.name, word.name, word.attributeType) = ("Label", "word", .stringAttributeType)
        label.properties = [word]
        model.entities = [label]
        return NSPersistentStoreCoordinator(managedObjectModel: model)
    }

    @Test(arguments: FileStoreTests.types)
    func whatTheyLeaveGoesAtTheNextOpening(_ type: String) throws {
        let whole = try Worker("step", folder.file("Whole"), [type, "0"])
        #expect(whole.finish(), "\(whole.lines)")
        let calls = try #require(whole.last("calls"))
        var left = 0
        for number in 1...calls {
            let place = folder.file("\(number)"), store = place.appendingPathComponent("Store")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            _ = try Worker("step", store, [type, String(number)]).finish()
            left += try names(place).count - 1
            let coordinator = coordinator()
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: store)
            #expect(try names(place) == ["Store"], "ended before call \(number)")
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            #expect(try context.performAndWait { try context.fetchAll("Label").count } == 1)
        }
        #expect(left > 0)
    }

    @Test(arguments: FileStoreTests.types)
    func whatIsBeingWrittenStays(_ type: String) throws {
        let store = folder.file("Store")
        let left = ".Store.saving-0123456789abcdef", running = ".Store.saving-fedcba9876543210"
        let others: Set = [".Store.saving-mine", ".Other.saving-0123456789abcdef", ".Store.savings"]
        for name in others.union([left, running]) { try Data("half".utf8).write(to: folder.file(name)) }
        // As the process that writes it does.
        let lock = open(folder.file(running).path, O_RDONLY | O_CLOEXEC)
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        defer { close(lock) }
        for isReadOnly in [false, true] {
            let coordinator = coordinator()
            try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: store, options: [NSReadOnlyPersistentStoreOption: isReadOnly])
            #expect(try names(folder.url) == others.union(["Store", running] + (isReadOnly ? [left] : [])))
            try Data("half".utf8).write(to: folder.file(left))
        }
        try coordinator().destroyPersistentStore(at: store, ofType: type)
        #expect(try names(folder.url) == others.union([running]))
    }

    @Test("A save leaves a file its permissions, and a link a link", arguments: FileStoreTests.types)
    func permissionsStay(_ type: String) throws {
        let store = folder.file("Store"), link = folder.file("Link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: store)
        let coordinator = coordinator()
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: link)
        for mode in [0o640, 0o606] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: store.path)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                context.insert("Label")
                try context.save()
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: store.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode)
        }
        #expect(try names(folder.url) == ["Store", "Link"])
    }
}
