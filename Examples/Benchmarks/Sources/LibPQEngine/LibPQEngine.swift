#if PostgreSQL
import Foundation
import Workloads

/// libpq's C functions in the best way for each workload: the baseline of the engine `postgresql`, in the same tables.
public class LibPQEngine: StoreEngine {
    /// The name on the command line and in the table.
    public class var name: String { "libpq" }
    /// The kind of store that the engine opens.
    public class var storeKind: StoreKind { .postgreSQL }
    /// The columns of the workloads that read three of them.
    class var three: Selection { .narrow }

    let url: URL
    let connection: ServerConnection
    /// Keys from blocks of the sequence that are not in use.
    private var keys: [ClosedRange<Int64>] = []

    /// Opens a connection. The server's settings decide about durability.
    public required init(storeAt url: URL, synchronous: Synchronous) throws {
        self.url = url
        connection = try ServerConnection(url)
    }

    /// Does nothing: the connection is closed with the engine.
    public func close() {}

    /// Returns true if the engine runs a workload.
    public static func runs(_ workload: Workload) -> Bool {
        switch workload {
        case .insert, .insertInBatches, .insertEach, .fetchThree, .fetchTwelve, .fetchIdentifiers, .count,
            .findTogether, .findEach, .findInOneState, .update, .delete, .deleteNullifying, .toMany,
            .toManyPrefetched, .importJSON, .group, .readWhileWriting, .openCold:
            true
        default: false
        }
    }

    /// Returns keys for new users, by one query for the blocks that are missing.
    func takeKeys(_ count: Int) throws -> [Int64] {
        let missing = count - keys.reduce(0) { $0 + $1.count }
        if missing > 0 {
            try connection.prepare("keys", SQL.blocks)
            let blocks = try connection.run("keys", Int64((missing + SQL.keysInBlock - 1) / SQL.keysInBlock))
            for row in 0..<blocks.count {
                let first = blocks.int64(row, 0)
                keys.append(first...first + Int64(SQL.keysInBlock) - 1)
            }
        }
        var taken: [Int64] = []
        taken.reserveCapacity(count)
        while taken.count < count {
            let run = keys.removeFirst()
            let last = run.lowerBound + Int64(min(count - taken.count, run.count)) - 1
            taken += run.lowerBound...last
            if last < run.upperBound { keys.insert(last + 1...run.upperBound, at: 0) }
        }
        return taken
    }
}

/// The same with whole rows where three columns are read, as for objects.
public final class LibPQRowsEngine: LibPQEngine {
    /// The name on the command line and in the table.
    override public class var name: String { "libpq-rows" }
    override class var three: Selection { .whole }
}

/// A list of columns with the places of those that are read.
struct Selection {
    var sql: String
    var name: Int32
    var balance: Int32

    static let narrow = Selection(sql: SQL.narrow, name: 1, balance: 2)
    static let whole = Selection(sql: SQL.wide, name: 1, balance: 4)
}

/// The SQL of the engine.
enum SQL {
    static let columns = """
        user_id, name, email, phone, balance, is_friend, country, last_update, status, avatar, notes, created_at
        """
    static let table = "\"user\" (id, version, \(columns))"
    static let narrow = "SELECT user_id, name, balance FROM \"user\""
    static let wide = "SELECT \(columns) FROM \"user\""
    static let message = "SELECT message_id, text, sent_at FROM message"
    static let keysInBlock = 1000
    static let blocks = "SELECT nextval('user_id_seq') FROM generate_series(1, $1::bigint)"
    /// The rows of the parameters from 1: keys, versions and columns.
    static let rows = """
        unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::bool[], \
        $9::int[], $10::timestamptz[], $11::int[], $12::text[], $13::text[], $14::timestamptz[]) \
        AS d(id, version, \(columns))
        """
    static let insertOne = """
        INSERT INTO \(table) VALUES ($1::bigint, $2::bigint, $3::bigint, $4::text, $5::text, $6::text, $7::float8, \
        $8::bool, $9::int, $10::timestamptz, $11::int, $12::text, $13::text, $14::timestamptz)
        """
    static let insert = "INSERT INTO \(table) SELECT * FROM \(rows)"

