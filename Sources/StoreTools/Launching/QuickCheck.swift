import CoreDataStoreFiles
import Foundation
import ModelFormat

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// The examination of a store at launch: the parts that it cannot be opened without, without reading all of it.
///
/// What a program can open is no damage here: other tables, values of an unknown kind in the metadata, a cached model
/// that is missing or cannot be read, a store without versions of a model.
struct QuickCheck {
    private let url: URL
    private let model: Model?

    init(_ url: URL, model: Model?) { (self.url, self.model) = (url, model) }

    /// Examines the store.
    ///
    /// - Parameter complete: Whether a store that looks healthy is read completely.
    func run(complete: Bool, _ progress: StoreProgress.Handler?) throws -> StoreRescue.Opening {
        let (condition, image) = StoreDetermination(url.path).run()
        switch condition {
        case .missing, .empty: return .ready
        case .readable, .inUse: break
        case .locked, .protected, .noPermission, .tooNew, .encrypted: return .unavailable(condition)
        case .notAStore: return Self.hasNoTables(url) ? .ready : .unavailable(condition)
        case .logMissing:
            // A log without a complete transaction is that of a process that ended in its first one.
            guard case .torn? = image?.log else { return isWithoutContent ? .ready : Self.damaged(condition) }
        case .notSQLite(let kind):
            return kind == nil || kind == FileKind.zeros ? Self.damaged(condition) : .unavailable(condition)
        case .logOfAnotherStore, .logDamaged, .headerDamaged, .cutShort: return Self.damaged(condition)
        }
        if condition == .inUse, OpenDatabases.contains(url.path) { return .unavailable(.inUse) }
        do {
            if let finding = try firstFinding(condition, image) { return Self.damaged(condition, [finding]) }
        } catch let error as StoreToolError where error.code == .unavailable {
            return .unavailable(.locked)
        }
        guard complete else { return .ready }
        let report = try completeReport(progress)
        guard report.condition == .readable || report.condition == .inUse else { return .unavailable(report.condition) }
        return report.findings.contains { Self.isSerious($0) } ? .damaged(report) : .ready
    }

    private static func damaged(_ condition: StoreCondition, _ findings: [StoreFinding] = []) -> StoreRescue.Opening {
        .damaged(StoreCheck.Report(condition: condition, findings: findings))
    }

    // MARK: Stores without content

    /// Returns true if a file is a database in which a store can be created.
    private static func hasNoTables(_ url: URL) -> Bool {
        guard let database = try? Database(FileImage(url.path)) else { return false }
        return (try? database.integer("SELECT count(*) FROM sqlite_master")) == 0
    }

    /// True if a file without tables lacks no log: it had tables before, or an empty log is beside it, as after a
    /// process was killed that created the store.
    private var isWithoutContent: Bool {
        guard let image = try? FileImage(url.path), image.pageCount <= 1,
            image.header.schemaCookie > 0 || (try? SourceFile(url.path + "-wal")) != nil
        else { return false }
        return !LogIndex.hasFramesBeyondFile(url.path, pageSize: image.pageSize) && Self.hasNoTables(url)
    }

    // MARK: The complete check

    private func completeReport(_ progress: StoreProgress.Handler?) throws -> StoreCheck.Report {
        var check = StoreCheck(url)
        check.model = model
        check.progress = progress
        do {
            return try check.run()
        } catch let error as StoreToolError where error.code == .otherModel && model != nil {
            check.model = nil
            return try check.run()
        }
    }

    /// Returns true if a finding may be the reason of an error, and is one that a rescue corrects.
    private static func isSerious(_ finding: StoreFinding) -> Bool {
        guard finding.remedy != .none else { return false }
        return switch finding.rule {
        case .structure, .schema, .entityNumbers, .metadata, .model, .rowEntity, .rowKey, .highestKey,
            .danglingReference, .referenceEntity, .joinRow, .valueType:
            true
        case .inverse, .order, .requiredValue, .uniqueness, .missingFile, .orphanedFile, .history, .derivedValue,
            .index:
            false
        }
    }

    // MARK: The quick check

