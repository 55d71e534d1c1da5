import CoreDataSQLiteStorage
import CoreDataRowStorage
import Foundation
import ModelFormat

/// What an in-place migration knows while its transaction runs: both models as they lie in the file.
final class InPlaceSession {
    let comparison: ModelComparison
    let connection: SQLiteConnection
    let path: String
    let old: ModelLayouts
    let new: ModelLayouts
    let oldSchema: SQLSchema
    let newSchema: SQLSchema
    let actual: ActualSchema
    /// What the tables of the source are called now, by the names they had.
    private(set) var renamed: [String: String] = [:]
    private var foreignTriggers: ForeignTriggers?

    init(_ comparison: ModelComparison, _ connection: SQLiteConnection, path: String) throws {
        self.comparison = comparison
        self.connection = connection
        self.path = path
        old = comparison.source.layouts
        new = comparison.destination.layouts
        let actual = try ActualSchema(connection)
        self.actual = actual
        // A store of one configuration may lack the tables of the others.
        let present = Set(
            comparison.source.layouts.all.filter { actual.hasTable("Z" + $0.root.name.uppercased()) }.map(\.number))
        var schema = SQLSchema(
            old, numbering: try StoreFile.numbering(of: old, required: present, connection))
        try schema.adapt(to: actual, layouts: old, required: present, path: path)
        oldSchema = schema
        newSchema = SQLSchema(new, numbering: EntityNumbering(new))
    }

    /// Another process may have migrated the file while this one waited.
    static func checkSource(_ model: NSManagedObjectModel, _ connection: SQLiteConnection, path: String) throws {
        let metadata = try SQLiteMetadata.read(connection).values
        guard
            model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
                || model.configurations.contains(where: {
                    model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
                })
        else {
            throw SQLiteFailure.storeError(
                NSMigrationManagerSourceStoreError, path: path, description: "The store could not be migrated.",
                reason: "It is not of the model the migration starts from; another process may have migrated it.",
                advice: "Add the store again.")
        }
    }

    // MARK: Correspondences

    func origin(of layout: EntityLayout) -> EntityLayout? {
        comparison.sourceEntity(of: layout.entity)?.name.flatMap { old.byName[$0] }
    }

    func successor(of layout: EntityLayout) -> EntityLayout? {
        comparison.destinationEntity(of: layout.entity)?.name.flatMap { new.byName[$0] }
    }

    func family(of layout: EntityLayout) -> [EntityLayout] {
        layout.familyNumbers.sorted().compactMap { new.byNumber[$0] }
    }

    func oldFamily(of layout: EntityLayout) -> [EntityLayout] {
        layout.familyNumbers.sorted().compactMap { old.byNumber[$0] }
    }

    /// The number the file gives an entity of the source.
    func fileNumber(_ layout: EntityLayout) -> Int { oldSchema.numbering.inFile[layout.number] }

    /// The cell of the source whose values a cell takes over, for rows of one entity.
    func origin(of cell: EntityLayout.Cell, in layout: EntityLayout, from source: EntityLayout) -> EntityLayout.Cell? {
        if let relationship = cell.relationship {
            guard let found = comparison.sourceRelationship(of: relationship, in: layout.entity), !found.isToMany else {
                return nil
            }
            return source.cell(named: found.name)
        }
        guard let attribute = cell.composite ?? cell.attribute,
            let found = comparison.sourceAttribute(of: attribute, in: layout.entity)
        else { return nil }
        guard let composite = cell.composite else { return source.cell(named: found.name) }
        guard let sourceComposite = found as? NSCompositeAttributeDescription,
            let path = Self.elementPath(cell.elementPath, of: composite, in: sourceComposite)
        else { return nil }
        return source.cells.first { $0.composite === sourceComposite && $0.elementPath == path }
    }

    private static func elementPath(
        _ path: [String], of new: NSCompositeAttributeDescription, in old: NSCompositeAttributeDescription
    ) -> [String]? {
        guard let first = path.first else { return [] }
        let pairs = Matching(source: old.elements.map(\.matched), destination: new.elements.map(\.matched)).pairs
        guard let name = pairs[first] else { return nil }
        let element = new.elements.first { $0.name == first } as? NSCompositeAttributeDescription
        let origin = old.elements.first { $0.name == name } as? NSCompositeAttributeDescription
        guard let element, let origin else { return path.count == 1 ? [name] : nil }
        return elementPath(Array(path.dropFirst()), of: element, in: origin).map { [name] + $0 }
    }

    /// The table the file has for an entity of the source; nil where it has none.
    func oldTable(of layout: EntityLayout) -> String? {
        oldSchema.entities[layout.number].map(\.table).flatMap { actual.hasTable($0) ? $0 : nil }
    }

    // MARK: Migrating

    /// Rewrites the file's tables. Files of external values that no row names any more are deleted when the store is opened.
    func migrate(_ manager: NSMigrationManager?) throws {
        try SourceCheck(comparison)?.run(self)
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
            manager?.setProgress(Float(done) / Float(tables.count * 2 + joins.count + 2) * 0.95)
            try manager?.checkCancellation()
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

    static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    /// Renames the source's tables that will not stay, so that new ones can have their names.
    private func setAside(except kept: Set<String>) throws {
        let names = oldSchema.tables.map(\.name) + oldSchema.joins.map(\.name)
        for (index, name) in names.enumerated() where !kept.contains(name) && actual.hasTable(name) {
            let aside = "CDMIGRATION_\(index)"
            try connection.execute("ALTER TABLE \(name) RENAME TO \(aside)")
            renamed[name] = aside
        }
    }

    /// What a table of the source is called while the migration runs.
    func current(_ table: String) -> String { renamed[table] ?? table }

    private func dropSetAside() throws {
        for name in renamed.values.sorted() { try connection.execute("DROP TABLE \(name)") }
    }

    // MARK: Bookkeeping

    private func renumberEntities() throws {
        var highest: [Int: Int64] = [:]
        for layout in new.all {
            guard let source = origin(of: layout) else { continue }
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

    /// Creates the triggers again once nothing is left to write that could fire them.
    private func createTriggers() throws {
        try foreignTriggers?.restore()
        for trigger in try DerivedTriggers(newSchema, new).all() where trigger.isPersistent {
            try connection.execute(trigger.creation)
        }
    }

    /// Writes down which model the file is of now, and creates its triggers.
    func describe() throws {
        var metadata = try SQLiteMetadata.read(connection).values
        metadata.merge(comparison.destination.versionMetadata) { _, described in described }
        try SQLiteMetadata.write(metadata, on: connection)
        if !actual.hasTable("Z_MODELCACHE") { try connection.execute(SQLSchema.modelCacheTable) }
        try connection.execute("DELETE FROM Z_MODELCACHE")
        try ModelCache.write(comparison.destination, on: connection)
        try createTriggers()
        // By this number others notice the migration, also one that has changed no table.
        try connection.execute("PRAGMA schema_version = \((connection.schemaVersion() + 1) & 0x7FFF_FFFF)")
    }
}

extension SQLiteConnection {
    /// Runs one statement with values for its numbered parameters.
    func run(_ sql: String, _ values: [SQLValue]) throws {
        let statement = try prepare(sql)
        for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
        try statement.run()
    }
}
