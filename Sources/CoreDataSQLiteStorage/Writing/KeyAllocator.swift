import CoreDataRowStorage
import Foundation

/// Allocates primary keys. Must be called with the writer lock held.
///
/// `Z_PRIMARYKEY` holds the highest key of each hierarchy. It is cached here, and read again only after another connection
/// has written to the file. A store that repeatedly saves a few new objects reserves a block of keys in the table and
/// allocates them without writing to it: every key in use is at or below the number there, so no other connection uses it.
/// The rest of a block is returned when the store is closed.
final class KeyAllocator: @unchecked Sendable {
    private struct Counter {
        /// The highest allocated key.
        var last: Int64
        /// The number in the file: keys up to it are reserved.
        var limit: Int64
        /// ``last`` as of the last commit; nil while ``limit`` itself is not committed.
        var committedLast: Int64?
        /// The number of writes to the table since another connection last wrote to the file.
        var writes = 0
    }

    /// The counters, by the number of the root entity.
    @exclusivity(unchecked) private var counters: ContiguousArray<Counter?>
    /// The roots of the counters that the transaction in progress has changed.
    @exclusivity(unchecked) private var touched: ContiguousArray<Int> = []
    @exclusivity(unchecked) private var seenVersion: UInt32?
    private let numbering: EntityNumbering
    private let tables: [Int: String]
    private let layouts: ModelLayouts

    private static let writesBeforeBlocks = 6
    private static let largestBlock: Int64 = 256

    init(schema: SQLSchema, layouts: ModelLayouts) {
        self.layouts = layouts
        numbering = schema.numbering
        var tables = [Int: String](minimumCapacity: schema.tables.count)
        for table in schema.tables where tables[table.root] == nil { tables[table.root] = table.name }
        self.tables = tables
        counters = ContiguousArray(repeating: nil, count: schema.entities.count + 1)
    }

    /// Discards outdated counters. Call it at the start of a transaction.
    ///
    /// - Returns: true if another connection may have written to the file since the last transaction.
    func begin(_ connection: SQLiteConnection) throws -> Bool {
        let version = try connection.dataVersion()
        let isNew = version != seenVersion
        if isNew { forgetAll() }
        seenVersion = version
        touched.removeAll(keepingCapacity: true)
        return isNew
    }

    /// Records the counters as committed. Call it after the commit of a transaction that changed the file.
    func didCommit(_ connection: SQLiteConnection) {
        // On failure, the counters are read again; the commit stands.
        seenVersion = try? connection.dataVersion()
        for root in touched { counters[root]?.committedLast = counters[root]?.last }
    }

    /// Restores the counters. Call it after a rollback: keys allocated since the last commit are free again.
    func didRollBack() {
        for root in touched {
            if let last = counters[root]?.committedLast {
                counters[root]?.last = last
            } else {
                counters[root] = nil
            }
        }
    }

    /// Allocates `count` keys of the hierarchy with this root entity and returns the first. Call it inside a transaction.
    func allocate(_ count: Int, root: Int, _ connection: SQLiteConnection) throws -> Int64 {
        var counter = try counters[root] ?? readCounter(root, connection)
        let first = counter.last + 1
        guard Int64(count) <= RowReference.largestKey - counter.last else {
            throw outOfKeys(root, counter.last, connection)
        }
        counter.last += Int64(count)
        try store(counter, ahead: blockSize(counter, count), root: root, connection)
        return first
    }

    /// Returns the number of keys to reserve in addition, which grows while only a few are needed at a time.
    private func blockSize(_ counter: Counter, _ count: Int) -> Int64 {
        let steps = counter.writes - Self.writesBeforeBlocks
        guard steps >= 0, count <= 32 else { return 0 }
        return min(Int64(count) << Int64(min(steps, 8)), Self.largestBlock)
    }

    /// Returns the highest allocated key. Call it inside a transaction.
    func highest(root: Int, _ connection: SQLiteConnection) throws -> Int64 {
        if let counter = counters[root] { return counter.last }
        // Cached: if it were read after rows were inserted, the table would seem up to date.
        let counter = try readCounter(root, connection)
        counters[root] = counter
        return counter.last
    }

    /// Records that keys up to `new` are in use. Call it inside a transaction.
    func setHighest(_ new: Int64, root: Int, _ connection: SQLiteConnection) throws {
        var counter = try counters[root] ?? readCounter(root, connection)
        counter.last = new
        try store(counter, ahead: 0, root: root, connection)
    }

    /// Caches a counter, and writes it if its keys are not reserved yet.
    private func store(_ counter: Counter, ahead: Int64, root: Int, _ connection: SQLiteConnection) throws {
        var counter = counter
        if !touched.contains(root) { touched.append(root) }
        if counter.last > counter.limit {
            counter.limit = min(counter.last + ahead, RowReference.largestKey)
            counter.committedLast = nil
            counter.writes += 1
            let statement = try connection.statement(Self.update)
            try statement.bind(counter.limit, at: 1)
            try statement.bind(numbering.inFile[root], at: 2)
            try statement.run()
            if connection.changedRows == 0 { try insertRow(root, counter.limit, connection) }
        }
        counters[root] = counter
    }

    /// Reads the number in `Z_PRIMARYKEY`, or the last row's key if another program has not updated the table.
    private func readCounter(_ root: Int, _ connection: SQLiteConnection) throws -> Counter {
        let statement = try connection.statement(Self.selection)
        try statement.bind(numbering.inFile[root], at: 1)
        var limit: Int64 = 0
        if try statement.step() { limit = statement.integer(0) }
        statement.reset()
        var last = limit
        if let table = tables[root] { last = max(last, try connection.integer("SELECT MAX(Z_PK) FROM \(table)")) }
        guard last >= 0, last <= RowReference.largestKey else { throw outOfKeys(root, last, connection) }
        return Counter(last: last, limit: limit, committedLast: last)
    }

    /// Returns the error for a counter beyond the largest key, which only damage can cause.
    private func outOfKeys(_ root: Int, _ last: Int64, _ connection: SQLiteConnection) -> NSError {
        UnreadableRow.outOfRange(
            last, table: "Z_PRIMARYKEY", column: "Z_MAX", key: nil, path: connection.path,
            entity: tables[root].map { String($0.dropFirst()) })
    }

    // MARK: Closing

    /// Whether reserved keys have not been allocated.
    var holdsUnusedKeys: Bool { counters.contains { $0.map { $0.limit > $0.last } ?? false } }

    /// Returns the rest of blocks, unless another connection has reserved keys beyond them. Call it inside a transaction.
    func returnUnusedKeys(_ connection: SQLiteConnection) throws {
        for (root, counter) in counters.enumerated() {
            guard let counter, counter.limit > counter.last else { continue }
            let statement = try connection.prepare("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?")
            try statement.bind(counter.last, at: 1)
            try statement.bind(numbering.inFile[root], at: 2)
            try statement.bind(counter.limit, at: 3)
            try statement.run()
        }
        forgetAll()
    }

    /// Discards all cached counters.
    func forgetAll() {
        for root in counters.indices { counters[root] = nil }
    }

    private func insertRow(_ root: Int, _ highest: Int64, _ connection: SQLiteConnection) throws {
        let statement = try connection.prepare(
            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)")
        try statement.bind(numbering.inFile[root], at: 1)
        try statement.bind(layouts.byNumber[root]?.name ?? "", at: 2)
        try statement.bind(highest, at: 3)
        try statement.run()
    }

    private static let selection = SQLText("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
    private static let update = SQLText("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
}
