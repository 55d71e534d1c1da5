import Foundation
import ModelFormat
import StoreTools

/// The facts about a store that `storetool info` prints.
struct StoreInfo {
    struct EntityRows {
        var name: String
        var number: Int
        var isAbstract: Bool
        /// The number of superentities.
        var depth: Int
        var table: String
        var rows: Int?
        /// True if ``rows`` is an estimate.
        var isEstimate = false
        /// The bytes of the table, for root entities.
        var bytes: Int64?
    }

    struct IndexSize {
        var name: String
        var table: String
        var bytes: Int64?
    }

    struct HistoryDay {
        var day: String
        var author: String
        var transactions: Int
        var changes: Int
    }

    struct History {
        var transactions: Int
        var first: Date?
        var last: Date?
        /// The last days, newest first.
        var days: [HistoryDay]
    }

    var condition: StoreCondition
    var fileBytes: Int64
    var logBytes: Int64
    var log: LogState?
    var header: DatabaseHeader?
    var pageSize: Int
    var pageCount: Int
    var freePages: Int
    var description: StoreDescription
    var checksum: String?
    var entities: [EntityRows] = []
    var joins: [EntityRows] = []
    var indexes: [IndexSize] = []
    var history: History?
    var historyProblem: String?
    var externalFiles = 0
    var externalBytes: Int64 = 0
    /// Unusual facts, in sentences.
    var remarks: [String] = []
}

/// Collects the information about a store.
struct InfoReader {
    private let reader: StoreReader
    private let database: Database
    private let console: Console
    private let model: Model?
    private var info: StoreInfo
    private var roots: [String: Int] = [:]

    static func read(_ url: URL, model: Model?, _ console: Console) throws -> StoreInfo {
        var collector = try InfoReader(url, model, console)
        try collector.collect()
        try collector.reader.requireUnchanged()
        return collector.info
    }

    private init(_ url: URL, _ model: Model?, _ console: Console) throws {
        reader = try StoreReader(url)
        database = reader.database
        self.console = console
        self.model = model
        let description = try StoreDescription(database)
        info = StoreInfo(
            condition: reader.condition, fileBytes: Self.size(url.path), logBytes: Self.size(url.path + "-wal"),
            log: reader.image?.log, header: reader.image?.header,
            pageSize: Int(try database.integer("PRAGMA page_size") ?? 0),
            pageCount: Int(try database.integer("PRAGMA page_count") ?? 0),
            freePages: Int(try database.integer("PRAGMA freelist_count") ?? 0), description: description)
    }

    private static func size(_ path: String) -> Int64 {
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber
        return size?.int64Value ?? 0
    }

    private mutating func collect() throws {
        let description = info.description
        if !description.versionHashes.isEmpty { info.checksum = Model.versionChecksum(description.versionHashes) }
        let statement = try database.prepare("SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0")
        while try statement.step() { if let name = statement.text(0) { roots[name] = Int(statement.integer(1)) } }
        var schema: StoreSchema?
        do {
            schema = try description.schema(for: model)
        } catch let error as StoreToolError {
            info.remarks.append(error.description)
        }
        try measureEntities(schema.map(InfoFamily.families) ?? InfoFamily.families(description))
        if let schema {
            for join in schema.joins where roots[join.name] != nil {
                let measure = try measure(join.name)
                info.joins.append(
                    StoreInfo.EntityRows(
                        name: "\(join.first.relationship) ⟷ \(join.second.relationship)", number: 0, isAbstract: false,
                        depth: 0, table: join.name, rows: try measure?.exactRows ?? count(join.name, measure),
                        isEstimate: measure?.isEstimate ?? false, bytes: bytes(measure)))
            }
        }
        for index in description.indexes {
            info.indexes.append(
                StoreInfo.IndexSize(name: index.name, table: index.table, bytes: bytes(try measure(index.name))))
        }
        readHistory()
        countExternalFiles()
        addRemarks(schema)
    }

    // MARK: Tables

