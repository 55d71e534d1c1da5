import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// Many contexts of every merge policy on several threads over one file: what a save promised when it returned is in the
/// file until another one that returned takes it away, and a save that throws changes nothing.
///
/// 80 contexts, and 200 in the long form: `COREDATA_RANDOM_STEPS=200000 swift test --filter MergeLedgerTests`.
/// `COREDATA_RANDOM_SEED` gives the same edits again, though not the same order of threads.
@Suite("Merge policies against a ledger", .slow, .serialized)
struct MergeLedgerTests {
    private static func setting(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// One coordinator, or two as two processes would have them.
    @Test(arguments: [1, 2])
    func savesKeepTheirPromises(coordinators count: Int) throws {
        let steps = Int(Self.setting("COREDATA_RANDOM_STEPS") ?? LongForm.choose(400, long: 1_000))
        let seed = Self.setting("COREDATA_RANDOM_SEED") ?? UInt64.random(in: 0..<1_000_000)
        print("MergeLedgerTests: COREDATA_RANDOM_SEED=\(seed), \(count) coordinators")
        let library = try SQLiteLibrary(MergeLedger.model()), ledger = MergeLedger()
        try prepare(library, ledger)
        var coordinators = [library.coordinator]
        if count == 2 { coordinators.append(try #require(library.makeSecondContext().persistentStoreCoordinator)) }

        var random = SeededGenerator(seed: seed)
        var families: [MergeFamily] = []
        var contexts = 0
        // In a short run so few that each often holds what others have changed since, and some saves fail.
        let mostContexts = steps < 1_000 ? 80 : 200
        while contexts < mostContexts {
            let children = [0, 0, 1, 2].randomElement(using: &random)!
            families.append(
                MergeFamily(
                    on: coordinators[families.count % count], policy: MergeFamily.policies[families.count / 2 % 5],
                    children: children, ledger: ledger, seed: random.next()))
            contexts += 1 + children
        }
        try run(families, steps: steps, seed: seed)

        let lines = try MergeLog.read(library.url), saves = ledger.saves
        let problems = MergeLedgerAudit(saves, lines).problems
        #expect(
            problems.isEmpty, "\(problems.count) problems, seed \(seed):\n\(problems.prefix(5).joined(separator: "\n"))"
        )
        #expect(saves.count > 100 && families.contains { $0.failures > 0 })
        try checkFile(library, ledger, lines)
    }

    private func prepare(_ library: SQLiteLibrary, _ ledger: MergeLedger) throws {
        try MergeLog.install(in: library.url)
        try library.context.performAndWait {
            for _ in 0..<30 { library.context.insert("Note", ["label": ledger.token(), "a": ledger.token()]) }
            for _ in 0..<6 { library.context.insert("Group", ["label": ledger.token(), "a": ledger.token()]) }
            for _ in 0..<4 {
                library.context.insert("Counter", ["label": ledger.token(), "a": ledger.token(), "value": 0])
            }
            try ledger.save(library.context)
        }
    }

    /// Four threads, each with its share of the families.
    private func run(_ families: [MergeFamily], steps: Int, seed: UInt64) throws {
        let group = DispatchGroup()
        for thread in 0..<4 {
            let own = families.indices.filter { $0 % 4 == thread }.map { families[$0] }
            group.enter()
            Thread {
                defer { group.leave() }
                var random = SeededGenerator(seed: seed &+ UInt64(thread) &+ 1)
                do {
                    for _ in 0..<steps / 4 { try own.randomElement(using: &random)?.step() }
                    for family in own { try family.finish() }
                } catch {
                    Issue.record("Seed \(seed): \(error)")
                }
            }.start()
        }
        group.wait()
    }

    /// The tables are what the last committed lines say; counters have every increment; the file is sound.
    private func checkFile(_ library: SQLiteLibrary, _ ledger: MergeLedger, _ lines: [MergeLog.Line]) throws {
        var expected: [String: [Int64: [String: Int64]]] = ["ZNOTE": [:], "ZGROUP": [:], "ZCOUNTER": [:]]
        for line in lines { expected[line.table]?[line.key] = line.new }
        let rows = try MergeLog.rows(library.url)
        #expect(rows == expected)
        let increments = ledger.incrementsByLabel
        #expect(!increments.isEmpty)
        for counter in rows["ZCOUNTER", default: [:]].values {
            #expect(counter["value"] == increments[counter["label"] ?? -1, default: 0])
        }
        let connection = try SQLiteConnection(path: library.url.path, access: .readWrite, busyTimeout: 5)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        let unsound = try StoreAuditor(library.url, library.model.layouts).problems()
        #expect(unsound.isEmpty, "\(unsound)")
    }
}
