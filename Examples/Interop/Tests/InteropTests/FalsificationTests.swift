#if !canImport(Darwin)
import Foundation
import Testing

@testable import InteropKit

/// Falsified stores, files and reports, which ``Judge`` or ``Examination`` must reject.
@MainActor
@Suite struct FalsificationTests {
    private typealias Change = (Rehearsal) throws -> Void

    /// The SQL statements that falsify stores.
    private static let statements: [(Case, Exchange.State, String)] = [
        (.attributes, .edited, "UPDATE ZSAMPLE SET ZINTEGER64 = ZINTEGER64 - 1 WHERE ZKEY = 'highest'"),
        (.attributes, .migrated, "UPDATE ZSAMPLE SET ZWORDS = ZWORDS || ' ' WHERE ZKEY = 'text 7'"),
        (.attributes, .own, "UPDATE ZSAMPLE SET ZDATE = 0 WHERE ZKEY = 'smallest'"),
        (.attributes, .own, "UPDATE ZSAMPLE SET ZBOOL = NULL WHERE ZKEY = 'lowest'"),
        (.longDecimals, .edited, "UPDATE ZAMOUNT SET ZDECIMAL = ZDECIMAL - 1 WHERE ZKEY = 'n5'"),
        (.inheritance, .edited, "UPDATE ZTHING SET Z_ENT = Z_ENT + 1 WHERE ZKEY = 'mini'"),
        (.manyToMany, .edited, "DELETE FROM Z_1MEMBERS WHERE rowid = (SELECT min(rowid) FROM Z_1MEMBERS)"),
        (.ordered, .own, "UPDATE ZTRACK SET Z_FOK_ALBUM = -Z_FOK_ALBUM WHERE Z_FOK_ALBUM IS NOT NULL"),
        (.derived, .edited, "UPDATE ZTEAM SET ZMEMBERCOUNT = ZMEMBERCOUNT + 1"),
        (.history, .edited, "UPDATE ATRANSACTIONSTRING SET ZNAME = 'forger' WHERE ZNAME = 'writer'"),
        (.history, .own, "DELETE FROM ACHANGE WHERE ZCHANGETYPE = 2"),
        (.composites, .migrated, "UPDATE ZCUSTOMER SET ZSTREET = 'elsewhere'"),
        (.mapping, .migrated, "UPDATE ZBOOK SET ZADDITION = 'by hand' WHERE ZKEY = 'b3'"),
        (.constraints, .edited, "INSERT INTO ZPRODUCT (Z_PK, Z_ENT, Z_OPT, ZKEY) VALUES (99, 1, 1, 'p99')"),
    ]

    @Test func judgeSeesChangedStores() throws {
        try Rehearsal.run { rehearsal in
            for (item, state, sql) in Self.statements {
                let folder = rehearsal.exchange.made(item, state)
                let verdict = try rehearsal.verdict(item) { try execute(sql, in: folder.store) }
                #expect(!verdict.passed, "\(sql)")
                // The same change with a list of rows that matches the store.
                let consistent = try rehearsal.verdict(item) {
                    try execute(sql, in: folder.store)
                    try folder.rows.write(try PlainSQL.listing(of: folder.store))
                }
                #expect(!consistent.passed, "\(sql), listed")
            }
        }
    }

