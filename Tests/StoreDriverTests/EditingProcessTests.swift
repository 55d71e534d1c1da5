#if PostgreSQL
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import PostgreSQLTestSupport
import Testing

/// Two processes that edit one graph at random: inserts, changes, relationships of every form, deletions with rules, under
/// all merge policies. Afterwards both read what psql shows.
///
/// `MAGICALRECORD_SERVER_STEPS=5000` for the long form, the number of saves of each process.
@Suite("Processes that edit a graph", .enabled(if: TestServer.isAvailable), .slow)
struct EditingProcessTests {
    private static let steps =
        ProcessInfo.processInfo.environment["MAGICALRECORD_SERVER_STEPS"].flatMap { Int($0) } ?? 200

    @Test(arguments: [UInt64.random(in: 1...1_000_000)])
    func bothReadWhatTheTablesHold(_ seed: UInt64) throws {
        let ledger = try ServerLedger()
        let flag = ledger.folder.file("edited")
        let first = try Worker("graph", ledger.url, ["\(seed)", "\(Self.steps)", flag.path])
        // The first process makes the tables.
        try first.wait(for: "ready")
        let second = try Worker("graph", ledger.url, ["\(seed + 1)", "\(Self.steps)", flag.path])
        for worker in [first, second] { worker.wait(forLast: "edited") }
        try Data().write(to: flag)
        for worker in [first, second] { #expect(worker.finish(), "\(worker.lines.suffix(3))") }
        let graphs = [first, second].map { $0.lines.filter { $0.hasPrefix("object ") }.sorted() }
        #expect(graphs[0] == graphs[1])
        #expect(graphs[0] == (try Self.graph(ledger)))
        #expect(graphs[0].count > 10)
        for (name, query) in Self.rules(ledger.schema) {
            let wrong = try ledger.texts(query)
            #expect(wrong.isEmpty, "\(name): \(wrong)")
        }
        for worker in [first, second] {
            let refusals = Dictionary(grouping: worker.lines.filter { $0.hasPrefix("refused") }) { $0 }
            print(worker.lines.first { $0.hasPrefix("edited") } ?? "", refusals.mapValues(\.count))
        }
    }

    /// The graph as the tables have it, in the form in which the processes report it.
    private static func graph(_ ledger: ServerLedger) throws -> [String] {
        let s = ledger.schema
        func list(_ column: String, _ table: String, _ condition: String, by order: String? = nil) -> String {
            "coalesce((SELECT string_agg(\(column)::text, ',' ORDER BY \(order ?? column)) FROM \(s).\(table) x "
                + "WHERE \(condition)), '')"
        }
        func one(_ column: String) -> String { "coalesce(\(column)::text, '-')" }
        let parts: [(String, [String])] = [
            ("Team", [list("x.id", "person", "x.team = t.id")]),
            ("Room", [list("x.id", "person", "x.room = t.id")]),
            ("Badge", [list("x.person", "badge_people", "x.badge = t.id")]),
            ("Task", [one("t.owner")]),
            (
                "Person",
                [
                    one("t.team"), one("t.room"), list("x.badge", "badge_people", "x.person = t.id"),
                    list("x.id", "task", "x.owner = t.id", by: "x.owner_order, x.id"),
                ]
            ),
        ]
        return try parts.flatMap { entity, more in
            let all = ["'object'", "'\(entity)'", "t.id", one("t.name"), one("t.size")] + more
            return try ledger.texts(
                "SELECT concat_ws(' | ', \(all.joined(separator: ", "))) FROM \(s).\(entity.lowercased()) t")
        }.sorted()
    }

    /// Queries for rows that must not be.
    private static func rules(_ s: String) -> [(String, String)] {
        func dangling(_ table: String, _ column: String, _ target: String) -> (String, String) {
            (
                "\(table).\(column) without \(target)",
                "SELECT \(column) FROM \(s).\(table) WHERE \(column) IS NOT NULL "
                    + "AND \(column) NOT IN (SELECT id FROM \(s).\(target))"
            )
        }
        return [
            dangling("person", "team", "team"), dangling("person", "room", "room"), dangling("task", "owner", "person"),
            dangling("badge_people", "badge", "badge"), dangling("badge_people", "person", "person"),
            ("links twice", "SELECT badge FROM \(s).badge_people GROUP BY badge, person HAVING count(*) > 1"),
            ("owned without position", "SELECT id FROM \(s).task WHERE owner IS NOT NULL AND owner_order IS NULL"),
        ]
    }
}
#endif
