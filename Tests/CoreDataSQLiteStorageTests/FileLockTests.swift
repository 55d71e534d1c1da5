import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import Testing

/// Nothing the framework does to a URL ends the locks that SQLite holds on the file there: the system would end them all if
/// any descriptor of the file were closed (fcntl_locking(2)), and another process would take the store for unused.
@Suite(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/locks"), "needs /proc/locks"))
struct FileLockTests {
    /// A store with external data that is open, has been read, and so is locked.
    private final class OpenStore {
        let folder: URL
        let url: URL
        let coordinator: NSPersistentStoreCoordinator
        let context: NSManagedObjectContext

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("locks-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            url = folder.appendingPathComponent("Data.db")
            (coordinator, context) = try Self.open(url)
            try save(1)
        }

        deinit {
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
            try? FileManager.default.removeItem(at: folder)
        }

        static func open(_ url: URL) throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
            try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            return (coordinator, context)
        }

        static func model() -> NSManagedObjectModel {
            let note = LibraryModel.entity("Note")
            let image = LibraryModel.attribute("image", .binaryDataAttributeType)
            image.allowsExternalBinaryDataStorage = true
            note.properties = [LibraryModel.attribute("number", .integer64AttributeType), image]
            let model = NSManagedObjectModel()
            model.entities = [note]
            return model
        }

        func save(_ number: Int) throws {
            try context.performAndWait {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue(number, forKey: "number")
                note.setValue(Data(repeating: UInt8(number), count: 200_000), forKey: "image")
                try context.save()
                _ = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
            }
        }

        /// What SQLite keeps beside the store, and links to that.
        func filesBeside() throws -> [URL] {
            try ["-shm", "-wal"].flatMap { suffix in
                let file = URL(fileURLWithPath: url.path + suffix)
                let links = ["symbolic", "hard"].map { folder.appendingPathComponent("\($0) link\(suffix).bin") }
                try FileManager.default.createSymbolicLink(at: links[0], withDestinationURL: file)
                try FileManager.default.linkItem(at: file, to: links[1])
                return [file] + links
            }
        }

        /// On which of the two this process has locks: the database, and the index of its log. Which bytes are locked changes
        /// while the store is at work; that a file is locked at all does not.
        ///
        /// The system hands its list out in pieces, between which others lock and unlock, so that a line may be passed
        /// over: reads again until everything expected has been seen, and gives up after a while.
        func locks() throws -> Set<String> {
            let inodes = try ["", "-shm"].map { suffix in
                let attributes = try FileManager.default.attributesOfItem(atPath: url.path + suffix)
                return try #require((attributes[.systemFileNumber] as? NSNumber)?.uint64Value)
            }
            var seen: Set<String> = []
            for _ in 0..<50 {
                seen.formUnion(try listedLocks(on: inodes))
                if seen.count == inodes.count { break }
                usleep(1000)
            }
            return seen
        }

        /// Read to the end in pieces of any size: the system hands out a page at most at once.
        private static func systemsLocks() -> String {
            let descriptor = Foundation.open("/proc/locks", O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = read(descriptor, &piece, piece.count), count > 0 { bytes += piece[..<count] }
            return String(decoding: bytes, as: UTF8.self)
        }

        private func listedLocks(on inodes: [UInt64]) throws -> Set<String> {
            let own = String(ProcessInfo.processInfo.processIdentifier)
            var found: Set<String> = []
            for line in Self.systemsLocks().split(separator: "\n") {
                // 1: POSIX  ADVISORY  READ 4711 08:01:1234 1073741826 1073742335
                let fields = line.split(separator: " ").map(String.init)
                guard fields.count > 6, fields[1] == "POSIX", fields[4] == own,
                    let inode = fields[5].split(separator: ":").last.flatMap({ UInt64($0) }),
                    let place = inodes.firstIndex(of: inode)
                else { continue }
                found.insert(place == 0 ? "database" : "index")
            }
            return found
        }
    }

    private static let both: Set = ["database", "index"]
    private static let types = [NSSQLiteStoreType, NSBinaryStoreType, NSXMLStoreType, NSInMemoryStoreType]

    /// What a program may do to the URL of a store, wrongly at times. Most of it throws for most types.
    private static let calls: [(name: String, body: @Sendable (URL, String, URL) throws -> Void)] = [
        (
            "read metadata",
            { url, type, _ in
                _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url, options: nil)
            }
        ),
        (
            "set metadata",
            { url, type, _ in
                var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
                metadata["seen"] = "yes"
                try NSPersistentStoreCoordinator.setMetadata(metadata, forPersistentStoreOfType: type, at: url)
            }
        ),
        (
            "add and remove",
            { url, type, _ in
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: OpenStore.model())
                let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
                try coordinator.remove(store)
            }
        ),
        (
            "add for reading only",
            { url, type, _ in
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: OpenStore.model())
                let store = try coordinator.addPersistentStore(
                    ofType: type, configurationName: nil, at: url, options: [NSReadOnlyPersistentStoreOption: true])
                try coordinator.remove(store)
            }
        ),
        (
            "copy",
            { url, type, other in
                try NSPersistentStoreCoordinator(managedObjectModel: OpenStore.model()).replacePersistentStore(
                    at: other, destinationOptions: nil, withPersistentStoreFrom: url, sourceOptions: nil, ofType: type)
            }
        ),
        (
            "read as a model",
            { url, _, _ in
                #expect(NSManagedObjectModel(contentsOf: url) == nil)
                #expect(NSMappingModel(contentsOf: url) == nil)
                #expect(throws: (any Error).self) { try NSManagedObjectModel.checksumsForVersionedModel(at: url) }
            }
        ),
        (
            "put another in its place",
            { url, type, other in
                // Not in the place of the store itself, which may be replaced.
                guard url.lastPathComponent.contains("-"), type != NSInMemoryStoreType else { return }
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: OpenStore.model())
                try coordinator.remove(
                    try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: other))
                #expect(throws: (any Error).self, "\(url.lastPathComponent)") {
                    try coordinator.replacePersistentStore(
                        at: url, destinationOptions: nil, withPersistentStoreFrom: other, sourceOptions: nil,
                        ofType: type)
                }
            }
        ),
        (
            "migrate",
            { url, type, other in
                let model = OpenStore.model()
                let manager = NSMigrationManager(sourceModel: model, destinationModel: model)
                let mapping = try NSMappingModel.inferredMappingModel(
                    forSourceModel: model, destinationModel: model)
                try manager.migrateStore(
                    from: url, type: .init(rawValue: type), options: nil, mapping: mapping, to: other,
                    type: .init(rawValue: type), options: nil)
            }
        ),
    ]

    @Test(arguments: types)
    func noCallEndsThem(type: String) throws {
        let store = try OpenStore()
        #expect(try store.locks() == Self.both)
        let (symbolic, hard) = (
            store.folder.appendingPathComponent("symbolic.db"), store.folder.appendingPathComponent("hard.bin")
        )
        try FileManager.default.createSymbolicLink(at: symbolic, withDestinationURL: store.url)
        try FileManager.default.linkItem(at: store.url, to: hard)
        // SQLite itself refuses nothing about a second name, and is no better off with one.
        let urls = [store.url, symbolic] + (type == NSSQLiteStoreType ? [] : [hard]) + (try store.filesBeside())
        for (name, body) in Self.calls {
            for url in urls {
                let other = store.folder.appendingPathComponent("other-\(UUID().uuidString)")
                try? body(url, type, other)
                #expect(
                    try store.locks() == Self.both,
                    "\(name), \(type), \(url.lastPathComponent)")
            }
        }
        try store.save(2)
    }

    /// The readers of all kinds of files that belong to models.
    private static let readers: [(name: String, body: @Sendable (URL) throws -> Void)] = [
        ("Model", { _ = try Model(contentsOf: $0) }),
        ("ModelBundle", { _ = try ModelBundle(contentsOf: $0) }),
        ("MappingModel", { _ = try MappingModel(contentsOf: $0) }),
        ("MappingDocument", { _ = try MappingDocument(contentsOf: $0) }),
        ("StringsFile", { _ = try StringsFile.read(at: $0) }),
    ]

    /// Readers of models, mapping models and texts, given the URL of an open store or of what lies beside it.
    @Test func noReaderOfModelsEndsThem() throws {
        let store = try OpenStore()
        let (symbolic, hard) = (
            store.folder.appendingPathComponent("symbolic.mom"), store.folder.appendingPathComponent("hard.mom")
        )
        try FileManager.default.createSymbolicLink(at: symbolic, withDestinationURL: store.url)
        try FileManager.default.linkItem(at: store.url, to: hard)
        let bundle = store.folder.appendingPathComponent("Bundle.momd")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        for name in ["VersionInfo.plist", "One.mom"] {
            try FileManager.default.linkItem(at: store.url, to: bundle.appendingPathComponent(name))
        }
        for url in [store.url, symbolic, hard, bundle] + (try store.filesBeside()) {
            for (name, read) in Self.readers {
                #expect(throws: (any Error).self, "\(name), \(url.lastPathComponent)") { try read(url) }
                #expect(try store.locks() == Self.both, "\(name), \(url.lastPathComponent)")
            }
        }
        try store.save(2)
    }

    /// Two stores whose names differ in the extension share a folder of external data, so each looks at the other.
    @Test func aStoreOfTheSameStemLeavesThem() throws {
        let store = try OpenStore()
        #expect(try store.locks() == Self.both)
        let (coordinator, context) = try OpenStore.open(store.folder.appendingPathComponent("Data.sqlite"))
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(Data(repeating: 9, count: 200_000), forKey: "image")
            try context.save()
            context.delete(note)
            try context.save()
        }
        #expect(try store.locks() == Self.both)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        #expect(try store.locks() == Self.both)
        try NSPersistentStoreCoordinator(managedObjectModel: OpenStore.model()).destroyPersistentStore(
            at: store.folder.appendingPathComponent("Data.sqlite"), type: .sqlite)
        #expect(try store.locks() == Self.both)
    }

    /// An external value whose file is a link to the database.
    @Test func externalDataThatLeadsToTheDatabase() throws {
        let store = try OpenStore()
        let files = store.folder.appendingPathComponent(".Data_SUPPORT/_EXTERNAL_DATA")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: files.path).first)
        let file = files.appendingPathComponent(name)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.linkItem(at: store.url, to: file)
        #expect(try store.locks() == Self.both)
        let (coordinator, context) = try OpenStore.open(store.url)
        context.performAndWait {
            _ = #expect(throws: (any Error).self) {
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
                    .map { try $0.valueThrowing(forKey: "image") }
            }
        }
        #expect(try store.locks() == Self.both)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// What another process sees: it does not end the log of a store that is open here.
    @Test func anotherProcessLeavesTheLogAlone() throws {
        let store = try OpenStore()
        for type in [NSBinaryStoreType, NSXMLStoreType] {
            _ = try? NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: store.url)
        }
        let reader = Process()
        reader.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        reader.arguments = ["sqlite3", store.url.path, "SELECT COUNT(*) FROM ZNOTE"]
        let output = Pipe()
        reader.standardOutput = output
        try reader.run()
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        reader.waitUntilExit()
        #expect(printed == "1\n")
        #expect(FileManager.default.fileExists(atPath: store.url.path + "-wal"))
        #expect(FileManager.default.fileExists(atPath: store.url.path + "-shm"))
    }
}
