import Foundation
import ModelFormat

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// One rescue: what is read, what is written, and what became of it.
final class RescueOperation {
    let rescue: StoreRescue
    let target: RescueDestination
    let notes = RescueNotes()
    let leftovers: RescueLeftovers
    let image: FileImage
    let survey: PageSurvey
    /// SQLite's view of the damaged file; nil if it cannot read the schema.
    let source: Database?
    let content: RescueContent
    let chosen: ChosenModel
    let schema: StoreSchema
    /// The rows of `sqlite_schema` of the damaged file.
    let entries: [SchemaEntry]
    /// The new store.
    let out: Database
    var tables: [RescueTable] = []
    /// The columns with keys of other rows.
    let references: [StoredReference]
    /// The keys of rows that were removed because another row has their unique values, and that row's key, by table.
    var replaced: [String: [Int64: Int64]] = [:]
    lazy var external = RescueExternalFiles(self)
    private var writers: [String: RowWriter] = [:]

    init(_ rescue: StoreRescue, _ target: RescueDestination) throws {
        self.rescue = rescue
        self.target = target
        leftovers = RescueLeftovers(RescueDestination.leftovers(of: target.temporary))
        let file = try OpenedFile(rescue)
        (image, survey, source, entries) = (file.image, file.survey, file.database, file.entries)
        content = try RescueContent(source, survey)
        for remark in file.remarks { notes.add(remark, isLoss: true) }
        for remark in content.remarks { notes.add(remark) }
        chosen = try Self.model(rescue, content, notes)
        schema = try Self.schema(chosen.model, content, entries)
        references = StoredReference.all(schema)
        out = try Database(target.temporary.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI)
    }

    var model: Model { chosen.model }

    /// Reports progress.
    ///
    /// - Throws: `cancelled` if the caller does not want to go on.
    func proceed(_ phase: String, _ fraction: Double) throws { try rescue.proceed(phase, fraction) }

    func run() throws -> RescueReport {
        // One transaction: otherwise each look into an index would begin one.
        if let source {
            try? source.execute("PRAGMA cache_size = -16000")
            try? source.execute("BEGIN")
        }
        try layOut()
        try createTables()
        try fillTables()
        try out.execute("BEGIN")
        try fillFromPages()
        try fillPairsFromIndexes()
        guard try !isEmpty() || source != nil else {
            throw StoreToolError(
                .nothingRescued, "\(rescue.url.lastPathComponent) contains no row of the model's entities.",
                advice: "Check that the model and the file belong together.", url: rescue.url)
        }
        try proceed("Building indexes", 0)
        try createIndexes()
        try createHistoryTables()
        try proceed("Mending", 0)
        try mendUniqueness()
        try collectFacts()
        try mendReferences()
        try proceed("Mending", 0.4)
        try mendJoins()
        try mendOrders()
        try proceed("Mending", 0.7)
        try mendDerivedValues()
        try mendHistory()
        try findMissingRows()
        try writeSystemTables()
        try createRest()
        try out.execute("COMMIT")
        guard !image.hasChanged() else {
            throw StoreToolError(
                .changed, "\(rescue.url.lastPathComponent) was changed while it was read.",
                advice: "Close the programs that use it, and try again.", url: rescue.url)
        }
        return try finish()
    }

    /// Returns a statement that writes rows into a table, prepared once.
    func writer(_ table: RescueTable) throws -> RowWriter {
        if let writer = writers[table.name] { return writer }
        let writer = try RowWriter(table, self)
        writers[table.name] = writer
        return writer
    }

    func table(named name: String) -> RescueTable? { tables.first { $0.name == name } }

    private func isEmpty() throws -> Bool {
        for table in tables where table.isEntity {
            if try out.integer("SELECT 1 FROM \(table.name.quotedIdentifier) LIMIT 1") != nil { return false }
        }
        return true
    }

    private static func schema(
        _ model: Model, _ content: RescueContent, _ entries: [SchemaEntry]
    ) throws -> StoreSchema {
        let isComplete = model.entities.allSatisfy { content.entities[$0.name] != nil }
        let numbers = isComplete ? content.entities.mapValues(\.number) : nil
        return try StoreSchema(model, numbers: numbers, columns: SchemaReading.columns(entries))
    }

    // MARK: The end

    private func finish() throws -> RescueReport {
        var report = RescueReport(url: target.url)
        for table in tables where table.isEntity {
            let counts = try out.prepare(
                table.entities.count > 1
                    ? "SELECT Z_ENT, COUNT(*) FROM \(table.name.quotedIdentifier) GROUP BY Z_ENT"
                    : "SELECT \(table.entities.keys.first ?? 0), COUNT(*) FROM \(table.name.quotedIdentifier)")
            var kept: [Int64: Int] = [:]
            while try counts.step() { kept[counts.integer(0)] = Int(clamping: counts.integer(1)) }
            for (number, entity) in table.entities {
                var result = RescueReport.EntityResult(entity: entity.name)
                result.kept = kept[number] ?? 0
                result.mended = notes.mended[entity.name]?.count ?? 0
                let lost = notes.lost[entity.name]
                result.lost = lost?.count ?? 0
                result.lostKeys = lost?.prefix(StoreFinding.keyLimit) ?? []
                report.entities.append(result)
            }
            report.deletedRows += table.deletedKeys.count
        }
        report.entities.sort { $0.entity < $1.entity }
        report.unreadablePages = survey.unreadablePages
        report.orphanedFiles = external.orphans()
        writers = [:]
        try leftovers.close()
        if !leftovers.isEmpty { report.leftovers = RescueDestination.leftovers(of: target.url) }
        try proceed("Checking the new store", 0)
        try verify()
        try out.execute("PRAGMA synchronous = FULL")
        try out.execute("PRAGMA locking_mode = EXCLUSIVE")
        guard try out.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw StoreToolError(
                .destination, "The new store cannot be written in WAL mode.",
                advice: "Choose a folder on a local file system.", url: target.url)
        }
        report.notes = notes.notes
        return report
    }

    private func verify() throws {
        let problems = try out.text("PRAGMA quick_check(1)")
        guard problems == "ok" else {
            throw StoreToolError(
                .failed, "The new store failed SQLite's check.",
                advice: "Report this as a bug, with the damaged store.",
                url: rescue.url, underlying: problems)
        }
    }
}

extension StoreRescue {
    /// Reports progress.
    func proceed(_ phase: String, _ fraction: Double) throws {
        guard let progress, !progress(StoreProgress(phase, fraction)) else { return }
        throw StoreToolError(.cancelled, "The rescue of \(url.lastPathComponent) was cancelled.", url: url)
    }
}
