import CCoreDataSQLite

/// A scan of a whole table that reads a to-many relationship of many objects.
///
/// Finding rows by their owner takes two b-tree searches each, in the index and in the table. If most rows of a table are
/// needed anyway, scanning the table is much faster, and grouping the rows by owner is cheap.
struct ToManyScan: Sendable {
    let rows: SQLText
    private let largest: SQLText
    private let leastOwner: SQLText
    private let largestOwner: SQLText
    /// Counts the rows of an owner, up to ``sampleLimit``.
    let sample: SQLText

    private static let sampleLimit = 1_000
    private static let samples = 8
    /// The number of rows below which finding them by owner is fast enough.
    private static let fewestRows = 2_000

    /// Creates the statements.
    ///
    /// - Parameters:
    ///   - list: the columns to select from the table as `t0`.
    ///   - column: the column that holds the owner's key.
    init(list: String, table: String, column: String) {
        rows = SQLText("SELECT \(list) FROM \(table) t0")
        largest = SQLText("SELECT max(Z_PK) FROM \(table)")
        leastOwner = SQLText("SELECT min(\(column)) FROM \(table) WHERE \(column) > 0")
        largestOwner = SQLText("SELECT max(\(column)) FROM \(table)")
        sample = SQLText(
            "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(column) = ?1 LIMIT \(Self.sampleLimit))")
    }

    /// Returns the estimated number of rows of an owner if a scan pays, that is, if probably at least half the table is
    /// needed; else nil. Estimated from a sample of the owners and the largest key.
    func rowsOfOwner(paysFor keys: ContiguousArray<Int64>, on connection: SQLiteConnection) throws -> Int? {
        guard keys.count >= Self.samples * 2 else { return nil }
        let statement = try connection.statement(sample)
        var sampled = 0
        for number in 0..<Self.samples {
            try statement.bind(keys[keys.count / Self.samples * number], at: 1)
            defer { statement.reset() }
            if try statement.step() { sampled += Int(statement.integer(0)) }
        }
        let wanted = sampled * keys.count / Self.samples
        guard wanted >= Self.fewestRows else { return nil }
        let largest = try largestKey(on: connection)
        // If the sampled owners have more rows than others, the estimate exceeds the table.
        return largest <= wanted * 2 ? min(sampled / Self.samples, largest / keys.count + 1) : nil
    }

    /// Returns the largest key, an upper bound of the number of rows.
    func largestKey(on connection: SQLiteConnection) throws -> Int {
        Int(try number(largest, on: connection))
    }

    /// Returns the smallest and the largest owner's key; nil if no row has an owner.
    func owners(on connection: SQLiteConnection) throws -> ClosedRange<Int64>? {
        let (least, greatest) = (try number(leastOwner, on: connection), try number(largestOwner, on: connection))
        return least > 0 && least <= greatest ? least...greatest : nil
    }

    private func number(_ sql: SQLText, on connection: SQLiteConnection) throws -> Int64 {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}
