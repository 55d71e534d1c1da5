import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Processes that share a store's folder and nothing else, as containers with one volume do: each is process 1 of its own
/// namespace, with other host names and IPC objects. Nothing may tell processes apart by their numbers.
///
/// `SEPARATE_CONTAINERS=1` runs it where `unshare` may make namespaces, as root; `Tests/README.md` has the command.
@Suite(
    "Containers with one volume",
    .enabled(if: ProcessInfo.processInfo.environment["SEPARATE_CONTAINERS"] != nil, "needs namespaces of its own"),
    .serialized)
struct SeparateContainersTests {
    /// Ends the worker with itself. `sh` gives each container a host name of its own.
    private func launcher(_ host: String) -> [String] {
        [
            "/usr/bin/env", "unshare", "--pid", "--ipc", "--uts", "--mount-proc", "--fork", "--kill-child", "sh", "-c",
            "hostname \(host) 2>/dev/null; exec \"$@\"", "sh",
        ]
    }

    private func start(_ host: String, _ command: String, _ store: URL, _ rest: [String], program: URL? = nil) throws
        -> Worker
    {
        try Worker(command, store, rest, program: program, launcher: launcher(host))
    }

    /// How often the file has each text that a worker has written: both workers write the same ones, since both are process 1.
    private func occurrences(_ store: URL) throws -> [String: Int] {
        let connection = try SQLiteConnection(path: store.path, access: .readWrite, busyTimeout: 5)
        let statement = try connection.prepare(
            "SELECT ZTEXT, COUNT(*) FROM ZENTRY WHERE ZTEXT LIKE 'append %' GROUP BY 1")
        var counts: [String: Int] = [:]
        while try statement.step() { counts[statement.text(0) ?? ""] = statement.text(1).flatMap { Int($0) } }
        return counts
    }

    private func expectSound(_ store: URL, in folder: TemporaryFolder) throws {
        let connection = try SQLiteConnection(path: store.path, access: .readWrite, busyTimeout: 5)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        let model = try NSManagedObjectModel(cachedInStoreAt: store)
        #expect(try StoreAuditor(store, model.layouts).problems() == [])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!names.contains { $0.contains("migrat") }, "\(names)")
    }

    private func makeStore(_ folder: TemporaryFolder, count: Int) throws -> URL {
        let store = folder.file("Ledger.sqlite")
        #expect(try start("maker", "fill", store, [String(count)]).finish())
        return store
    }

    /// Two containers save at the same time; each save they report is in the file.
    @Test("Every acknowledged save is in the file")
    func acknowledgedSaves() throws {
        let folder = try TemporaryFolder()
        let store = try makeStore(folder, count: 3), flag = folder.file("stop")
        let workers = try ["one", "two"].map { try start($0, "append", store, [flag.path]) }
        for worker in workers { try worker.wait(for: "saved 300") }
        try Data().write(to: flag)
        for worker in workers { #expect(worker.finish(), "\(worker.lines.suffix(2))") }
        let saved = workers.map { $0.last("saved") ?? 0 }
        let counts = try occurrences(store)
        for number in 0..<(saved.max() ?? 0) {
            #expect(counts["append 1 \(number)"] == saved.filter { $0 > number }.count, "\(number)")
        }
        #expect(counts.count == saved.max() && counts.values.reduce(0, +) == saved.reduce(0, +))
        try expectSound(store, in: folder)
    }

    /// One container is killed again and again, and another takes its place, while the first goes on.
    @Test("Killed containers lose nothing that they reported")
    func killedContainers() throws {
        let folder = try TemporaryFolder()
        let store = try makeStore(folder, count: 3), flag = folder.file("stop")
        let steady = try start("steady", "append", store, [flag.path])
        try steady.wait(for: "saved 10")
        var killed: [Int] = []
        for round in 0..<8 {
            let worker = try start("killed\(round)", "append", store, [flag.path])
            try worker.wait(for: "saved \(10 + round * 7)")
            worker.kill()
            killed.append(worker.last("saved") ?? 0)
        }
        try Data().write(to: flag)
        #expect(steady.finish(), "\(steady.lines.suffix(2))")
        let counts = try occurrences(store)
        let all = killed + [steady.last("saved") ?? 0]
        for number in 0..<(all.max() ?? 0) {
            // A save that was not reported yet may be there.
            let (least, most) = (all.filter { $0 > number }.count, all.filter { $0 >= number }.count)
            #expect((least...most).contains(counts["append 1 \(number)"] ?? 0), "\(number)")
        }
        try expectSound(store, in: folder)
    }

    /// Two containers change the same rows.
    @Test("No update is lost")
    func updates() throws {
        let folder = try TemporaryFolder()
        let store = folder.file("Ledger.sqlite")
        #expect(try start("maker", "crash", store, ["wal", "100000"]).finish())
        let connection = try SQLiteConnection(path: store.path, access: .readWrite, busyTimeout: 1)
        try connection.execute("UPDATE ZACCOUNT SET ZBALANCE = 0")
        let workers = try ["one", "two"].map { try start($0, "transfer", store, ["150"]) }
        for worker in workers { #expect(worker.finish(), "\(worker.lines)") }
        #expect(try connection.integer("SELECT ZBALANCE FROM ZACCOUNT WHERE ZNAME = 'A'") == -300)
        #expect(try connection.integer("SELECT ZBALANCE FROM ZACCOUNT WHERE ZNAME = 'B'") == 300)
        try expectSound(store, in: folder)
    }

    /// A container migrates the store while two others save to it: none takes the other's folder or hold for abandoned.
    @Test("A store is migrated under other containers", arguments: LedgerMapping.kinds)
    func migration(_ kind: String) throws {
        let folder = try TemporaryFolder()
        let store = try makeStore(folder, count: 300), flag = folder.file("stop")
        let program = try LedgerMapping.program(for: kind, in: folder, store: store)
        let writers = try ["one", "two"].map { try start($0, "append", store, [flag.path]) }
        for writer in writers { try writer.wait(for: "saved 20") }
        let migrating = try start("three", "migrate", store, [kind], program: program)
        // Opening the store looks for what killed processes have left.
        let opening = try start("four", "append", store, [flag.path])
        #expect(migrating.finish(), "\(migrating.lines)")
        for writer in writers { writer.wait(forLast: "outdated") }
        try Data().write(to: flag)
        for writer in writers { #expect(writer.finish(), "\(writer.lines.suffix(2))") }
        // It opened the store before the migration, or found it migrated.
        let wasRefused = !opening.finish()
        #expect(!wasRefused || opening.lines.last?.contains("\(NSPersistentStoreIncompatibleVersionHashError)") == true)
        let saved = (writers + [opening]).map { $0.last("saved") ?? 0 }.reduce(0, +)
        #expect(migrating.last("entries") == 300 + saved, "\(saved)")
        try expectSound(store, in: folder)
    }

    /// Containers of the new version that start at the same time.
    @Test("Several containers migrate at once", arguments: LedgerMapping.kinds)
    func migrationsAtOnce(_ kind: String) throws {
        let folder = try TemporaryFolder()
        let store = try makeStore(folder, count: 100), signal = folder.file("go")
        let program = try LedgerMapping.program(for: kind, in: folder, store: store)
        let workers = try (0..<4).map { try start("c\($0)", "migrate", store, [kind, signal.path], program: program) }
        for worker in workers { try worker.wait(for: "ready") }
        try Data().write(to: signal)
        for worker in workers {
            #expect(worker.finish(), "\(worker.lines)")
            #expect(worker.last("entries") == 100)
        }
        try expectSound(store, in: folder)
    }
}
