#if PostgreSQL
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import PostgreSQLTestSupport
import Testing

/// Eight processes that save over one database, each save in conflict with others': it changes two of four counters. Each process
/// writes to a file which saves have returned; the files and psql must agree.
///
/// `MAGICALRECORD_SERVER_SAVES=10000` for the long form, the number of saves of each process.
@Suite("Processes that count", .enabled(if: TestServer.isAvailable), .slow)
struct CountingProcessTests {
    private static let processes = 8
    private static let saves =
        ProcessInfo.processInfo.environment["MAGICALRECORD_SERVER_SAVES"].flatMap { Int($0) } ?? 100

    @Test func noSaveIsLostOrWrittenTwice() throws {
        let ledger = try ServerLedger()
        let maker = try Worker("count", ledger.url, ["maker", "0", ledger.folder.file("maker").path])
        try #require(maker.finish(), "\(maker.lines)")
        let start = Date()
        let files = (0..<Self.processes).map { ledger.folder.file("p\($0)") }
        let workers = try files.map {
            try Worker("count", ledger.url, [$0.lastPathComponent, "\(Self.saves)", $0.path])
        }
        for worker in workers { #expect(worker.finish(), "\(worker.lines.suffix(3))") }
        let seconds = Date().timeIntervalSince(start)

        var tokens: [String] = []
        var values = [Int](repeating: 0, count: 4)
        for file in files {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let words = line.split(separator: " ")
                tokens.append(String(words[0]))
                for word in words.dropFirst() { values[try #require(Int(word))] += 1 }
            }
        }
        #expect(tokens.count == Self.processes * Self.saves)
        let written = try ledger.texts("SELECT text FROM \(ledger.schema).token")
        #expect(written.count == Set(written).count, "A save was written twice.")
        #expect(Set(written) == Set(tokens), "Lost, or not acknowledged.")
        #expect(
            try ledger.texts("SELECT value FROM \(ledger.schema).counter ORDER BY number") == values.map { "\($0)" })
        let conflicts = workers.compactMap { $0.last("done") }.reduce(0, +)
        #expect(conflicts > 0)
        print("\(tokens.count) saves, \(conflicts) conflicts, \(Int(seconds * 1000)) ms")
    }
}
#endif