    /// Returns the first thing that keeps the store from being opened.
    ///
    /// - Throws: ``StoreToolError`` with the code `unavailable` if another process keeps it from being read.
    private func firstFinding(_ condition: StoreCondition, _ image: FileImage?) throws -> StoreFinding? {
        do {
            if let image {
                let database = try Database(image)
                return try PageWalk(image).firstFinding(database) ?? firstFinding(in: database)
            }
            guard condition == .inUse else { return Self.finding("The store cannot be read.") }
            let reader = try StoreReader(url)
            return try firstFinding(in: reader.database)
        } catch let error as StoreToolError where error.code == .failed {
            return Self.finding(error.underlying ?? error.message)
        } catch let error as DatabaseError {
            switch error.primaryCode {
            case SQLITE_BUSY, SQLITE_LOCKED: throw StoreCondition.locked.error(url)
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_IOERR, SQLITE_FORMAT: return Self.finding(error.message)
            default:
                throw StoreToolError(
                    .failed, "The store \(url.lastPathComponent) cannot be examined.", url: url,
                    underlying: error.description)
            }
        }
    }

    private static func finding(_ cause: String) -> StoreFinding {
        StoreFinding(.structure, "SQLite cannot read the store.", cause: cause, remedy: .mendedWithLoss)
    }

    private func firstFinding(in database: Database) throws -> StoreFinding? {
        let tables = try Self.tables(database)
        for table in tables { try readEnds(of: table, database) }
        let names = Set(tables.map { $0.uppercased() })
        let description = try StoreDescription(database)
        let entityTables = description.columns.filter { $1.contains("Z_PK") && $1.contains("Z_ENT") }
        // An empty database, or a store that was emptied.
        if entityTables.isEmpty { return nil }
        for table in ["Z_METADATA", "Z_PRIMARYKEY"] {
            let isMissing = !names.contains(table)
            if try isMissing || database.integer("SELECT 1 FROM \(table) LIMIT 1") == nil {
                return StoreFinding(
                    table == "Z_METADATA" ? .metadata : .entityNumbers, table: table,
                    "The table \(table) is \(isMissing ? "missing" : "empty").", remedy: .mendedWithLoss)
            }
        }
        if try Self.hasUnreadableMetadata(database) {
            return StoreFinding(
                .metadata, table: "Z_METADATA", "The property list of the metadata cannot be read.",
                remedy: .mendedWithLoss)
        }
        return missingTable(description, names)
    }

    private static func tables(_ database: Database) throws -> [String] {
        let rows = try database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
        var names: [String] = []
        while try rows.step() { if let name = rows.text(0) { names.append(name) } }
        return names
    }

    /// Reads the first and the last row of a table. Statements that SQLite cannot compile, such as those of tables
    /// without row IDs, are no damage.
    private func readEnds(of table: String, _ database: Database) throws {
        let name = table.quotedIdentifier
        for statement in ["LIMIT 1", "ORDER BY rowid DESC LIMIT 1"] {
            do {
                let row = try database.prepare("SELECT * FROM \(name) \(statement)")
                while try row.step() {}
            } catch let error as DatabaseError where [SQLITE_ERROR, SQLITE_AUTH].contains(error.primaryCode) {
                // A table of another program, which may compute its columns.
                continue
            }
        }
    }

    private static func hasUnreadableMetadata(_ database: Database) throws -> Bool {
        let row = try database.prepare("SELECT Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
        guard try row.step(), let bytes = row.data(0) else { return true }
        return PropertyListDictionary.read(bytes) == nil
    }

    /// Returns a finding for an entity's table that is missing. Of a model's entities, those of the store count.
    private func missingTable(_ description: StoreDescription, _ names: Set<String>) -> StoreFinding? {
        let given = model.flatMap { try? description.schema(for: $0) }
        guard let schema = given ?? (try? description.schema()) else { return nil }
        for table in schema.tables where !names.contains(table.name.uppercased()) {
            guard let entity = schema.entity(table.root), description.numbers[entity.name] != nil else { continue }
            return StoreFinding(
                .schema, table: table.name, entity: entity.name, "The table \(table.name) is missing.",
                remedy: .mendedWithLoss)
        }
        return nil
    }
}
