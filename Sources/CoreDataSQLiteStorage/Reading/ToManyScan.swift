import CCoreDataSQLite

/// Reading to-many relationships by going through the table once.
///
/// Finding rows by their owner takes two searches each, one in the index and one in the table. Where most rows of a table are
/// wanted anyway, reading the table from one end to the other is much faster, and telling the owners apart costs little.
struct ToManyScan: Sendable {
    let rows: SQLText
    private let largest: SQLText
    private let leastOwner: SQLText
    private let largestOwner: SQLText
    /// How many rows an owner has, up to ``sampleLimit``.
    let sample: SQLText

    private static let sampleLimit = 1_000
    private static let samples = 8
    /// Fewer rows are found by their owners fast enough.
    private static let fewestRows = 2_000

    /// - Parameters:
    ///   - list: the columns to select from the table as `t0`.
    ///   - column: where a row has its owner's key.
    init(list: String, table: String, column: String) {
        rows = SQLText("SELECT \(list) FROM \(table) t0")
        largest = SQLText("SELECT max(Z_PK) FROM \(table)")
        leastOwner = SQLText("SELECT min(\(column)) FROM \(table) WHERE \(column) > 0")
        largestOwner = SQLText("SELECT max(\(column)) FROM \(table)")
        sample = SQLText(
            "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(column) = ?1 LIMIT \(Self.sampleLimit))")
    }

    /// How many rows an owner has, about, where at least half the table is likely to be wanted, by some of the owners and the
    /// largest key there is; else nil.
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
        // Where the owners looked at have more than others, there are not as many rows as that would make.
        return largest <= wanted * 2 ? min(sampled / Self.samples, largest / keys.count + 1) : nil
    }

    /// The largest key there is: at least as many as there are rows.
    func largestKey(on connection: SQLiteConnection) throws -> Int {
        Int(try number(largest, on: connection))
    }

    /// The least and the greatest owner's key; nil if no row has an owner.
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
