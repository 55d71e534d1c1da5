import Foundation

/// The tables of persistent history.
struct HistoryRules {
    private let check: CheckRun

    init(_ check: CheckRun) { self.check = check }

    private static let tables: [(number: Int64, name: String)] = [
        (16001, "ACHANGE"), (16002, "ATRANSACTION"), (16003, "ATRANSACTIONSTRING"),
    ]

    func run() throws {
        guard check.facts.hasTable("ACHANGE") else { return }
        guard check.facts.has("ATRANSACTION", ["Z_PK", "ZTIMESTAMP"]) else {
            check.add(
                StoreFinding(
                    .history, table: "ATRANSACTION", "The table ATRANSACTION of persistent history is missing.",
                    remedy: .mendedWithLoss))
            return
        }
        try changes()
        try transactions()
        indexes()
        for table in Self.tables where check.facts.has(table.name, "Z_PK") { try highest(table.number, table.name) }
    }

    /// Checks the indexes, which are the same in all files with a table of texts.
    private func indexes() {
        guard check.facts.hasTable("ATRANSACTIONSTRING") else { return }
        for index in SystemTables.historyIndexes where !check.facts.hasIndex(named: index.name) {
            check.add(
                StoreFinding(
                    .index, table: index.table, "The index \(index.name) of persistent history is missing.",
                    remedy: .mended))
        }
    }

    private func condition(
        _ property: String, _ sql: String, _ message: String, _ remedy: StoreFinding.Remedy = .mendedWithLoss
    ) -> RowCondition {
        RowCondition(rule: .history, property: property, sql: sql, message: message, remedy: remedy)
    }

    private func changes() throws {
        guard check.facts.has("ACHANGE", ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"]) else {
            return
        }
        var scan = RowScan("ACHANGE")
        let transaction = scan.join("ATRANSACTION", on: "t.ZTRANSACTIONID")
        scan.add(
            condition(
                "ZTRANSACTIONID", "\(transaction).Z_PK IS NULL", "The changes belong to no transaction."))
        scan.add(
            condition(
                "ZCHANGETYPE", "t.ZCHANGETYPE IS NULL OR t.ZCHANGETYPE NOT IN (0, 1, 2)",
                "The changes are neither insertions, updates nor deletions."))
        if !check.facts.numbers.isEmpty, !check.isDamaged("Z_PRIMARYKEY") {
            let known = Set(check.facts.numbers.map(\.number) + (check.schema?.entities.map { Int64($0.number) } ?? []))
            let numbers = known.sorted().map(String.init).joined(separator: ", ")
            scan.add(
                condition(
                    "ZENTITY", "t.ZENTITY IS NULL OR t.ZENTITY NOT IN (\(numbers))",
                    "The changes are of entities that the store does not have."))
        }
        scan.add(
            condition(
                "ZENTITYPK", "t.ZENTITYPK IS NULL OR t.ZENTITYPK >= ''", "The changes have no key of an object."))
        try check.reading("ACHANGE") { try scan.run(check) }
    }

    private func transactions() throws {
        var scan = RowScan("ATRANSACTION")
        scan.add(
            condition(
                "ZTIMESTAMP", "t.ZTIMESTAMP IS NULL OR t.ZTIMESTAMP >= ''", "The transactions have no date.", .mended))
        if check.facts.has("ATRANSACTIONSTRING", ["Z_PK", "ZNAME"]) {
            for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"]
            where check.facts.has("ATRANSACTION", column) {
                let text = scan.join("ATRANSACTIONSTRING", on: "t.\(column)")
                scan.add(
                    condition(
                        column, "t.\(column) IS NOT NULL AND \(text).Z_PK IS NULL",
                        "The transactions refer to texts that do not exist."))
            }
        }
        try check.reading("ATRANSACTION") { try scan.run(check) }
    }

    private func highest(_ number: Int64, _ table: String) throws {
        guard check.facts.has("Z_PRIMARYKEY", ["Z_ENT", "Z_MAX"]), !check.isDamaged("Z_PRIMARYKEY") else { return }
        var highest: Int64?
        try check.reading(table) {
            highest = try check.database.integer("SELECT max(Z_PK) FROM \(table.quotedIdentifier)")
        }
        let row = check.facts.numbers.first { $0.number == number }
        guard let highest, highest > row?.highestKey ?? 0 else { return }
        check.add(
            StoreFinding(
                .highestKey, table: "Z_PRIMARYKEY", entity: String(table.dropFirst()), keys: [highest],
                "Z_MAX is \(row?.highestKey.map(String.init) ?? "missing"), below the highest key \(highest) of \(table).",
                remedy: .mended))
    }
}
