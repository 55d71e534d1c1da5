import CoreData
import CoreDataStoreFiles
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

/// Stores that others use while they are examined and rescued.
@Suite(.enabled(if: ImageTestFiles.hasPython)) struct LaunchUseTests {
    private func isInUse(_ opening: StoreRescue.Opening) -> Bool {
        if case .unavailable(.inUse) = opening { true } else { false }
    }

    @Test func aStoreOpenInThisProcessIsUnavailable() throws {
        let sample = try RescueSample()
        let database = try Database(sample.url.path, flags: 2)
        _ = try database.integer("SELECT count(*) FROM ZBOOK")
        #expect(isInUse(try StoreRescue.open(sample.url, else: .rescue)))
        // The locks are still there: another process may not write exclusively.
        #expect(throws: (any Error).self) {
            try rescueShell("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;", sample.url)
        }
        #expect(try database.integer("SELECT count(*) FROM ZBOOK") == 400)
    }

    @Test func aHealthyStoreThatAnotherProcessUsesIsReady() throws {
        for journal in ["WAL", "DELETE"] {
            let sample = try RescueSample()
            try sample.shell("PRAGMA journal_mode = \(journal)")
            let holder = try ImageTestHolder(sample.url.path, ["BEGIN", "SELECT * FROM ZTAG"])
            guard case .ready = try StoreRescue.open(sample.url, else: .rescue) else {
                Issue.record("\(journal): not ready")
                continue
            }
            holder.kill()
        }
    }

    @Test func aStoreThatAnotherProcessKeepsToItselfIsLocked() throws {
        let sample = try RescueSample()
        try sample.shell("PRAGMA journal_mode = DELETE")
        let holder = try ImageTestHolder(sample.url.path, ["BEGIN EXCLUSIVE"])
        guard case .unavailable(.locked) = try StoreRescue.open(sample.url, else: .rescue) else {
            Issue.record("It is not locked.")
            return
        }
        holder.kill()
    }

    @Test func aDamagedStoreIsNotReplacedWhileAnotherProcessHasItOpen() throws {
        for damage in [LaunchSample.Damage.page, .pageBesideLog] {
            let sample = try LaunchSample(damage)
            let holder = try ImageTestHolder(sample.url.path, ["SELECT * FROM ZTAG"])
            guard case .damaged = try sample.open(else: .report) else {
                Issue.record("It is not damaged.")
                continue
            }
            #expect(isInUse(try sample.open()))
            holder.kill()
            guard case .rescued(_, let oldFiles) = try sample.open() else {
                Issue.record("It is not rescued.")
                continue
            }
            try sample.expectRescued(oldFiles)
        }
    }

    @Test func aProcessThatOpensItDuringTheRescueKeepsIt() throws {
        for at in [LaunchStep.folderLocked, .logWritten, .kept] {
            let sample = try LaunchSample(.pageBesideLog)
            var holder: ImageTestHolder?
            let opening = try sample.open {
                if $0 == at { holder = try ImageTestHolder(sample.url.path, ["SELECT * FROM ZTAG"]) }
            }
            #expect(isInUse(opening), "\(at)")
            try holder?.run("UPDATE ZTAG SET ZWORD = 'saved', Z_OPT = 9 WHERE Z_PK = 1")
            #expect(try sample.oldFolders == [], "\(at)")
            holder?.kill()
            guard case .rescued = try sample.open() else {
                Issue.record("\(at): not rescued")
                continue
            }
            #expect(try sample.sample.shell("SELECT ZWORD FROM ZTAG WHERE Z_PK = 1") == "saved\n")
        }
    }

    @Test func whatAProcessWritesDuringTheRescueIsKept() throws {
        for at in [LaunchStep.folderLocked, .rescued, .kept] {
            let sample = try LaunchSample(.pageBesideLog)
            let opening = try sample.open {
                if $0 == at { try sample.sample.shell("UPDATE ZTAG SET ZWORD = 'saved', Z_OPT = 9 WHERE Z_PK = 1") }
            }
            if at == .folderLocked {
                guard case .rescued = opening else {
                    Issue.record("not rescued")
                    continue
                }
            } else {
                #expect(isInUse(opening), "\(at)")
                guard case .rescued = try sample.open() else {
                    Issue.record("not rescued")
                    continue
                }
            }
            #expect(try sample.sample.shell("SELECT ZWORD FROM ZTAG WHERE Z_PK = 1") == "saved\n", "\(at)")
        }
    }

    /// A process that opens the store at the moment of the exchange reads the rescued one.
    @Test func aProcessWaitsForTheExchange() throws {
        let sample = try LaunchSample(.page)
        let results = LaunchResults()
        let url = sample.url
        var thread: Thread?
        let opening = try sample.open {
            guard $0 == .storeLocked else { return }
            #expect(throws: (any Error).self) { try rescueShell("SELECT count(*) FROM ZBOOK", url) }
            let started = Thread {
                results.add(Result { try rescueShell(".timeout 5000\nSELECT count(*), sum(ZPAGES) FROM ZBOOK", url) })
            }
            started.start()
            thread = started
            Thread.sleep(forTimeInterval: 0.2)
        }
        guard case .rescued = opening else {
            Issue.record("It is not rescued.")
            return
        }
        while thread?.isFinished == false { Thread.sleep(forTimeInterval: 0.01) }
        #expect(results.texts == ["400|79800\n"])
    }

    /// A connection without a log holds no lock while it is idle. It goes on with the rescued store.
    @Test func anIdleConnectionGoesOnWithTheRescuedStore() throws {
        let second = try RescueSample()
        try second.shell("PRAGMA journal_mode = DELETE")
        let holder = try ImageTestHolder(second.url.path, [])
        try holder.run("SELECT * FROM ZTAG")
        let root = try second.pages("ZBOOK", "internal")
        try second.zero(root[0])
        guard case .rescued = try StoreRescue.open(second.url, else: .rescue) else {
            Issue.record("It is not rescued.")
            return
        }
        try holder.run("UPDATE ZTAG SET ZWORD = 'idle', Z_OPT = 9 WHERE Z_PK = 2")
        holder.kill()
        #expect(try second.shell("SELECT count(*) FROM ZBOOK; SELECT ZWORD FROM ZTAG WHERE Z_PK = 2") == "400\nidle\n")
        #expect(try second.shell("PRAGMA integrity_check") == "ok\n")
    }

    @Test func aSecondRescueWaitsForTheFirst() throws {
        let sample = try LaunchSample()
        let results = LaunchResults()
        let url = sample.url
        var thread: Thread?
        let opening = try sample.open {
            guard $0 == .rescued else { return }
            guard case .unavailable(.locked) = try StoreRescue.open(url, else: .rescue, timeout: 0.05) else {
                Issue.record("It does not time out.")
                return
            }
            let started = Thread {
                results.add(
                    Result {
                        guard case .ready = try StoreRescue.open(url, else: .rescue, timeout: 20) else {
                            return "other"
                        }
                        return "ready"
                    })
            }
            started.start()
            thread = started
            Thread.sleep(forTimeInterval: 0.1)
        }
        guard case .rescued(_, let oldFiles) = opening else {
            Issue.record("It is not rescued.")
            return
        }
        while thread?.isFinished == false { Thread.sleep(forTimeInterval: 0.01) }
        #expect(results.texts == ["ready"])
        try sample.expectRescued(oldFiles)
    }

    // MARK: Core Data

    private func add(_ url: URL, timeout: Double = 5) throws -> (NSPersistentStoreCoordinator, NSPersistentStore) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSPersistentStoreTimeoutOption: timeout as NSNumber])
        return (coordinator, store)
    }

    /// Opening a store does not wait for the replacement folder. The rescue notices, and leaves the store alone.
    @Test func coreDataOpensTheStoreWhileItIsRescued() throws {
        let sample = try LaunchSample(.pageBesideLog)
        var opened: (NSPersistentStoreCoordinator, NSPersistentStore)?
        let folder = ReplacementFolder.location(beside: sample.url)
        let opening = try sample.open {
            guard $0 == .rescued else { return }
            opened = try add(sample.url)
            #expect(FileManager.default.fileExists(atPath: folder.path))
        }
        #expect(isInUse(opening))
        let (coordinator, store) = try #require(opened)
        try coordinator.remove(store)
        guard case .rescued = try sample.open() else {
            Issue.record("It is not rescued.")
            return
        }
    }

    /// For the milliseconds of the exchange the store is locked: opening it waits for the timeout of its options.
    @Test func coreDataWaitsForTheExchange() throws {
        let sample = try LaunchSample()
        let results = LaunchResults()
        let url = sample.url
        var thread: Thread?
        let opening = try sample.open {
            guard $0 == .storeLocked else { return }
            let error = #expect(throws: (any Error).self) { _ = try add(url, timeout: 0.1) }
            #expect((error as NSError?)?.domain == NSCocoaErrorDomain, "\(String(describing: error))")
            let started = Thread {
                results.add(
                    Result {
                        let (coordinator, store) = try add(url)
                        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                        context.persistentStoreCoordinator = coordinator
                        let count = try context.performAndWait {
                            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
                        }
                        try coordinator.remove(store)
                        return "\(count)"
                    })
            }
            started.start()
            thread = started
            Thread.sleep(forTimeInterval: 0.2)
        }
        while thread?.isFinished == false { Thread.sleep(forTimeInterval: 0.01) }
        guard case .rescued = opening else {
            Issue.record("It is not rescued.")
            return
        }
        #expect(results.texts == ["400"])
    }

    /// A folder of a killed migration is removed; one of a running migration is waited for.
    @Test func migrationsAndRescuesExcludeEachOther() throws {
        let sample = try LaunchSample()
        let location = ReplacementFolder.location(beside: sample.url)
        try FileManager.default.createDirectory(at: location, withIntermediateDirectories: false)
        try Data("half".utf8).write(to: location.appendingPathComponent(sample.url.lastPathComponent))
        do {
            let migration = try ReplacementFolder(beside: sample.url, timeout: 0)
            guard case .unavailable(.locked) = try sample.open() else {
                Issue.record("It does not wait.")
                return
            }
            withExtendedLifetime(migration) {}
        }
        try FileManager.default.createDirectory(at: location, withIntermediateDirectories: false)
        try Data("half".utf8).write(to: location.appendingPathComponent(sample.url.lastPathComponent))
        guard case .rescued(_, let oldFiles) = try sample.open() else {
            Issue.record("It is not rescued.")
            return
        }
        try sample.expectRescued(oldFiles)
    }
}

/// What other threads found.
final class LaunchResults: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [String] = []

    func add(_ result: Result<String, any Error>) {
        lock.withLock { results.append((try? result.get()) ?? "\(result)") }
    }

    var texts: [String] { lock.withLock { results } }
}
