import CSQLite

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

    /// Whether at least half the table is likely to be wanted, by some of the owners and the largest key there is.
    func pays(for keys: ContiguousArray<Int64>, on connection: SQLiteConnection) throws -> Bool {
        guard keys.count >= Self.samples * 2 else { return false }
        let statement = try connection.statement(sample)
        var sampled = 0
        for number in 0..<Self.samples {
            statement.bind(keys[keys.count / Self.samples * number], at: 1)
            defer { statement.reset() }
            if try statement.step() { sampled += Int(statement.integer(0)) }
        }
        let wanted = sampled * keys.count / Self.samples
        guard wanted >= Self.fewestRows else { return false }
        return try largestKey(on: connection) <= wanted * 2
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

/// Where keys stand in an array, for keys that lie close together.
struct KeyPositions {
    private let first: Int64
    /// The position plus one; 0 where there is no key.
    private var table: ContiguousArray<UInt32>

    /// nil when the keys lie too far apart.
    init?(_ keys: ContiguousArray<Int64>) {
        guard let least = keys.min(), let largest = keys.max(), keys.count < UInt32.max,
            least >= 0, largest - least < Int64(keys.count) * 8 + 1024
        else { return nil }
        first = least
        table = ContiguousArray(repeating: 0, count: Int(largest - least) + 1)
        for (position, key) in keys.enumerated() { table[Int(key - least)] = UInt32(position) + 1 }
    }

    @inline(__always)
    func position(of key: Int64) -> UInt32? {
        let (offset, isOut) = key.subtractingReportingOverflow(first)
        guard !isOut, offset >= 0, offset < table.count else { return nil }
        let entry = table[Int(offset)]
        return entry == 0 ? nil : entry - 1
    }
}
