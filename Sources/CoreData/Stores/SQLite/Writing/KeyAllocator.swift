/// Hands out primary keys. Used by whoever holds the writing connection.
///
/// The highest key of each hierarchy is in `Z_PRIMARYKEY`; it is remembered here, and read again only when somebody
/// else has written to the file meanwhile.
final class KeyAllocator: @unchecked Sendable {
    private var highest: [Int: Int64] = [:]
    private var seenVersion: UInt32?
    private let numbering: EntityNumbering
    private let tables: [Int: String]

    init(schema: SQLSchema) {
        numbering = schema.numbering
        tables = Dictionary(schema.tables.map { ($0.root, $0.name) }) { first, _ in first }
    }

    /// To be called at the start of a transaction: forgets what is out of date.
    func begin(_ connection: SQLiteConnection) {
        let version = connection.dataVersion
        if version != seenVersion { highest.removeAll(keepingCapacity: true) }
        seenVersion = version
    }

    /// To be called after the commit of a transaction that changed the file.
    func didCommit(_ connection: SQLiteConnection) { seenVersion = connection.dataVersion }

    /// To be called after a rollback: keys handed out since are free again.
    func didRollBack() { seenVersion = nil }

    /// The first of `count` new keys of the hierarchy with this root entity. Inside a transaction.
    func allocate(_ count: Int, root: Int, _ connection: SQLiteConnection) throws -> Int64 {
        let last = try highest(root: root, connection)
        try setHighest(last + Int64(count), root: root, connection)
        return last + 1
    }

    /// The highest key handed out so far. Inside a transaction.
    func highest(root: Int, _ connection: SQLiteConnection) throws -> Int64 {
        try highest[root] ?? readHighest(root, connection)
    }

    /// Notes that keys up to `new` are in use. Inside a transaction.
    func setHighest(_ new: Int64, root: Int, _ connection: SQLiteConnection) throws {
        let statement = try connection.statement(Self.update)
        statement.bind(new, at: 1)
        statement.bind(numbering.inFile[root], at: 2)
        try statement.run()
        if connection.changedRows == 0 { try insertRow(root, new, connection) }
        highest[root] = new
    }

    /// The number in `Z_PRIMARYKEY`, or that of the last row should another program have forgotten to raise it.
    private func readHighest(_ root: Int, _ connection: SQLiteConnection) throws -> Int64 {
        let statement = try connection.statement(Self.selection)
        statement.bind(numbering.inFile[root], at: 1)
        var highest: Int64 = 0
        if try statement.step() { highest = statement.integer(0) }
        statement.reset()
        if let table = tables[root] {
            highest = max(highest, try connection.integer("SELECT MAX(Z_PK) FROM \(table)"))
        }
        return highest
    }

    private func insertRow(_ root: Int, _ highest: Int64, _ connection: SQLiteConnection) throws {
        let statement = try connection.prepare(
            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)")
        statement.bind(numbering.inFile[root], at: 1)
        statement.bind(tables[root].map { String($0.dropFirst()) } ?? "", at: 2)
        statement.bind(highest, at: 3)
        try statement.run()
    }

    private static let selection = SQLText("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
    private static let update = SQLText("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
}

/// The permanent keys and entities behind the temporary keys of one save.
struct KeyAssignment {
    private(set) var keys: SavedKeys

    init(_ inserts: [StoreChanges.Group]) {
        var lowest: Int64 = 0
        var highest = Int64.min
        var count = 0
        for group in inserts {
            for row in group.rows where row.key < 0 {
                lowest = min(lowest, row.key)
                highest = max(highest, row.key)
                count += 1
            }
        }
        keys = count > 0 ? SavedKeys(expecting: lowest...highest, count: count) : SavedKeys()
    }

    mutating func assign(_ key: Int64, to temporary: Int64) { keys[temporary] = key }

    /// The permanent key a reference stands for; nil for an unsaved row that is not part of this save.
    @inline(__always)
    func key(of reference: RowReference) -> Int64? {
        reference.isTemporary ? keys[reference.key] : reference.key
    }
}