    @Test func judgeSeesChangedFiles() throws {
        let changes: [(String, Case, Change)] = [
            (
                "a row that is listed otherwise", .derived,
                { rehearsal in
                    let rows = rehearsal.exchange.made(.derived, .edited).rows
                    try rows.write(try rows.text().replacingOccurrences(of: "'Crimson'", with: "'Red'"))
                }
            ),
            (
                "a store that is missing", .derived,
                { rehearsal in
                    try FileManager.default.removeItem(at: rehearsal.exchange.made(.derived, .own))
                }
            ),
            (
                "an external file with other bytes", .externalData,
                { rehearsal in
                    let folder = rehearsal.exchange.made(.externalData, .migrated).appendingPathComponent(
                        ".Store_SUPPORT/_EXTERNAL_DATA")
                    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                    let file = folder.appendingPathComponent(try #require(files.first))
                    var data = try Data(contentsOf: file)
                    data[data.count - 1] ^= 1
                    try data.write(to: file)
                }
            ),
            (
                "a store with damaged pages", .attributes,
                { rehearsal in
                    let store = rehearsal.exchange.made(.attributes, .edited).store
                    var data = try Data(contentsOf: store)
                    for index in 8_192..<16_384 { data[index] = 0x55 }
                    try data.write(to: store)
                }
            ),
        ]
        try check(changes)
    }

    @Test func judgeSeesChangedReports() throws {
        func stage(_ report: inout Report, _ change: (inout Report.Stage) -> Void) {
            guard let item = report.items.firstIndex(where: { $0.name == "ordered" }),
                let stage = report.items[item].stages.firstIndex(where: { $0.name == "edited" })
            else { return }
            change(&report.items[item].stages[stage])
        }
        let changes: [(String, (inout Report) -> Void)] = [
            ("another value", { stage(&$0) { $0.values[7] += "0" } }),
            ("a value less", { stage(&$0) { $0.values.removeLast() } }),
            ("a value twice", { stage(&$0) { $0.values.append($0.values[0]) } }),
            ("a difference", { stage(&$0) { $0.differences = ["expected: something else"] } }),
            ("an error", { stage(&$0) { $0.error = "an error" } }),
            ("no stages", { report in for index in report.items.indices { report.items[index].stages = [] } }),
            ("no cases", { $0.items = [] }),
            (
                "a case that was skipped",
                { report in
                    for index in report.items.indices { report.items[index].skipped = "too hard" }
                }
            ),
            ("another edition", { $0.edition = "0" }),
            ("an end before the end", { $0.running = "ordered: migrated" }),
        ]
        try check(changes.map { name, change in (name, .ordered, { try $0.changeReport(change) }) })
        try check([("no report", .ordered, { try $0.exchange.report.write("{") })])
    }

    private func check(_ changes: [(String, Case, Change)]) throws {
        try Rehearsal.run { rehearsal in
            for (name, item, change) in changes {
                #expect(rehearsal.verdict([item]).passed, "before \(name)")
                let verdict = try rehearsal.verdict(item) { try change(rehearsal) }
                #expect(!verdict.passed, "\(name)")
                #expect(verdict.lines.last == "There are differences.")
            }
        }
    }

    @Test func skippedCompositesAreAccepted() throws {
        try Rehearsal.run { rehearsal in
            let verdict = try rehearsal.verdict(.composites) {
                try rehearsal.changeReport { report in
                    for index in report.items.indices where report.items[index].name == "composites" {
                        report.items[index].skipped = "needs macOS 14"
                        report.items[index].stages = []
                    }
                }
            }
            #expect(verdict.passed && verdict.items.map(\.skipped) == ["needs macOS 14"])
        }
    }

    @Test func examinationSeesChangedStoresAndModels() throws {
        try Rehearsal.withExchange { exchange in
            try execute(
                "UPDATE ZPRODUCT SET ZTITLE = 'Chalk' WHERE ZKEY = 'p2'", in: exchange.given(.constraints).store)
            let model = exchange.given(.history).appendingPathComponent("Model.momd")
            try exchange.given(.ordered).appendingPathComponent("Model.momd").copy(to: model)
            var examination = try Rehearsal.examination(exchange)
            let report = try examination.run()
            #expect(!report.passed && report.running == nil)
            func failed(_ name: String) -> [String] {
                report.items.filter { $0.name == name }.flatMap(\.stages).filter { !$0.passed }.map(\.name)
            }
            #expect(failed("constraints") == ["as written on Linux"])
            #expect(failed("history") == ["model in the file", "as written on Linux", "edited", "migrated", "own"])
            #expect(failed("inheritance").isEmpty)
            #expect(report.html.contains("Product p2.title = &quot;Chalk&quot;"))
        }
    }

    @Test func examinationNeedsStoresOfTheSameEdition() throws {
        try Rehearsal.withExchange { exchange in
            try exchange.fromLinux.appendingPathComponent("edition.txt").write(lines: ["0"])
            #expect(throws: InteropError.self) { try Rehearsal.examination(exchange) }
            try FileManager.default.removeItem(at: exchange.fromLinux)
            #expect(throws: InteropError.self) { try Rehearsal.examination(exchange) }
        }
    }
}
#endif
