import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation

@testable import CoreData

/// Checks a store that the worker wrote to: the file by SQLite's and the format's rules, its content by those of the
/// worker's rounds.
struct LedgerAudit {
    private let url: URL
    private let connection: SQLiteConnection

    init(_ url: URL) throws {
        self.url = url
        connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5)
    }

    private func number(_ sql: String) throws -> Int { Int(try connection.integer(sql)) }

    /// The rounds that are in the file.
    var rounds: Int { get throws { try number("SELECT IFNULL(MAX(ZLASTROUND), 0) FROM ZJOURNAL") } }

    /// What is wrong, in words.
    func problems() throws -> [String] {
        let check = try connection.text("PRAGMA integrity_check")
        guard check == "ok" else { return ["integrity_check: \(check ?? "nothing")"] }
        let model = try NSManagedObjectModel(cachedInStoreAt: url)
        defer { withExtendedLifetime(model) {} }
        return try StoreAuditor(url, model.layouts).problems() + contentProblems() + fileProblems()
    }

    private func contentProblems() throws -> [String] {
        let last = try rounds
        // Killed before its first save, a worker leaves an empty store.
        guard try number("SELECT COUNT(*) FROM ZJOURNAL") > 0 else {
            return try number("SELECT COUNT(*) FROM ZACCOUNT") == 0 ? [] : ["half of the first save"]
        }
        var problems: [String] = []
        func expect(_ what: String, _ sql: String, _ expected: Int) throws {
            let found = try number(sql)
            if found != expected { problems.append("\(what): \(found), not \(expected), after round \(last)") }
        }
        let kept = min(last, 4)
        try expect("entries", "SELECT COUNT(*) FROM ZENTRY", kept * 20)
        try expect(
            "rounds of entries",
            "SELECT COUNT(*) FROM (SELECT ZROUND FROM ZENTRY WHERE ZROUND > \(last - 4) GROUP BY ZROUND HAVING COUNT(*) = 20)",
            kept)
        try expect("labels", "SELECT COUNT(*) FROM Z_2LABELS", kept * 40)
        try expect("balance", "SELECT SUM(ZBALANCE) FROM ZACCOUNT", last * 20)
        try expect("counts", "SELECT SUM(ZENTRYCOUNT) FROM ZACCOUNT", kept * 20)
        let pages = min(last, 10)
        try expect("pages", "SELECT COUNT(*) FROM ZPAGE WHERE ZJOURNAL IS NOT NULL", pages)
        try expect(
            "first page", "SELECT ZROUND FROM ZPAGE ORDER BY Z_FOK_JOURNAL LIMIT 1", last - pages + (last > 0 ? 1 : 0))
        try expect("last page", "SELECT ZROUND FROM ZPAGE ORDER BY Z_FOK_JOURNAL DESC LIMIT 1", last)
        try expect(
            "halves of batches", "SELECT COUNT(*) FROM (SELECT 1 FROM ZTRACE GROUP BY ZROUND HAVING COUNT(*) <> 50)", 0)
        if try ActualSchema(connection).hasTable("ACHANGE") { problems += try historyProblems(last) }
        return problems
    }

    /// Every save has its transaction and its changes in the history.
    private func historyProblems(_ last: Int) throws -> [String] {
        let inserted = try number("SELECT COUNT(*) FROM ACHANGE WHERE ZCHANGETYPE = 0 AND ZENTITY = 2")
        let dangling = try number(
            "SELECT COUNT(*) FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)")
        return (inserted == last * 20 ? [] : ["history has \(inserted) inserts after round \(last)"])
            + (dangling == 0 ? [] : ["\(dangling) changes without transaction"])
    }

    /// Whatever a row refers to is there, complete. (A file nobody refers to may be left by a killed save.)
    private func fileProblems() throws -> [String] {
        let files = ExternalFiles(store: url)
        let statement = try connection.prepare("SELECT ZROUND, ZBLOB FROM ZENTRY WHERE length(ZBLOB) = 38")
        var problems: [String] = []
        while try statement.step() {
            let round = statement.integer(0)
            guard let cell = statement.bytes(1), let data = try? files.data(cell) else {
                problems.append("a file of round \(round) is missing")
                continue
            }
            if data != Data(repeating: UInt8(round % 256), count: 150_000) {
                problems.append("a file of round \(round) is damaged")
            }
        }
        return problems
    }
}
