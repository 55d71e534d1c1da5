import CoreData
import CoreDataStoreFiles
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

/// What remains the same when a rescued store takes the place of a damaged one.
@Suite struct LaunchRescueTests {
    private func root(_ table: String, _ url: URL) throws -> Int {
        try #require(Int(try rescueShell("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", url).dropLast()))
    }

    private func zero(_ page: Int, _ url: URL) throws {
        let handle = try FileHandle(forUpdating: url)
        try handle.seek(toOffset: UInt64(page - 1) * 4096)
        try handle.write(contentsOf: Data(count: 4096))
        try handle.close()
    }

    private func open(_ url: URL, model: NSManagedObjectModel) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: CheckedStore.history)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test func objectIDsHistoryTokensAndExternalFilesRemain() throws {
        let store = try CheckedStore()
        let (uris, token, blob) = try {
            let context = try open(store.url, model: CheckedStore.model())
            defer { try? close(context) }
            return try context.performAndWait {
                let notes = try context.fetchAll("Note").filter { $0.value(forKey: "text") != nil }
                let large = notes.compactMap { $0.value(forKey: "blob") as? Data }.max { $0.count < $1.count }
                return (
                    notes.map { $0.objectID.uriRepresentation() },
                    context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil), large
                )
            }
        }()
        let files = try FileManager.default.subpathsOfDirectory(atPath: store.folder.url.path)
            .filter { $0.contains("_EXTERNAL_DATA/") }
        #expect(!files.isEmpty && blob?.count == 200_000)
        let page = try rescueShell("SELECT min(pageno) FROM dbstat WHERE name = 'ZPASSPORT'", store.url)
        try zero(try #require(Int(page.dropLast())), store.url)
        guard case .rescued(let report, let oldFiles) = try StoreRescue.open(store.url, else: .rescue) else {
            Issue.record("It is not rescued.")
            return
        }
        #expect(report.entities.first { $0.entity == "Note" }?.kept == 3)
        let context = try open(store.url, model: CheckedStore.model())
        try context.performAndWait {
            let coordinator = try #require(context.persistentStoreCoordinator)
            for uri in uris {
                let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
                let note = try context.existingObject(with: id)
                #expect(note.value(forKey: "text") as? String == "töxt")
            }
            let blobs = try context.fetchAll("Note").compactMap { $0.value(forKey: "blob") as? Data }
            #expect(blobs.contains { $0 == blob })
            context.insert("Tag", ["word": "after"])
            try context.save()
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let changes = (result?.result as? [NSPersistentHistoryTransaction])?.flatMap { $0.changes ?? [] } ?? []
            #expect(changes.contains { $0.changedObjectID.entity.name == "Tag" })
        }
        try close(context)
        for file in files {
            let (old, new) = (oldFiles.appendingPathComponent(file), store.folder.url.appendingPathComponent(file))
            #expect(try Data(contentsOf: old) == Data(contentsOf: new))
        }
        let findings = try store.findings()
        #expect(findings.allSatisfy { $0.rule != .structure && $0.rule != .missingFile }, "\(findings)")
    }

    private func close(_ context: NSManagedObjectContext) throws {
        context.performAndWait { context.reset() }
        for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
            try context.persistentStoreCoordinator?.remove(store)
        }
    }

    @Test func aFileWithHolesIsCopiedWithItsHoles() throws {
        let store = try CheckedStore()
        // Checkpointed: the file itself is complete.
        _ = try rescueShell("PRAGMA wal_checkpoint(TRUNCATE)", store.url)
        let page = try rescueShell("SELECT min(pageno) FROM dbstat WHERE name = 'ZPASSPORT'", store.url)
        try zero(try #require(Int(page.dropLast())), store.url)
        let content = try Data(contentsOf: store.url)
        let size: Int64 = 3 << 30
        #expect(truncate(store.url.path, Int(size)) == 0)
        guard case .rescued(_, let oldFiles) = try StoreRescue.open(store.url, else: .rescue) else {
            Issue.record("It is not rescued.")
            return
        }
        let copy = oldFiles.appendingPathComponent(store.url.lastPathComponent)
        var status = stat()
        #expect(stat(copy.path, &status) == 0)
        #expect(Int64(status.st_size) == size && Int64(status.st_blocks) * 512 < 16 << 20)
        let handle = try FileHandle(forReadingFrom: copy)
        #expect(try handle.read(upToCount: content.count) == content)
    }

    @Test func anOrphanedExternalFileIsKept() throws {
        let store = try CheckedStore()
        let folder = store.folder.file(".Checked_SUPPORT/_EXTERNAL_DATA")
        let name = UUID().uuidString
        try Data([1, 2, 3]).write(to: folder.appendingPathComponent(name))
        try zero(try root("ZTAG", store.url), store.url)
        guard case .rescued(let report, let oldFiles) = try StoreRescue.open(store.url, else: .rescue) else {
            Issue.record("It is not rescued.")
            return
        }
        let orphan = try #require(report.orphanedFiles.first { $0.lastPathComponent == name })
        #expect(orphan.path.hasPrefix(oldFiles.path + "/"))
        #expect(try Data(contentsOf: orphan) == Data([1, 2, 3]))
    }

    @Test func leftoversAreInTheFolderOfTheOldFiles() throws {
        let sample = try LaunchSample()
        try sample.sample.shell("UPDATE ZAWARD SET ZYEAR = 100000 WHERE Z_PK = 5")
        guard case .rescued(let report, let oldFiles) = try sample.open() else {
            Issue.record("It is not rescued.")
            return
        }
        let leftovers = try #require(report.leftovers)
        #expect(leftovers.deletingLastPathComponent().lastPathComponent == oldFiles.lastPathComponent)
        #expect(try Data(contentsOf: leftovers).isEmpty == false)
        #expect(try sample.folder.leftOvers(except: [sample.url, oldFiles]) == [])
    }

    @Test func aLinkRemainsALink() throws {
        let sample = try LaunchSample(.pageBesideLog)
        let other = try TemporaryFolder()
        let link = other.file("Link.sqlite")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: sample.url)
        guard case .rescued(let report, let oldFiles) = try StoreRescue.open(link, else: .rescue) else {
            Issue.record("It is not rescued.")
            return
        }
        #expect(report.url.resolvingSymlinksInPath().path == sample.url.resolvingSymlinksInPath().path)
        try sample.expectRescued(oldFiles)
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.url.path) == ["Link.sqlite"])
        let type = try FileManager.default.attributesOfItem(atPath: link.path)[.type] as? FileAttributeType
        #expect(type == .typeSymbolicLink)
    }

    @Test func theFileItsPermissionsAndItsSecondNameRemain() throws {
        let sample = try LaunchSample(.pageBesideLog)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: sample.url.path)
        let identity = FileIdentity(sample.url.path)
        var log: Int?
        guard
            case .rescued(_, let oldFiles) = try sample.open(step: {
                guard $0 == .exchanged else { return }
                let attributes = try FileManager.default.attributesOfItem(atPath: sample.url.path + "-wal")
                log = attributes[.posixPermissions] as? Int
            })
        else {
            Issue.record("It is not rescued.")
            return
        }
        #expect(FileIdentity(sample.url.path) == identity)
        for file in [sample.url, oldFiles.appendingPathComponent(sample.url.lastPathComponent)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o640)
        }
        #expect(log == 0o640)
    }

    @Test func whatMustNotBeWrittenIsUnchanged() throws {
        let sample = try LaunchSample()
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: sample.folder.path)
        let first = withoutPrivileges { Result { try sample.open() } }
        try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: sample.folder.path)
        #expect(throws: StoreToolError.self) { try first.get() }
        try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: sample.url.path)
        let second = withoutPrivileges { Result { try sample.open() } }
        #expect(throws: StoreToolError.self) { try second.get() }
        for result in [first, second] {
            guard case .failure(let error as StoreToolError) = result else { continue }
            #expect(error.code == .destination && error.advice?.contains("permission") == true)
        }
        let isUnchanged = try LaunchSample.files(sample.folder) == sample.files
        #expect(isUnchanged)
        #expect(try sample.folder.leftOvers(except: [sample.url]) == [])
    }

    @Test func severalRescuesInOneSecondHaveTheirOwnFolders() throws {
        let sample = try LaunchSample()
        let damaged = try Data(contentsOf: sample.url)
        var names: Set<String> = []
        for _ in 0..<4 {
            try damaged.write(to: sample.url)
            guard case .rescued(_, let oldFiles) = try sample.open() else {
                Issue.record("It is not rescued.")
                continue
            }
            names.insert(oldFiles.lastPathComponent)
            #expect(try Data(contentsOf: oldFiles.appendingPathComponent(sample.url.lastPathComponent)) == damaged)
        }
        #expect(names.count == 4)
        #expect(try sample.oldFolders.count == 4)
    }

    @Test func aFullDiskChangesNothing() throws {
        let sample = try LaunchSample(.pageBesideLog)
        for step in [LaunchStep.logWritten, .filesCopied, .kept, .storeLocked] {
            #expect(throws: StoreToolError.self) {
                try sample.open {
                    if $0 == step { throw StoreToolError(.destination, "No space.") }
                }
            }
            let isUnchanged = try LaunchSample.files(sample.folder) == sample.files
            #expect(isUnchanged, "\(step)")
            #expect(try sample.oldFolders == [], "\(step)")
        }
    }

    /// The file and the rescued store may have different sizes of pages, and the file may be empty.
    @Test(arguments: [512, 1024, 8192, 65536]) func storesOfAllPageSizesAreExchanged(_ size: Int) throws {
        let sample = try RescueSample()
        try sample.shell("PRAGMA journal_mode = DELETE; PRAGMA page_size = \(size); VACUUM;")
        let content = try LaunchSample.content(sample.url)
        let root = try root("ZBOOK", sample.url)
        let handle = try FileHandle(forUpdating: sample.url)
        try handle.seek(toOffset: UInt64(root - 1) * UInt64(size))
        try handle.write(contentsOf: Data(count: min(size, 4096)))
        try handle.close()
        guard case .rescued = try StoreRescue.open(sample.url, else: .rescue) else {
            Issue.record("It is not rescued.")
            return
        }
        let isSame = try LaunchSample.content(sample.url) == content
        #expect(isSame || size == 65536)
        #expect(try sample.shell("PRAGMA integrity_check") == "ok\n")
    }

    @Test func aStoreThatIsInItsLogAloneIsRescued() throws {
        let sample = try RescueSample()
        let copy = sample.folder.file("Copy.sqlite")
        let rows = try sample.shell(".dump")
        _ = try rescueShell(
            ".dbconfig no_ckpt_on_close on\nPRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;\n" + rows, copy)
        let file = try FileHandle(forWritingTo: copy)
        try file.truncate(atOffset: 0)
        try file.close()
        guard case .cutShort = StoreCondition.of(copy),
            case .rescued(_, let old) = try StoreRescue.open(copy, else: .rescue)
        else {
            Issue.record("\(StoreCondition.of(copy))")
            return
        }
        let isSame = try LaunchSample.content(copy) == LaunchSample.content(sample.url)
        #expect(isSame)
        #expect(FileManager.default.fileExists(atPath: old.appendingPathComponent("Copy.sqlite-wal").path))
    }
}
