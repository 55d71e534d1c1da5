import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataRuntimeSupport

extension AggregateFunction {
    /// Returns true if the function over values of that kind is computed here. Columns of other kinds mostly mix integers and
    /// fractions.
    func isStreamed(over kind: CellKind?) -> Bool {
        switch (self, kind) {
        case (.rows, _), (.count, _): true
        case (_, .int16), (_, .int32), (_, .int64), (_, .boolean), (_, .double), (_, .float): true
        default: false
        }
    }
}

/// The state of one SQL aggregate over the rows of a group, computed as SQLite does.
struct GroupAggregate {
    /// The algorithm by which SQLite adds floating-point numbers.
    enum Addition {
        /// Plain summation, up to SQLite 3.42.
        case plain
        /// Compensated summation, since SQLite 3.43.
        case compensated

        private static let found = Locked<Addition??>(nil)

        /// Returns the algorithm of the SQLite library in use, determined once; nil if it is neither.
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
    /// The compensation for rounding errors in ``real``.
    private var lost = 0.0
    private var isReal = false

    /// Larger integers are rounded when they are converted to floating point.
    private static let largestExact: UInt64 = 1 << 53

    /// Adds a row's value. Returns false if the result might differ from SQLite's: for values that are not numbers, integers
    /// among fractions, and numbers that are too large.
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

    /// Binds the result to a statement.
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
