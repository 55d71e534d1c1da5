#if PostgreSQL
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import PostgreSQLTestSupport
import Testing

/// Server processes over one database, each with threads that save, in conflict with all others, and a registered reader of the
/// history, which is purged meanwhile. What files say that saves have returned, what SQL finds, and what each reader has seen
/// must agree.
///
/// `MAGICALRECORD_SERVER_SECONDS=600 MAGICALRECORD_SERVER_PROCESSES=10` for the long form.
@Suite("Server processes", .enabled(if: TestServer.isAvailable), .slow)
struct ServingProcessTests {
    private static func setting(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }
    private static let processes = setting("MAGICALRECORD_SERVER_PROCESSES", 4)
    private static let seconds = setting("MAGICALRECORD_SERVER_SECONDS", 3)

    private struct Transfer {
        let token: String
        let source: Int
        let target: Int
        let amount: Int
        let key: String

        init?(_ line: Substring) {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 5, let source = Int(words[1]), let target = Int(words[2]), let amount = Int(words[3])
            else { return nil }
            (token, self.source, self.target, self.amount, key) = (words[0], source, target, amount, words[4])
        }
    }

    @Test func `Nothing is lost or doubled, and every reader sees everything once`() throws {
        let ledger = try ServerLedger()
        func file(_ name: String) -> String { ledger.folder.file(name).path }
        let maker = try Worker("serve", ledger.url, ["maker", "0", file("m"), file("n"), file("all")])
        try #require(maker.finish(), "\(maker.lines)")
        let names = (0..<Self.processes).map { "p\($0)" }
        let workers = try names.map { name in
            try Worker("serve", ledger.url, [name, "\(Self.seconds)", file(name), file("\(name).seen"), file("all")])
        }
        for worker in workers { try worker.wait(for: "stopped") }
        try Data().write(to: ledger.folder.file("all"))
        for worker in workers { try #require(worker.finish(), "\(worker.lines.suffix(3))") }

        let transfers = try names.flatMap { name in
            let lines = try String(contentsOfFile: file(name), encoding: .utf8).split(separator: "\n")
            return try lines.map { try #require(Transfer($0)) }
        }
        var balances: [Int: Int] = [:]
        for transfer in transfers {
            balances[transfer.source, default: 0] -= transfer.amount
            balances[transfer.target, default: 0] += transfer.amount
        }
        let written = try ledger.texts("SELECT token FROM \(ledger.schema).transfer")
        #expect(written.count == Set(written).count, "A save was written twice.")
        #expect(Set(written) == Set(transfers.map(\.token)), "Lost, or not acknowledged.")
        let expected = balances.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        #expect(
            try ledger.texts(
                "SELECT number || ' ' || balance FROM \(ledger.schema).account WHERE balance <> 0 ORDER BY number")
                == expected.filter { !$0.hasSuffix(" 0") })

        let keys = Set(transfers.map(\.key))
        for name in names {
            let seen = try String(contentsOfFile: file("\(name).seen"), encoding: .utf8).split(separator: "\n")
            #expect(seen.count == Set(seen).count, "\(name) has seen a transaction twice.")
            #expect(Set(seen.map(String.init)) == keys, "\(name) has missed a transaction.")
        }
        try checkMemory(workers[0])
        print("\(transfers.count) transfers of \(Self.processes) processes in \(Self.seconds) s")
    }

    /// A process that runs for long enough uses no more memory at the end than in its first third.
    private func checkMemory(_ worker: Worker) throws {
        let sizes = worker.lines.filter { $0.hasPrefix("memory ") }.compactMap { Int($0.dropFirst(7)) }
        guard sizes.count >= 30 else { return }
        let early = try #require(sizes[(sizes.count / 6)..<(sizes.count / 3)].max())
        let late = try #require(sizes.suffix(sizes.count / 6).max())
        print("memory: \(early) KB in the first third, \(late) KB at the end")
        #expect(late < early + early / 5 + 10_000, "\(early) KB became \(late) KB.")
    }
}
#endif