    private func measure(_ name: String, countsEntities: Bool = false) throws -> TreeMeasure? {
        guard let image = reader.image, let root = roots[name] else { return nil }
        return try TreeMeasure(image, root: root, countsEntities: countsEntities) { try console.checkInterruption() }
    }

    private func bytes(_ measure: TreeMeasure?) -> Int64? { measure.map { Int64($0.pages) * Int64(info.pageSize) } }

    private func count(_ table: String, _ measure: TreeMeasure?) throws -> Int {
        if let measure, measure.isEstimate { return measure.rows }
        return Int(try database.integer("SELECT count(*) FROM \(table.quotedIdentifier)") ?? 0)
    }

    private mutating func measureEntities(_ families: [InfoFamily]) throws {
        for family in families where info.description.columns[family.table] != nil {
            let measure = try measure(family.table, countsEntities: true)
            var counts = measure?.isDamaged == false ? measure?.rowsByEntity ?? [:] : [:]
            if measure.map({ $0.isDamaged || !$0.isEstimate && counts.values.reduce(0, +) != $0.rows }) ?? true {
                counts = [:]
                let statement = try database.prepare(
                    "SELECT Z_ENT, count(*) FROM \(family.table.quotedIdentifier) GROUP BY Z_ENT")
                while try statement.step() { counts[Int(statement.integer(0))] = Int(statement.integer(1)) }
            }
            let exact = measure?.isEstimate == true ? try countRare(family, counts) : [:]
            counts.merge(exact) { $1 }
            addFamily(family, counts, measure, exact: Set(exact.keys))
            let strays = counts.keys.filter { number in !family.members.contains { $0.number == number } }
            let rows = strays.reduce(0) { $0 + (counts[$1] ?? 0) }
            if rows > 0 {
                info.remarks.append(
                    "\(Quantity.of(rows, "row")) of \(family.table) have an entity number of another table.")
            }
        }
    }

    /// Returns the exact numbers of rows of those entities of a large table that have few, for which samples are too coarse.
    private func countRare(_ family: InfoFamily, _ counts: [Int: Int]) throws -> [Int: Int] {
        let isIndexed = info.description.indexes.contains {
            $0.table == family.table && $0.sql.hasSuffix("(Z_ENT)")
        }
        guard isIndexed else { return [:] }
        let limit = 20_000
        var exact: [Int: Int] = [:]
        for entity in family.members.map(\.number) where counts[entity] ?? 0 < limit {
            let statement = try database.prepare(
                "SELECT count(*) FROM (SELECT 1 FROM \(family.table.quotedIdentifier) WHERE Z_ENT = ?1 LIMIT \(limit + 1))"
            )
            try statement.bind(.integer(Int64(entity)), at: 1)
            guard try statement.step(), statement.integer(0) <= limit else { continue }
            exact[entity] = Int(statement.integer(0))
        }
        return exact
    }

    /// Adds the entities of a table, each before its subentities.
    private mutating func addFamily(
        _ family: InfoFamily, _ counts: [Int: Int], _ measure: TreeMeasure?, exact: Set<Int>
    ) {
        for (entity, depth) in family.inOrder {
            info.entities.append(
                StoreInfo.EntityRows(
                    name: entity.name, number: entity.number, isAbstract: entity.isAbstract, depth: depth,
                    table: family.table, rows: counts[entity.number] ?? 0,
                    isEstimate: measure?.isEstimate ?? false && !exact.contains(entity.number),
                    bytes: depth == 0 ? bytes(measure) : nil))
        }
    }

    // MARK: History and files

    private mutating func readHistory() {
        guard let columns = info.description.columns["ATRANSACTION"], info.description.columns["ACHANGE"] != nil else {
            return
        }
        do {
            info.history = try history(columns)
        } catch {
            info.historyProblem = "The history cannot be read: \((error as? DatabaseError)?.message ?? "\(error)")."
        }
    }

