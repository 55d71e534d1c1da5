import Foundation
import ModelFormat

/// The examination of a store at launch: the parts that it cannot be opened without, without reading all of it.
struct QuickCheck {
    enum Result {
        case ready
        case unavailable(StoreCondition)
        case damaged(StoreCheck.Report)
    }

    private let url: URL
    private let model: Model?

    init(_ url: URL, model: Model?) { (self.url, self.model) = (url, model) }

    /// Examines the store.
    ///
    /// - Parameter complete: whether a store that looks healthy is read completely.
    func run(complete: Bool, _ progress: StoreProgress.Handler?) throws -> Result {
        let condition = StoreCondition.of(url)
        switch condition {
        case .missing, .empty, .inUse: return .ready
        case .readable: break
        case .locked, .protected, .noPermission, .tooNew, .encrypted, .notAStore, .notSQLite(.some):
            return .unavailable(condition)
        case .logMissing, .logOfAnotherStore, .logDamaged, .headerDamaged, .cutShort, .notSQLite(nil):
            return .damaged(StoreCheck.Report(condition: condition, findings: []))
        }
        if let finding = try firstFinding() {
            return .damaged(StoreCheck.Report(condition: condition, findings: [finding]))
        }
        guard complete else { return .ready }
        var check = StoreCheck(url)
        check.model = model
        check.progress = progress
        let report = try check.run()
        // What a rescue cannot change, or what keeps no program from opening the store, is no reason for one.
        return report.findings.contains { Self.isSerious($0) } ? .damaged(report) : .ready
    }

    private static func isSerious(_ finding: StoreFinding) -> Bool {
        switch finding.rule {
        case .structure, .schema, .entityNumbers, .metadata, .model, .rowEntity, .rowKey, .highestKey: true
        default: false
        }
    }

    /// Returns the first thing that keeps the store from being opened.
    private func firstFinding() throws -> StoreFinding? {
        let reader: StoreReader
        do {
            reader = try StoreReader(url)
        } catch let error as DatabaseError {
            return finding(error)
        }
        do {
            return try firstFinding(in: reader.database)
        } catch let error as DatabaseError {
            return finding(error)
        }
    }

    private func firstFinding(in database: Database) throws -> StoreFinding? {
        let description = try StoreDescription(database)
        if let problem = description.problems.first {
            return StoreFinding(.metadata, problem, remedy: .mended)
        }
        do {
            let schema = try description.schema(for: model)
            for table in schema.tables where description.columns[table.name] == nil {
                return StoreFinding(
                    .schema, table: table.name, "The table \(table.name) is missing.", remedy: .mendedWithLoss)
            }
        } catch let error as StoreToolError where error.code == .noModel && model == nil {
            // Stores of before 2016 contain no model.
        }
        // Reading the first and the last row of a table, and of each index, reads the pages from its root to a leaf.
        for table in description.columns.keys.sorted() {
            let name = table.quotedIdentifier
            let rows = try database.prepare("SELECT min(rowid), max(rowid) FROM \(name)")
            while try rows.step() {}
            for edge in ["ASC", "DESC"] {
                let row = try database.prepare("SELECT * FROM \(name) ORDER BY rowid \(edge) LIMIT 1")
                while try row.step() {}
            }
        }
        return nil
    }

    private func finding(_ error: DatabaseError) -> StoreFinding? {
        StoreFinding(.structure, "SQLite reports: \(error.message).", remedy: .mendedWithLoss)
    }
}
