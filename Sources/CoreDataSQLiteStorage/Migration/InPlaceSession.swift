import CoreDataRowStorage
import Foundation
import ModelFormat

/// The state of an in-place migration while its transaction runs: both models and their schemas in the file.
final class InPlaceSession {
    let models: LayoutCorrespondence
    let connection: SQLiteConnection
    let path: String
    var old: ModelLayouts { models.source }
    var new: ModelLayouts { models.destination }
    let oldSchema: SQLSchema
    let newSchema: SQLSchema
    let actual: ActualSchema
    /// The current names of the source's tables by their original names.
    private(set) var renamed: [String: String] = [:]
    private var foreignTriggers: ForeignTriggers?

    init(_ models: LayoutCorrespondence, _ connection: SQLiteConnection, path: String) throws {
        self.models = models
        self.connection = connection
        self.path = path
        let (old, new) = (models.source, models.destination)
        let actual = try ActualSchema(connection)
        self.actual = actual
        // A store of one configuration may lack the tables of the others.
        let present = Set(
            old.all.filter { actual.hasTable("Z" + $0.root.name.uppercased()) }.map(\.number))
        var schema = try SQLSchema(
            old, numbering: StoreFile.numbering(of: old, required: present, connection))
        try schema.adapt(to: actual, layouts: old, required: present, path: path)
        oldSchema = schema
        newSchema = try SQLSchema(new, numbering: EntityNumbering(new))
    }

    /// Checks that the file still has the source's model: another process may have migrated it while this one waited.
    ///
    /// - Parameter accepts: returns true if a store's metadata matches the source's model.
    static func checkSource(
        _ accepts: ([String: Any]) -> Bool, _ connection: SQLiteConnection, path: String
    ) throws {
        guard !accepts(try SQLiteMetadata.read(connection).values) else { return }
        throw SQLiteFailure.storeError(
            NSMigrationManagerSourceStoreError, path: path, description: "The store could not be migrated.",
            reason: "It is not of the model the migration starts from; another process may have migrated it.",
            advice: "Add the store again.")
    }

    // MARK: Families

    func family(of layout: EntityLayout) -> [EntityLayout] {
        layout.familyNumbers.compactMap { new.byNumber[$0] }
    }

    func oldFamily(of layout: EntityLayout) -> [EntityLayout] {
        layout.familyNumbers.compactMap { old.byNumber[$0] }
    }

    /// Returns the number of a source entity in the file.
    func fileNumber(_ layout: EntityLayout) -> Int { oldSchema.numbering.inFile[layout.number] }

    /// Returns the table of a source entity in the file; nil if there is none.
    func oldTable(of layout: EntityLayout) -> String? {
        oldSchema.entities[layout.number].map(\.table).flatMap { actual.hasTable($0) ? $0 : nil }
    }

    // MARK: Migrating

    /// Rewrites the file's tables. External files that no row refers to any more are deleted when the store is opened.
    func migrate(_ monitor: (any MigrationMonitor)?) throws {
        try SourceCheck(models)?.run(self)
        let tables = newSchema.tables.map { TableMigration($0, self) }
        let joins = newSchema.joins.map { JoinMigration($0, self) }
        if actual.hasViewsOfOthers { try connection.enableViews() }
        foreignTriggers = try ForeignTriggers(droppingAllOn: connection, path: path)
        let kept = Set(tables.filter(\.staysInPlace).map(\.table.name) + joins.filter(\.staysInPlace).map(\.join.name))
        let indexes = IndexMigration(self)
        let foreignIndexes = try indexes.foreignIndexes(except: kept)
        try setAside(except: kept)
        let links = LinkTransfers(self, tables)
        var done = 0
        func progress() throws {
            done += 1
            monitor?.setProgress(Float(done) / Float(tables.count * 2 + joins.count + 2) * 0.95)
            try monitor?.checkCancellation()
        }
        for table in tables {
            try table.copyRows()
            try progress()
        }
        for join in joins {
            try join.copyRows()
            try progress()
        }
        try links.run()
        try progress()
        for table in tables where table.staysInPlace { try table.renumber() }
        try links.settle(joins)
        try dropSetAside()
        for table in tables {
            try indexes.run(on: table.table.name)
            try progress()
        }
        for join in joins { try indexes.run(on: join.join.name) }
        try foreignIndexes.restore()
        try DerivedTriggers(newSchema, new).recompute(connection)
        try HistoryMigration(self).run()
        try renumberEntities()
    }

    /// Renames the source's tables that will be replaced, so that the new ones can have their names.
    private func setAside(except kept: Set<String>) throws {
        let names = oldSchema.tables.map(\.name) + oldSchema.joins.map(\.name)
        for (index, name) in names.enumerated() where !kept.contains(name) && actual.hasTable(name) {
            let aside = "CDMIGRATION_\(index)"
            try connection.execute("ALTER TABLE \(name) RENAME TO \(aside)")
            renamed[name] = aside
        }
    }

    /// Returns the name of a source table while the migration runs.
    func current(_ table: String) -> String { renamed[table] ?? table }

    private func dropSetAside() throws {
        for name in renamed.values.sorted() { try connection.execute("DROP TABLE \(name)") }
    }

    // MARK: Bookkeeping

    private func renumberEntities() throws {
        var highest: [Int: Int64] = [:]
        for layout in new.all {
            guard let source = models.origin(of: layout) else { continue }
            let numbers = oldFamily(of: source.root).map { String(fileNumber($0)) }.joined(separator: ", ")
            let value = try connection.integer("SELECT MAX(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT IN (\(numbers))")
            highest[layout.root.number] = max(highest[layout.root.number] ?? 0, value)
        }
        try connection.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
        let statement = try connection.prepare(
            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)")
        for layout in new.all {
            try statement.bind(layout.number, at: 1)
            try statement.bind(layout.name, at: 2)
            try statement.bind(layout.superlayout?.number ?? 0, at: 3)
            try statement.bind(layout.isRoot ? highest[layout.number] ?? 0 : 0, at: 4)
            try statement.run()
        }
    }

    /// Creates the triggers again, after the last write that could fire them.
    private func createTriggers() throws {
        try foreignTriggers?.restore()
        for trigger in try DerivedTriggers(newSchema, new).all() where trigger.isPersistent {
            try connection.execute(trigger.creation)
        }
    }

    /// Writes the destination's model to the metadata, and creates its triggers.
    func describe(as model: any StoredModel, _ direction: MigrationDirection) throws {
        let old = try SQLiteMetadata.read(connection).values
        var metadata = old
        metadata.merge(model.versionMetadata) { _, described in described }
        FormerVersions.note(migrationFrom: old, in: &metadata, direction)
        try SQLiteMetadata.write(metadata, on: connection)
        if !actual.hasTable("Z_MODELCACHE") { try connection.execute(SQLSchema.modelCacheTable) }
        try connection.execute("DELETE FROM Z_MODELCACHE")
        try ModelCache.write(model, on: connection)
        try createTriggers()
        // Other connections detect the migration by this number, even if it has changed no table.
        try connection.execute("PRAGMA schema_version = \((connection.schemaVersion() + 1) & 0x7FFF_FFFF)")
    }
}

extension SQLiteConnection {
    /// Runs one statement with values bound to its numbered parameters.
    func run(_ sql: String, _ values: [SQLValue]) throws {
        let statement = try prepare(sql)
        for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
        try statement.run()
    }
}
