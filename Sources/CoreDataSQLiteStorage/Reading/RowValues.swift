import CCoreDataSQLite
import Synchronization

/// The values of a statement's current row.
///
/// `sqlite3_column_value` checks locks, errors and the column number at each call, which takes longer than reading most
/// values. The values of a row are an array, with the same stride for every row, so only the first is requested. That is
/// verified at every run of a statement: over all columns of a row until the stride is known, then by the address of the last
/// one.
struct RowValues: ~Copyable {
    let statement: OpaquePointer
    /// The key of the object that all rows belong to, if the rows do not contain it; else 0.
    let owner: Int64
    private let columns: Int32
    private var isMeasured = false
    private var first: OpaquePointer?
    /// The stride found in a row of several columns.
    private static let knownDistance = Atomic(0)
    /// The distance between two values; 0 if it is not known yet.
    private var distance = 0

    init(of statement: OpaquePointer, owner: Int64 = 0) {
        self.statement = statement
        self.owner = owner
        columns = sqlite3_column_count(statement)
    }

    /// Updates the values after the statement has stepped to another row.
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

    /// The values as an array; nil if their stride is not known.
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
