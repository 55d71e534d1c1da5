import CCoreDataSQLite
import Synchronization

/// The values of the row a statement stands at.
///
/// Asking a statement for a column's value looks for locks, errors and the column each time, which takes longer than reading
/// most values. The values of a row lie side by side, at the same distance whatever row it is; so only the first is asked
/// for. That they do is checked with every run of a statement: over all columns of a row until the distance is known, then
/// by where the last one lies.
struct RowValues: ~Copyable {
    let statement: OpaquePointer
    /// The key of the object that all rows belong to, where rows do not tell it; else 0.
    let owner: Int64
    private let columns: Int32
    private var isMeasured = false
    private var first: OpaquePointer?
    /// What was found in a row of several columns.
    private static let knownDistance = Atomic(0)
    /// From one value to the next; 0 while that is not known.
    private var distance = 0

    init(of statement: OpaquePointer, owner: Int64 = 0) {
        self.statement = statement
        self.owner = owner
        columns = sqlite3_column_count(statement)
    }

    /// The statement has moved to another row.
    @inline(__always)
    mutating func advance() {
        first = sqlite3_column_value(statement, 0)
        if !isMeasured { measure() }
    }

    @inline(__always)
    func value(_ column: Int32) -> OpaquePointer? {
        guard distance != 0 else { return sqlite3_column_value(statement, column) }
        return OpaquePointer(bitPattern: Int(bitPattern: first) &+ Int(column) &* distance)
    }

    /// The values, where it is known how they lie.
    @inline(__always)
    var sideBySide: SideBySide? { distance != 0 ? SideBySide(first: Int(bitPattern: first), distance: distance) : nil }

    struct SideBySide {
        let first: Int
        let distance: Int

        @inline(__always)
        subscript(column: Int32) -> OpaquePointer? { OpaquePointer(bitPattern: first &+ Int(column) &* distance) }
    }

    @inline(__always)
    func integer(_ column: Int32) -> Int64 {
        distance != 0 ? sqlite3_value_int64(value(column)) : sqlite3_column_int64(statement, column)
    }

    @inline(never)
    private mutating func measure() {
        func place(_ column: Int32) -> Int { Int(bitPattern: sqlite3_column_value(statement, column)) }
        isMeasured = true
        guard columns > 1 else { return }
        let start = Int(bitPattern: first)
        let known = Self.knownDistance.load(ordering: .relaxed)
        if known != 0, place(columns - 1) == start + Int(columns - 1) * known {
            distance = known
            return
        }
        let step = place(1) - start
        for column in 2..<max(columns, 2) where place(column) != start + Int(column) * step { return }
        distance = step
        if columns > 2 { Self.knownDistance.store(step, ordering: .relaxed) }
    }
}
