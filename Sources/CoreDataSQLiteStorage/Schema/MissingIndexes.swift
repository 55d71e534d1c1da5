import CoreDataRowStorage

/// The indexes a model declares and its file lacks. Version hashes say nothing of indexes, so a model that gets one more opens
/// its stores without a migration.
///
/// An index that the file has under the same name is left as it is, whatever it is made of, and one that the model no longer
/// declares stays. Frameworks of other years gave indexes other names: one over the same columns serves as well.
struct MissingIndexes {
    private let indexes: [SQLSchema.Index]

    /// - Parameter required: numbers of the entities the store is used for.
    init(
        _ schema: SQLSchema, _ layouts: ModelLayouts, required: Set<Int>, in actual: ActualSchema,
        _ connection: SQLiteConnection
    ) throws {
        let declared = layouts.all.filter { required.contains($0.number) }.flatMap { schema.fetchIndexes(of: $0) }
        guard !declared.isEmpty else {
            indexes = []
            return
        }
        let present = try Self.names(connection)
        indexes = try declared.filter { index in
            guard !present.contains(index.name.uppercased()), actual.hasTable(index.table) else { return false }
            return try !Self.columnLists(of: index.table, connection).contains(index.columns.uppercased())
        }
    }

    /// In upper case.
    private static func names(_ connection: SQLiteConnection) throws -> Set<String> {
        let statement = try connection.prepare("SELECT upper(name) FROM sqlite_master WHERE type = 'index'")
        var names: Set<String> = []
        while try statement.step() { if let name = statement.text(0) { names.insert(name) } }
        return names
    }

    /// What the indexes over all rows of a table are made of, as ``SQLSchema/Index/columns`` words it, in upper case.
    private static func columnLists(of table: String, _ connection: SQLiteConnection) throws -> Set<String> {
        let statement = try connection.prepare(
            """
            SELECT i.seq, upper(coalesce(c.name, 'Z_PK')) || ' COLLATE ' || upper(c.coll) || iif(c.desc, ' DESC', ' ASC')
            FROM pragma_index_list(?) i, pragma_index_xinfo(i.name) c WHERE c.key AND NOT i.partial ORDER BY i.seq, c.seqno
            """)
        try statement.bind(table, at: 1)
        var lists: [Int64: [String]] = [:]
        while try statement.step() { lists[statement.integer(0), default: []].append(statement.text(1) ?? "") }
        return Set(lists.values.map { $0.joined(separator: ", ") })
    }

    /// Makes them all, or none, and keeps the model that asks for them in the file.
    ///
    /// Takes as long as SQLite needs to read and sort the indexed columns of each table.
    func make(in pool: ConnectionPool, for model: (any StoredModel)?) throws {
        guard !indexes.isEmpty else { return }
        try pool.transaction { connection in
            // Another process may have been faster.
            for index in indexes { try connection.execute(index.creation(ifMissing: true)) }
            if let model { try ModelCache.write(model, on: connection) }
        }
    }
}