    /// Returns a statement that fails unless another one changes a number of rows.
    static func counted(_ statement: String, parameter: Int) -> String {
        "WITH c AS (\(statement) RETURNING 1) SELECT 1 / (count(*) = $\(parameter)::bigint)::int FROM c"
    }
}

extension Parameters {
    /// Adds the columns of users as arrays.
    mutating func add(columnsOf rows: some Collection<UserRow>) {
        add(rows, as: .int8) { $0.field($1.userID) }
        add(rows, as: .text) { $0.field($1.name) }
        add(rows, as: .text) { $0.field($1.email) }
        add(rows, as: .text) { $0.field($1.phone) }
        add(rows, as: .float8) { $0.field($1.balance) }
        add(rows, as: .bool) { $0.field($1.isFriend) }
        add(rows, as: .int4) { $0.field($1.country) }
        add(rows, as: .timestamptz) { $0.field(ServerDate.microseconds($1.lastUpdate.timeIntervalSinceReferenceDate)) }
        add(rows, as: .int4) { $0.field($1.status) }
        add(rows, as: .text) { $0.field($1.avatar) }
        add(rows, as: .text) { $0.field($1.notes) }
        add(rows, as: .timestamptz) { $0.field(ServerDate.microseconds($1.createdAt.timeIntervalSinceReferenceDate)) }
    }
}

extension Parameters {
    /// Adds the fields of a user as values.
    mutating func add(_ row: borrowing UserRow, key: Int64) {
        add(key)
        add(Int64(1))
        add(row.userID)
        add(row.name)
        add(row.email)
        add(row.phone)
        add(Int64(bitPattern: row.balance.bitPattern))
        add(row.isFriend ? 1 as UInt8 : 0)
        add(row.country)
        add(ServerDate.microseconds(row.lastUpdate.timeIntervalSinceReferenceDate))
        add(row.status)
        add(row.avatar)
        add(row.notes)
        add(ServerDate.microseconds(row.createdAt.timeIntervalSinceReferenceDate))
    }
}

extension ByteBuffer {
    /// The number of fields of ``add(_:key:)``.
    static let fieldsOfUser: Int16 = 14

    /// Appends the fields of a user, with the version 1.
    mutating func add(_ row: borrowing UserRow, key: Int64) {
        field(key)
        field(Int64(1))
        field(row.userID)
        field(row.name)
        field(row.email)
        field(row.phone)
        field(row.balance)
        field(row.isFriend)
        field(row.country)
        field(ServerDate.microseconds(row.lastUpdate.timeIntervalSinceReferenceDate))
        field(row.status)
        field(row.avatar)
        field(row.notes)
        field(ServerDate.microseconds(row.createdAt.timeIntervalSinceReferenceDate))
    }
}

extension ServerRows {
    /// Adds three columns.
    @inline(__always)
    func addThree(_ row: Int32, _ selection: Selection, to checksum: inout Checksum) {
        checksum.add(
            userID: int64(row, 0), name: mark(row, selection.name), balance: double(row, selection.balance))
    }

    /// Adds the columns of `SQL.wide`.
    @inline(__always)
    func addWide(_ row: Int32, to checksum: inout Checksum) {
        checksum.add(
            userID: int64(row, 0), name: mark(row, 1), email: mark(row, 2), phone: mark(row, 3),
            balance: double(row, 4), isFriend: bool(row, 5), country: int32(row, 6), lastUpdate: date(row, 7),
            status: int32(row, 8), avatar: mark(row, 9), notes: mark(row, 10), createdAt: date(row, 11))
    }
}
#endif
