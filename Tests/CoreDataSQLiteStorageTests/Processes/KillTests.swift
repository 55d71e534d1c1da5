import CoreDataSQLiteStorage
import CoreDataRowStorage
import CoreDataStoreFiles
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// Processes killed at random instants: what they had saved is there, what they had not is not, and the file is sound.
@Suite(.slow)
struct KillTests {
    /// Waits a random time, now and then long enough for dozens of saves.
    private func pause(upTo seconds: Double) {
        usleep(UInt32.random(in: 0...UInt32(seconds * 1_000_000)))
    }

    @Test(arguments: [[], ["history"]])
    func savesAreWholeOrAbsent(_ options: [String]) throws {
        var folder = try TemporaryFolder()
        for number in 0..<max(1, Worker.kills / 2) {
            if number % 12 == 11 { folder = try TemporaryFolder() }
            let store = folder.file("Ledger.sqlite")
            let worker = try Worker("write", store, options)
            // Every fourth is killed before it is known to have opened the store.
            if number % 4 != 3 { try worker.wait(for: "ready") }
            pause(upTo: number % 4 == 3 ? 0.08 : 0.15)
            worker.kill()
            #expect(worker.lines.allSatisfy { !$0.hasPrefix("failed") }, "\(worker.lines)")
            guard StoreFiles.size(store.path) > 0 else { continue }
            guard try SQLiteFileState.hasTables(store) else { continue }
            let audit = try LedgerAudit(store)
            let rounds = try audit.rounds
            if let saved = worker.last("saved") { #expect(rounds >= saved, "A save that had succeeded is lost.") }
            if let begun = worker.last("begin") { #expect(rounds <= begun) }
            let problems = try audit.problems()
            #expect(problems == [], "after kill \(number)")
            guard problems.isEmpty else { return }
        }
    }

    /// The process ends itself before each of the writes, truncations and syncs that one save makes, one after the other.
    @Test(arguments: ["wal", "delete"])
    func everyWriteOfASaveMayBeTheLast(_ journal: String) throws {
        let folder = try TemporaryFolder()
        let store = folder.file("Ledger.sqlite")
        var number = Worker.kills >= 100 ? 1 : Int.random(in: 1...4)
        let step = Worker.kills >= 100 ? 1 : 4
        while true {
            let before = StoreFiles.size(store.path) > 0 ? try LedgerAudit(store).rounds : 0
            let worker = try Worker("crash", store, [journal, String(number)])
            let survived = worker.finish()
            let audit = try LedgerAudit(store)
            let after = try audit.rounds
            #expect(try audit.problems() == [], "ended before write \(number)")
            #expect(after == before || after == before + 1)
            if survived {
                #expect(after == before + 1)
                break
            }
            number += step
            try #require(number < 1000)
        }
    }

    @Test func newStoresAreWholeOrAbsent() throws {
        for _ in 0..<max(1, Worker.kills / 6) {
            let folder = try TemporaryFolder()
            let worker = try Worker("create", folder.url)
            try worker.wait(for: "ready")
            pause(upTo: 0.2)
            worker.kill()
            // It may be killed before it has begun the first.
            let last = worker.last("begin") ?? 0
            for number in 0...last {
                let store = folder.file("\(number).sqlite")
                guard try SQLiteFileState.hasTables(store) else {
                    #expect(number == last)
                    continue
                }
                #expect(try LedgerAudit(store).problems() == [])
                if number < last {
                    let connection = try SQLiteConnection(path: store.path, access: .readOnly, busyTimeout: 1)
                    #expect(try connection.integer("SELECT COUNT(*) FROM ZJOURNAL") == 1)
                }
            }
        }
    }

    @Test func replacedStoresAreTheOldOrTheNew() throws {
        let folder = try TemporaryFolder()
        // Of different sizes, so that a mixture would show.
        let sources = try (0..<2).map { number in
            let url = folder.file("Source\(number).sqlite")
            let worker = try Worker("write", url)
            try worker.wait(for: "saved \(4 + number * 20)")
            worker.kill()
            return url
        }
        let rounds = try sources.map { try LedgerAudit($0).rounds }
        let store = folder.file("Copy.sqlite")
        for number in 0..<max(1, Worker.kills / 4) {
            let worker = try Worker("replace", store, sources.map(\.path))
            try worker.wait(for: "saved 1")
            pause(upTo: 0.05)
            worker.kill()
            let audit = try LedgerAudit(store)
            #expect(try rounds.contains(audit.rounds))
            #expect(try audit.problems() == [], "after kill \(number)")
        }
    }
}

/// What can be said of a file before it is known to be a store.
enum SQLiteFileState {
    static func hasTables(_ url: URL) throws -> Bool {
        guard FileManager.default.fileExists(atPath: url.path) else { return false }
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5)
        return try !ActualSchema(connection).isEmpty
    }
}
