import Foundation
import ModelFormat

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// One check of one store: what is known about it, and the findings.
final class CheckRun {
    let url: URL
    let condition: StoreCondition
    let database: Database
    let facts: FileFacts
    let watch: ProgressWatch
    /// The store's description and the schema of its model; nil if they cannot be read.
    private(set) var description: StoreDescription?
    private(set) var schema: StoreSchema?
    /// The model that the rows are compared with.
    private(set) var model: Model?
    private(set) var findings: [StoreFinding] = []
    /// The external files that rows refer to; nil if not all rows could be read.
    var externalFiles: Set<UUID>? = []

    private let givenModel: Model?
    /// True if the store is compared with the model in it.
    var usesOwnModel: Bool { givenModel == nil && model != nil }

    init(_ check: StoreCheck, _ reader: StoreReader) throws {
        url = check.url
        condition = reader.condition
        database = reader.database
        givenModel = check.model
        watch = ProgressWatch(check.progress, reader.database)
        facts = FileFacts()
    }

    func examine() throws {
        TextValidation.register(on: database)
        // One transaction, so that all statements read the same state.
        try? database.execute("PRAGMA cache_size = -32768")
        try? database.execute("BEGIN")
        defer { try? database.execute("ROLLBACK") }
        try watch.phase("Checking pages")
        try IntegrityCheck(self).run()
        try watch.phase("Checking the schema")
        try reading("sqlite_master") { try facts.read(database) }
        try reading("Z_PRIMARYKEY") { try facts.readNumbers(database) }
        try describe()
        try MetadataRules(self).run()
        if let schema {
            try SchemaRules(self, schema).run()
            try EntityNumberRules(self, schema).run()
            try rows(schema)
        }
        try HistoryRules(self).run()
        try ExternalFolderRules(self).run()
    }

    private func describe() throws {
        var failure: Error?
        try reading("sqlite_master") {
            let description = try StoreDescription(database)
            self.description = description
            model = givenModel ?? description.model
            guard model != nil else { return }
            do {
                schema = try description.schema(for: givenModel)
            } catch let error as StoreToolError where givenModel == nil {
                add(
                    StoreFinding(
                        .metadata, error.message, cause: nil, remedy: .mended))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func rows(_ schema: StoreSchema) throws {
        let tables = schema.tables.filter { facts.hasTable($0.name) }
        let joins = schema.joins.filter { facts.hasTable($0.name) }
        let weights = try (tables.map(\.name) + joins.map(\.name)).map(weight)
        try watch.phase("Checking rows", parts: weights)
        for table in tables {
            try RowRules(self, schema, table).run()
            try OrderRules(self, schema).run(table)
            try UniquenessRules(self, schema).run(table)
            try CountRules(self, schema).run(table)
            try watch.partIsDone()
        }
        for join in joins {
            try JoinRules(self, schema).run(join)
            try watch.partIsDone()
        }
    }

    /// Returns the highest row ID of a table, as an estimate of its share of the work.
    private func weight(_ table: String) throws -> Double {
        var weight: Int64?
        try reading(table) {
            weight = try database.integer("SELECT max(rowid) FROM \(table.quotedIdentifier)")
        }
        return Double(max(1, weight ?? 1))
    }

    // MARK: Findings

    func add(_ finding: StoreFinding) { findings.append(finding) }

    /// Returns the highest key that the file has given out for the hierarchy of a table.
    func highestKey(ofTable name: String) -> Int64? {
        guard let table = schema?.tables.first(where: { $0.name == name }) else { return nil }
        return facts.numbers.first { $0.number == Int64(table.root) }?.highestKey
    }

    /// Returns whether a table or index is known to be damaged.
    func isDamaged(_ name: String) -> Bool { facts.damaged.contains(name.uppercased()) }

    /// Runs statements on a table. If it cannot be read, records a finding and goes on.
    ///
    /// - Returns: Whether it could be read.
    /// - Throws: ``StoreToolError`` for cancellation; ``DatabaseError`` for failures that are not the file's.
    @discardableResult
    func reading(_ table: String, entity: String? = nil, _ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch let error as DatabaseError {
            try watch.requireGoingOn()
            switch error.primaryCode {
            case SQLITE_INTERRUPT where !database.isExhausted: throw error
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_IOERR, SQLITE_INTERRUPT:
                guard facts.damaged.insert(table.uppercased()).inserted else { return false }
                add(
                    StoreFinding(
                        .structure, table: table, entity: entity, "The table \(table) cannot be read completely.",
                        cause: error.message, remedy: .mendedWithLoss))
            case SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_AUTH, SQLITE_RANGE, SQLITE_TOOBIG,
                SQLITE_SCHEMA:
                guard facts.damaged.insert(table.uppercased()).inserted else { return false }
                add(
                    StoreFinding(
                        .schema, table: table, entity: entity, "The table \(table) cannot be queried.",
                        cause: error.message, remedy: .mendedWithLoss))
            default: throw error
            }
            return false
        }
    }
}
