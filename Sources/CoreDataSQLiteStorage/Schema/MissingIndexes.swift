import CoreDataRowStorage

/// The indexes that a model declares and its file lacks. Version hashes do not include indexes, so a model with an additional
/// index opens its stores without a migration.
///
/// An index in the file with the same name is kept, whatever its columns, and so is one that the model no longer declares.
/// Other versions of the framework named indexes differently: an index with the same columns serves as well.
struct MissingIndexes {
    private let indexes: [SQLSchema.Index]

    /// Determines the missing indexes of a file.
    ///
    /// - Parameter required: numbers of the entities that the store is used for.
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

    /// Returns the names of all indexes in upper case.
    private static func names(_ connection: SQLiteConnection) throws -> Set<String> {
        let statement = try connection.prepare("SELECT upper(name) FROM sqlite_master WHERE type = 'index'")
        var names: Set<String> = []
        while try statement.step() { if let name = statement.text(0) { names.insert(name) } }
        return names
    }

    /// Returns the columns of each full index of a table, in the form of ``SQLSchema/Index/columns``, in upper case.
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

    /// Creates all indexes, or none, and writes the model that declares them to the file.
    ///
    /// Takes the time that SQLite needs to read and sort the indexed columns of each table.
    func make(in pool: ConnectionPool, for model: (any StoredModel)?) throws {
        guard !indexes.isEmpty else { return }
        try pool.transaction { connection in
            // Another process may have created them meanwhile.
            for index in indexes { try connection.execute(index.creation(ifMissing: true)) }
            if let model { try ModelCache.write(model, on: connection) }
        }
    }
}
