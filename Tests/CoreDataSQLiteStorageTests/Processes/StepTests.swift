import CoreDataSQLiteStorage
import CoreDataStoreFiles
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// Processes that end before any one of the system calls by which a piece of work changes files: afterwards there is the old
/// store or the new one, whole, and nothing else once it has been opened again.
@Suite(.slow)
struct StepTests {
    private static let operations = ["replace", "copy", "destroy", "write"] + LedgerMapping.kinds

    /// What a folder of stores holds, made once and copied for each process.
    private static let template = Result {
        let folder = try TemporaryFolder.forTheWholeRun()
        for name in ["Ledger", "Other"] {
            let worker = try Worker("write", folder.file("\(name).sqlite"))
            try worker.wait(for: name == "Ledger" ? "saved 3" : "saved 5")
            worker.kill()
            // As a program that ended in peace leaves it.
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: try NSManagedObjectModel(cachedInStoreAt: folder.file("\(name).sqlite")))
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("\(name).sqlite"))
            try coordinator.remove(store)
        }
        return folder
    }

    private func copy() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let template = try Self.template.get()
        for name in try FileManager.default.contentsOfDirectory(atPath: template.url.path) {
            try FileManager.default.copyItem(at: template.file(name), to: folder.file(name))
        }
        return folder
    }

    private func names(_ folder: URL) -> Set<String> {
        Set((FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String]) ?? [])
    }

    /// What is wrong with a store: its pages, the files its rows name, and those they do not.
    private func problems(_ store: URL) throws -> [String] {
        let connection = try SQLiteConnection(path: store.path, access: .readWrite, busyTimeout: 1)
        var problems: [String] = []
        let pages = try connection.text("PRAGMA integrity_check") ?? ""
        if pages != "ok" { problems.append(pages) }
        guard try ActualSchema(connection).isCoreDataStore else { return problems }
        let named = try ExternalFiles.named(in: connection)
        let present = Set(names(ExternalFiles(store: store).folder))
        problems += named.subtracting(present).map { "\($0) is missing" }
        problems += present.subtracting(named).map { "\($0) was left behind" }
        return problems
    }

    private func count(_ store: URL) throws -> Int64 {
        let connection = try SQLiteConnection(path: store.path, access: .readOnly, busyTimeout: 1)
        guard try ActualSchema(connection).isCoreDataStore else { return 0 }
        return try connection.integer("SELECT COUNT(*) FROM ZENTRY")
    }

    /// Opens a store with the model it has, and closes it again.
    ///
    /// Files that no row names are kept for a week, and until something is committed after them. So the collector runs as if
    /// both had come to pass.
    private func open(_ store: URL) throws {
        // One that was emptied has none.
        guard StoreFiles.exists(store), let model = try? NSManagedObjectModel(cachedInStoreAt: store) else { return }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let opened = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 3600)], ofItemAtPath: store.path)
        let engine = try #require(opened as? SQLiteStore).engine
        // An attempt fails while the search that the opened store has begun holds the folder, and ends after two seconds.
        for _ in 0..<20 {
            let collector = ExternalFileCollector(engine.files, engine.pool) { Date(timeIntervalSinceNow: 8 * 86_400) }
            collector.collectOrphans()
            collector.close()
            if try !problems(store).contains(where: { $0.hasSuffix("left behind") }) { break }
        }
        try coordinator.remove(opened)
    }

    @Test(arguments: operations)
    func everyCallMayBeTheLast(_ operation: String) throws {
        let whole = try copy()
        let programs = try TemporaryFolder()
        let program = try LedgerMapping.program(for: operation, in: programs, store: whole.file("Ledger.sqlite"))
        let worker = try Worker("step", whole.file("Ledger.sqlite"), [operation, "0"], program: program)
        #expect(worker.finish(), "\(worker.lines)")
        let calls = try #require(worker.last("calls"))
        try #require(calls > 1)
        let before = try count(Self.template.get().file("Ledger.sqlite"))
        let other = try count(Self.template.get().file("Other.sqlite"))
        try #require(before > 0 && other > 0)
        let numbers =
            Worker.kills >= 100
            ? Array(1...calls) : (0..<Worker.kills / 4).map { _ in Int.random(in: 1...calls) } + [1, calls]
        for number in numbers {
            let folder = try copy()
            let worker = try Worker(
                "step", folder.file("Ledger.sqlite"), [operation, String(number)], program: program)
            _ = worker.finish()
            #expect(worker.lines.allSatisfy { !$0.hasPrefix("failed") }, "\(worker.lines)")
            let store = folder.file("Ledger.sqlite"), copied = folder.file("Copy.sqlite")
            try open(store)
            try open(copied)
            let wrong = try problems(store)
            #expect(wrong == [], "\(operation), ended before call \(number)")
            switch operation {
            case "replace": #expect(try [before, other].contains(count(store)))
            case "destroy": #expect(try [before, 0].contains(count(store)))
            case "copy":
                #expect(try count(store) == before)
                if StoreFiles.exists(copied) {
                    #expect(try count(copied) == before)
                    let wrong = try problems(copied)
                    #expect(wrong == [], "\(operation), ended before call \(number)")
                }
            default: #expect(try count(store) == before)
            }
            // A copy that never came to be leaves its place to the next attempt.
            if operation == "copy", !worker.lines.contains("done") {
                if !StoreFiles.exists(copied) {
                    let again = try Worker("step", store, [operation, "0"])
                    #expect(again.finish(), "\(again.lines)")
                }
            }
            var expected = names(whole.url).filter { !$0.contains("_EXTERNAL_DATA") }
            for name in ["Ledger", "Other", "Copy"] {
                expected.formUnion(["-wal", "-shm", ""].map { "\(name).sqlite\($0)" })
                expected.insert(".\(name)_SUPPORT")
            }
            let found = names(folder.url).filter { !$0.contains("_EXTERNAL_DATA") }
            #expect(found.subtracting(expected) == [], "\(operation), ended before call \(number)")
        }
    }
}