    private func history(_ columns: [String]) throws -> StoreInfo.History {
        let bounds = try database.prepare("SELECT count(*), min(ZTIMESTAMP), max(ZTIMESTAMP) FROM ATRANSACTION")
        guard try bounds.step(), !bounds.isNull(2) else {
            return StoreInfo.History(transactions: 0, first: nil, last: nil, days: [])
        }
        let last = bounds.double(2)
        var result = StoreInfo.History(
            transactions: Int(bounds.integer(0)), first: Date(timeIntervalSinceReferenceDate: bounds.double(1)),
            last: Date(timeIntervalSinceReferenceDate: last), days: [])
        guard last.isFinite, abs(last) < 1e11 else { return result }
        let names = columns.contains("ZAUTHORTS") && info.description.columns["ATRANSACTIONSTRING"] != nil
        let author = [
            names ? "(SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = t.ZAUTHORTS)" : nil,
            columns.contains("ZAUTHOR") ? "t.ZAUTHOR" : nil, "''",
        ].compactMap { $0 }
        // Days begin at midnight UTC, as 2001 does.
        let statement = try database.prepare(
            """
            WITH t AS (
                SELECT CAST(t.ZTIMESTAMP / 86400 AS INTEGER) AS day, coalesce(\(author.joined(separator: ", "))) AS author,
                    (SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = t.Z_PK) AS changes
                FROM ATRANSACTION t WHERE t.ZTIMESTAMP >= ?1
            )
            SELECT day, author, count(*), sum(changes) FROM t GROUP BY day, author ORDER BY day DESC, count(*) DESC LIMIT 200
            """)
        try statement.bind(.real(((last / 86_400).rounded(.down) - 13) * 86_400), at: 1)
        while try statement.step() {
            try console.checkInterruption()
            let day = Date(timeIntervalSinceReferenceDate: Double(statement.integer(0)) * 86_400)
            result.days.append(
                StoreInfo.HistoryDay(
                    day: String(ValueText.text(day).prefix(10)), author: statement.text(1) ?? "",
                    transactions: Int(statement.integer(2)), changes: Int(statement.integer(3))))
        }
        return result
    }

    private mutating func countExternalFiles() {
        let base = reader.url.deletingPathExtension().lastPathComponent
        let folder = reader.url.deletingLastPathComponent().appendingPathComponent(".\(base)_SUPPORT/_EXTERNAL_DATA")
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return }
        info.externalFiles = names.count
        info.externalBytes = names.reduce(0) { $0 + Self.size(folder.path + "/" + $1) }
    }

    // MARK: Remarks

    private mutating func addRemarks(_ schema: StoreSchema?) {
        if info.condition != .readable {
            let parts = [info.condition.message, info.condition.advice].compactMap { $0 }
            info.remarks.insert(parts.joined(separator: " "), at: 0)
        }
        for problem in info.description.problems where !info.remarks.contains(where: { $0.hasPrefix(problem) }) {
            info.remarks.append(problem)
        }
        if let problem = info.historyProblem { info.remarks.append(problem) }
        if info.logBytes > max(info.fileBytes, 16 << 20) {
            info.remarks.append(
                "The log is larger than the store, \(Quantity.bytes(info.logBytes)): something reads without an end.")
        }
        if info.freePages * 4 > info.pageCount, info.freePages > 256 {
            let part = info.freePages * 100 / max(1, info.pageCount)
            info.remarks.append("\(part) % of the file are free pages; VACUUM would return them.")
        }
        guard let schema else { return }
        let known = Set(schema.tables.map(\.name) + schema.joins.map(\.name))
        let foreign = info.description.columns.keys.filter { name in
            !known.contains(name) && !Self.system.contains(name) && !name.hasPrefix("Z_RT_")
        }
        if !foreign.isEmpty {
            info.remarks.append("Tables that the model does not have: \(foreign.sorted().joined(separator: ", ")).")
        }
        let missing = schema.tables.map(\.name).filter { info.description.columns[$0] == nil }
        if !missing.isEmpty { info.remarks.append("Tables are missing: \(missing.sorted().joined(separator: ", ")).") }
    }

    private static let system: Set<String> = [
        "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
    ]
}

extension TreeMeasure {
    /// The number of rows, if all leaves were read.
    var exactRows: Int? { isEstimate || isDamaged ? nil : rows }
}
