#if PostgreSQL
import CoreData
import CoreDataTestSupport
import Foundation
import PostgreSQLTestSupport
import StoreToolCommands
import StoreTools
import Testing

/// A copy that is killed is continued, and every row is there once.
@Suite(.enabled(if: TestServer.isAvailable)) struct CopyKillTests {
    private static func source(in folder: TemporaryFolder) throws -> (URL, NSManagedObjectModel) {
        let url = folder.file("Store.sqlite")
        let maker = try #require(ValueStores.named.first { $0.name == "people" })
        return (url, try maker.make(url))
    }

    /// Returns how many commits a copy takes, as the worker does it.
    private static func commits(_ source: URL, to place: URL) throws -> Int {
        let name = place.isFileURL ? place.path : place.absoluteString
        let worker = try Worker("copy", source, [name, "0"])
        try #require(worker.finish(), "\(worker.lines.suffix(2))")
        return try #require(worker.last("commit"))
    }

    /// Copies with a kill after each commit from 1 on, so that each run does one step more than the last.
    private static func copyStepByStep(_ source: URL, to place: URL) throws -> Int {
        let name = place.isFileURL ? place.path : place.absoluteString
        for kills in 0..<1000 {
            let worker = try Worker("copy", source, [name, "1"])
            if worker.finish() { return kills }
            // The last commit completes the copy; of a file, only the move is missing then.
            if worker.last("commit") != 1 { return kills }
        }
        return 1000
    }

    @Test func aCopyToADatabaseIsKilledAfterEachCommit() throws {
        let folder = try TemporaryFolder()
        let (url, model) = try Self.source(in: folder)
        let expected = try GraphContent.of(url, model, roundsDates: true)
        let commits = try DatabaseCopyTests.withSchema { try Self.commits(url, to: $0) }
        #expect(commits > 40)
        try DatabaseCopyTests.withSchema { database in
            #expect(try Self.copyStepByStep(url, to: database) >= commits - 2)
            let found = try GraphContent.of(database, model, roundsDates: true)
            #expect(GraphContent.differences(expected.objects, found.objects) == [])
            #expect(expected.metadata == found.metadata)
        }
    }

    @Test func aCopyToAFileIsKilledAfterEachCommit() throws {
        let folder = try TemporaryFolder()
        let (url, model) = try Self.source(in: folder)
        try DatabaseCopyTests.withSchema { database in
            #expect(CommandRunner.run("copy", url.path, database.absoluteString).status == 0)
            let expected = try GraphContent.of(database, model)
            let commits = try Self.commits(database, to: folder.file("Whole.sqlite"))
            let back = folder.file("Back.sqlite")
            #expect(try Self.copyStepByStep(database, to: back) >= commits - 2)
            let found = try GraphContent.of(back, model)
            #expect(GraphContent.differences(expected.objects, found.objects) == [])
            #expect(expected.metadata == found.metadata)
            #expect(!FileManager.default.fileExists(atPath: folder.file(".Back.sqlite.unfinished-copy").path))
        }
    }

    /// Kills at any moment, not only after commits.
    @Test func aCopyIsKilledAtRandom() throws {
        let folder = try TemporaryFolder()
        let (url, model) = try Self.source(in: folder)
        let expected = try GraphContent.of(url, model, roundsDates: true)
        var random = RandomSource(seed: 3)
        for _ in 0..<max(1, Worker.kills / 6) {
            try DatabaseCopyTests.withSchema { database in
                for _ in 0..<6 {
                    let worker = try Worker("copy", url, [database.absoluteString, "0"])
                    usleep(UInt32(random.below(400_000)))
                    worker.kill()
                }
                let last = CommandRunner.run("copy", url.path, database.absoluteString)
                #expect(last.status == 0 || last.errors.contains("complete copy"), "\(last.errors)")
                let found = try GraphContent.of(database, model, roundsDates: true)
                #expect(GraphContent.differences(expected.objects, found.objects) == [])
            }
        }
    }

    @Test func anUnfinishedCopyCannotBeOpened() throws {
        let folder = try TemporaryFolder()
        let (url, model) = try Self.source(in: folder)
        try DatabaseCopyTests.withSchema { database in
            let worker = try Worker("copy", url, [database.absoluteString, "3"])
            #expect(!worker.finish())
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let error = #expect(throws: NSError.self) {
                try coordinator.addPersistentStore(
                    ofType: "PostgreSQL", configurationName: nil, at: database, options: nil)
            }
            #expect(error?.code == NSPersistentStoreOpenError)
            let (message, advice) = (error?.localizedDescription ?? "", error?.localizedRecoverySuggestion ?? "")
            #expect(message.contains("unfinished copy"))
            #expect(advice.contains("Run the same “storetool copy” again"))
            // Neither copied from, nor confused with another source.
            let onward = CommandRunner.run("copy", database.absoluteString, folder.file("Onward.sqlite").path)
            #expect(onward.status == 2 && onward.errors.contains("unfinished copy"), "\(onward.errors)")
            let other = try CommandStore()
            let confused = CommandRunner.run("copy", other.path, database.absoluteString)
            #expect(confused.status == 2 && confused.errors.contains("of another store"), "\(confused.errors)")
            let restarted = CommandRunner.run("copy", other.path, database.absoluteString, "--restart")
            #expect(restarted.status == 0, "\(restarted.errors)")
        }
    }

    @Test func anInterruptedCopyIsContinued() throws {
        let folder = try TemporaryFolder()
        let (url, model) = try Self.source(in: folder)
        let expected = try GraphContent.of(url, model, roundsDates: true)
        try DatabaseCopyTests.withSchema { database in
            for limit in [1, 3, 5, 6, 7, 8] {
                let steps = Counter(limit)
                let result = CommandRunner.run(
                    words: ["copy", url.path, database.absoluteString], isInterrupted: { steps.isOver() })
                #expect(result.status == 130)
                #expect(!result.errors.contains("differs"), "\(result.errors)")
            }
            let last = CommandRunner.run("copy", url.path, database.absoluteString)
            #expect(last.status == 0, "\(last.errors)")
            let found = try GraphContent.of(database, model, roundsDates: true)
            #expect(GraphContent.differences(expected.objects, found.objects) == [])
        }
    }

    /// The second process ends the copy; the first notices, and changes nothing any more.
    @Test(arguments: [3, 40]) func twoProcessesCopyToOneDatabase(_ last: Int) throws {
        let folder = try TemporaryFolder()
        let (url, model) = try Self.source(in: folder)
        let expected = try GraphContent.of(url, model, roundsDates: true)
        try DatabaseCopyTests.withSchema { database in
            var copy = StoreCopy(from: url, to: database)
            copy.mostRowsInPage = 4
            copy.didCommit = { number in
                guard number == last else { return }
                let other = CommandRunner.run("copy", url.path, database.absoluteString)
                #expect(other.status == 0, "\(other.errors)")
            }
            let error = #expect(throws: StoreToolError.self) { try copy.run() }
            #expect(error?.message.contains("Another process copies to") == true)
            let found = try GraphContent.of(database, model, roundsDates: true)
            #expect(GraphContent.differences(expected.objects, found.objects) == [])
        }
    }

    @Test func twoProcessesCopyToOneFile() throws {
        let folder = try TemporaryFolder()
        let (url, _) = try Self.source(in: folder)
        try DatabaseCopyTests.withSchema { database in
            #expect(CommandRunner.run("copy", url.path, database.absoluteString).status == 0)
            let back = folder.file("Back.sqlite")
            var copy = StoreCopy(from: database, to: back)
            copy.didCommit = { number in
                guard number == 1 else { return }
                for options in [[], ["--restart"]] {
                    let other = CommandRunner.run(words: ["copy", database.absoluteString, back.path] + options)
                    #expect(other.status == 2 && other.errors.contains("Another process copies to"), "\(other.errors)")
                }
            }
            let report = try copy.run()
            #expect(report.count == 126)
        }
    }

    /// True after some questions.
    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var rest: Int

        init(_ rest: Int) { self.rest = rest }

        func isOver() -> Bool {
            lock.lock()
            defer { lock.unlock() }
            rest -= 1
            return rest < 0
        }
    }
}
#endif
