import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataRuntimeSupport

extension AggregateFunction {
    /// Whether it is worked out here for values of that kind. Of the others, columns mostly hold whole numbers and
    /// fractions side by side.
    func isStreamed(over kind: CellKind?) -> Bool {
        switch (self, kind) {
        case (.rows, _), (.count, _): true
        case (_, .int16), (_, .int32), (_, .int64), (_, .boolean), (_, .double), (_, .float): true
        default: false
        }
    }
}

/// What a group's rows amount to, row after row: one of SQL's aggregates, as SQLite works it out.
struct GroupAggregate {
    /// How SQLite adds fractions up.
    enum Addition {
        /// One by one, up to version 3.42.
        case plain
        /// One by one, with what rounding has lost added at the end, since then.
        case compensated

        private static let found = Locked<Addition??>(nil)

        /// What the SQLite at hand does; nil if that is neither.
        static func ofSQLite(_ connection: SQLiteConnection) throws -> Addition? {
            if let found = found.withLock({ $0 }) { return found }
            let answer = try Addition(connection)
            found.withLock { $0 = .some(answer) }
            return answer
        }

        private init?(_ connection: SQLiteConnection) throws {
            let values = [1e16, 1, -1e16, 0.1]
            let statement = try connection.prepare(
                "SELECT SUM(column1) FROM (VALUES \(values.map { "(\($0))" }.joined(separator: ", ")))")
            defer { statement.reset() }
            guard try statement.step() else { return nil }
            let sum = statement.double(0)
            for way in [Addition.plain, .compensated] {
                var total = GroupAggregate()
                for value in values { total.add(value, way) }
                if total.real + total.lost == sum {
                    self = way
                    return
                }
            }
            return nil
        }
    }

    private var count: Int64 = 0
    private var integer: Int64 = 0
    private var real = 0.0
    /// What rounding has taken from ``real``.
    private var lost = 0.0
    private var isReal = false

    /// Whole numbers beyond are rounded when they become fractions.
    private static let largestExact: UInt64 = 1 << 53

    /// Adds a row's value. False when the result might not be SQLite's: with values of other types than numbers, whole numbers
    /// among fractions, and numbers too large.
    @inline(__always)
    mutating func add(_ statement: OpaquePointer, _ column: Int32, _ function: AggregateFunction, _ way: Addition)
        -> Bool
    {
        if case .rows = function {
            count += 1
            return true
        }
        let type = sqlite3_column_type(statement, column)
        if type == SQLITE_NULL { return true }
        defer { count += 1 }
        if case .count = function { return true }
        if type == SQLITE_INTEGER { return !isReal && add(sqlite3_column_int64(statement, column), function) }
        guard type == SQLITE_FLOAT, isReal || count == 0 else { return false }
        isReal = true
        let value = sqlite3_column_double(statement, column)
        guard value.isFinite else { return false }
        switch function {
        case .min: if count == 0 || value < real { real = value }
        case .max: if count == 0 || value > real { real = value }
        default:
            add(value, way)
            return real.isFinite
        }
        return true
    }

    private mutating func add(_ value: Int64, _ function: AggregateFunction) -> Bool {
        switch function {
        case .min: if count == 0 || value < integer { integer = value }
        case .max: if count == 0 || value > integer { integer = value }
        case .sum:
            let (sum, overflows) = integer.addingReportingOverflow(value)
            guard !overflows else { return false }
            integer = sum
        case .rows, .count, .average:
            let (sum, overflows) = integer.addingReportingOverflow(value)
            guard !overflows, max(value.magnitude, sum.magnitude) <= Self.largestExact else { return false }
            integer = sum
        }
        return true
    }

    @inline(__always)
    private mutating func add(_ value: Double, _ way: Addition) {
        let sum = real + value
        if way == .compensated {
            lost += abs(real) > abs(value) ? (real - sum) + value : (value - sum) + real
        }
        real = sum
    }

    /// Gives the result to a statement.
    func bind(_ function: AggregateFunction, to statement: SQLiteStatement, at index: Int32) throws {
        switch function {
        case .rows, .count: try statement.bind(count, at: index)
        case .sum where count == 0: try statement.bind(0, at: index)
        case _ where count == 0: try statement.bindNull(at: index)
        case .average: try statement.bind((isReal ? real + lost : Double(integer)) / Double(count), at: index)
        case _ where !isReal: try statement.bind(integer, at: index)
        case .sum: try statement.bind(real + lost, at: index)
        case .min, .max: try statement.bind(real, at: index)
        }
    }
}
