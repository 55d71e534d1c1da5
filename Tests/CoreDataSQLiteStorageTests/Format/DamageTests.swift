import CoreData
import CoreDataTestSupport
import Testing

/// Damaged and foreign files are refused with the codes Foundation has for them and are left as they are; files that go
/// away while they are in use are noticed.
@Suite
struct DamageTests {
    private let store: FormatStore

    init() throws {
        store = try FormatStore([FormatStore.entity("Note")])
        for number in 0..<2000 { store.context.insert("Note", ["name": "note \(number) \(UUID().uuidString)"]) }
        try store.context.save()
        store.close()
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.url.path + suffix) }
    }

    /// What opening, reading everything and writing gives.
    private func use() throws {
        try store.reopen()
        for note in try store.context.fetchAll("Note") { _ = note.value(forKey: "name") }
        store.context.insert("Note", ["name": "new"])
        try store.context.save()
    }

    private func expectRefusal(_ content: Data, code: CocoaError.Code, _ comment: Comment) throws {
        try content.write(to: store.url)
        do {
            try use()
            Issue.record("The file was accepted: \(comment)")
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain && error.code == code.rawValue, "\(comment): \(error)")
        }
        store.close()
        #expect(try Data(contentsOf: store.url) == content, comment)
        #expect(!FileManager.default.fileExists(atPath: store.url.path + "-journal"))
    }

    @Test func cutOffAnywhere() throws {
        let whole = try Data(contentsOf: store.url)
        #expect(whole.count > 20 * 4096)
        for count in [whole.count - 4096, whole.count - 1, whole.count / 2, 4096 * 3, 4096, 4095, 600] {
            try expectRefusal(whole.prefix(count), code: .fileReadCorruptFile, "\(count) of \(whole.count) bytes")
        }
    }

    @Test func foreignContent() throws {
        try expectRefusal(Data("Dear Sir or Madam".utf8), code: .fileReadCorruptFile, "a letter")
        try expectRefusal(Data(repeating: 0xAB, count: 10_000), code: .fileReadCorruptFile, "garbage")
        var wrong = try Data(contentsOf: store.url)
        wrong.replaceSubrange(0..<6, with: Data("SQLITE".utf8))
        try expectRefusal(wrong, code: .fileReadCorruptFile, "a wrong beginning")
    }

    @Test func otherDatabases() throws {
        try FileManager.default.removeItem(at: store.url)
        try makeDatabase("CREATE TABLE recipe (name TEXT); INSERT INTO recipe VALUES ('soup')")
        try expectRefusal(try Data(contentsOf: store.url), code: .fileReadCorruptFile, "another program's database")
    }

    private func makeDatabase(_ sql: String) throws {
        // The folder is the store's own; its connection makes the file.
        try Data().write(to: store.url)
        try store.run(sql)
    }

    @Test func withoutMetadata() throws {
        // A dictionary of a number that only Foundation presents, and a set, for which its reader ends the process.
        let set =
            "62706C6973743030" + "D201020304" + "5161" + "5162" + "14" + String(repeating: "FF", count: 16) + "C101"
        let offsets =
            "080D0F1122" + "000000000000" + "0101" + "0000000000000005" + "0000000000000000" + "0000000000000024"
        for sql in [
            "DELETE FROM Z_METADATA", "UPDATE Z_METADATA SET Z_PLIST = x'00'",
            "UPDATE Z_METADATA SET Z_PLIST = x'\(set)\(offsets)'", "DROP TABLE Z_METADATA",
        ] {
            let whole = try Data(contentsOf: store.url)
            try store.run(sql)
            try store.run("PRAGMA wal_checkpoint(TRUNCATE)")
            try expectRefusal(try Data(contentsOf: store.url), code: .fileReadCorruptFile, "\(sql)")
            try whole.write(to: store.url)
        }
    }

    /// A page of the entity's table overwritten in the middle: what can be opened reports the damage when it is met, and no
    /// save goes through that meets it.
    @Test func damagedPages() throws {
        let whole = try Data(contentsOf: store.url)
        let root = try #require(Int(try store.sql("SELECT rootpage FROM sqlite_master WHERE name = 'ZNOTE'")[0]))
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.url.path + suffix) }
        var damaged = whole
        damaged.replaceSubrange((root - 1) * 4096..<root * 4096, with: Data(repeating: 0xFF, count: 4096))
        try expectRefusal(damaged, code: .fileReadCorruptFile, "the root page of the table")
        var leaf = whole
        let middle = whole.count / 8192 * 4096
        leaf.replaceSubrange(middle..<middle + 4096, with: Data(repeating: 0xEE, count: 4096))
        try expectRefusal(leaf, code: .fileReadCorruptFile, "a page in the middle")
    }

    @Test func missingTablesAndColumns() throws {
        try store.run("ALTER TABLE ZNOTE DROP COLUMN ZNAME")
        #expect { try store.reopen() } throws: { ($0 as NSError).code == NSPersistentStoreIncompatibleSchemaError }
        try store.run("DROP TABLE ZNOTE")
        #expect { try store.reopen() } throws: { ($0 as NSError).code == NSPersistentStoreIncompatibleSchemaError }
    }

    // MARK: Files that go away

    @Test func aDeletedFileIsNoticed() throws {
        try store.reopen()
        let new = store.context.insert("Note", ["name": "new"])
        try FileManager.default.removeItem(at: store.url)
        #expect { try store.context.save() } throws: {
            ($0 as NSError).code == CocoaError.fileNoSuchFile.rawValue
        }
        #expect(new.isInserted && new.objectID.isTemporaryID && store.context.hasChanges)
        #expect(throws: (any Error).self) {
            try store.context.execute(NSBatchInsertRequest(entityName: "Note", objects: [["name": "x"]]))
        }
    }

    @Test func aReplacedFileIsNoticed() throws {
        let copy = store.folder.file("copy")
        try FileManager.default.copyItem(at: store.url, to: copy)
        try store.reopen()
        _ = try store.context.fetchAll("Note")
        try FileManager.default.removeItem(at: store.url)
        try FileManager.default.moveItem(at: copy, to: store.url)
        store.context.insert("Note", ["name": "new"])
        #expect { try store.context.save() } throws: {
            ($0 as NSError).code == CocoaError.fileNoSuchFile.rawValue
        }
        store.context.reset()
        try store.reopen()
        #expect(try store.context.fetchAll("Note").count == 2000)
    }

    /// After a save, the next looks at the file in a cheaper way.
    @Test(arguments: ["deleted", "moved", "replaced"])
    func whatHappensToTheFileBetweenSavesIsNoticed(what: String) throws {
        let (copy, aside) = (store.folder.file("copy"), store.folder.file("aside"))
        try FileManager.default.copyItem(at: store.url, to: copy)
        try store.reopen()
        for number in 1...3 {
            store.context.insert("Note", ["name": "\(number)"])
            try store.context.save()
        }
        // File systems count time in ticks.
        usleep(30_000)
        switch what {
        case "deleted": try FileManager.default.removeItem(at: store.url)
        case "moved": try FileManager.default.moveItem(at: store.url, to: aside)
        default: #expect(rename(copy.path, store.url.path) == 0)
        }
        store.context.insert("Note", ["name": "new"])
        for _ in 1...2 {
            #expect { try store.context.save() } throws: {
                ($0 as NSError).code == CocoaError.fileNoSuchFile.rawValue
            }
        }
        #expect(store.context.hasChanges)
        guard what == "moved" else { return }
        try FileManager.default.moveItem(at: aside, to: store.url)
        try store.context.save()
        try store.reopen()
        #expect(try store.context.fetchAll("Note").count == 2004)
    }

    @Test func aFolderThatIsMovedBetweenSavesIsNoticed() throws {
        try store.reopen()
        store.context.insert("Note", ["name": "one"])
        try store.context.save()
        let (folder, aside) = (store.url.deletingLastPathComponent(), store.folder.url.path + "-aside")
        #expect(rename(folder.path, aside) == 0)
        defer { rename(aside, folder.path) }
        store.context.insert("Note", ["name": "two"])
        #expect { try store.context.save() } throws: {
            ($0 as NSError).code == CocoaError.fileNoSuchFile.rawValue
        }
    }

    @Test func whatElseChangesInTheFilesystemDoesNotMatter() throws {
        try store.reopen()
        for round in 1...4 {
            store.context.insert("Note", ["name": "\(round)"])
            try store.context.save()
            usleep(30_000)
            #expect(chmod(store.url.path, round % 2 == 0 ? 0o644 : 0o600) == 0)
        }
        try store.reopen()
        #expect(try store.context.fetchAll("Note").count == 2004)
    }

    /// A link to the file may be made to show another: what counts is the file that was opened.
    @Test func aStoreBehindALink() throws {
        let (link, other) = (store.folder.file("link.sqlite"), store.folder.file("other.sqlite"))
        try FileManager.default.copyItem(at: store.url, to: other)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: store.url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: link)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            context.insert("Note", ["name": "one"])
            try context.save()
            try FileManager.default.removeItem(at: link)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: other)
            context.insert("Note", ["name": "two"])
            try context.save()
            try FileManager.default.removeItem(at: store.url)
            context.insert("Note", ["name": "three"])
            #expect(throws: (any Error).self) { try context.save() }
        }
    }

    /// One process empties a store another has open.
    @Test func anEmptiedStore() throws {
        try store.reopen()
        #expect(try store.context.fetchAll("Note").count == 2000)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType)
        #expect(throws: (any Error).self) { try store.makeContext().fetchAll("Note") }
        store.context.insert("Note", ["name": "new"])
        #expect(throws: (any Error).self) { try store.context.save() }
        #expect(store.context.hasChanges)
        try store.reopen()
        #expect(try store.context.fetchAll("Note").isEmpty)
    }
}

extension FormatStore {
    func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}
