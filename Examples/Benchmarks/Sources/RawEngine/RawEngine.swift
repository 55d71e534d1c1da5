import Foundation
import Workloads

/// SQLite's C API without a library on top: the baseline of the other engines.
public final class RawEngine: StoreEngine {
    /// The name on the command line and in the table.
    public static let name = "raw"
    /// The kind of file that the engine opens.
    public static let storeKind = StoreKind.plain

    let url: URL
    let connection: Connection

    /// Opens a connection to the store.
    public init(storeAt url: URL, synchronous: Synchronous) throws {
        self.url = url
        connection = try Connection(url, synchronous: synchronous)
    }

    /// Closes the connection.
    public func close() {
        connection.close()
    }
}

/// The SQL of the raw engine.
enum SQL {
    static let columns = StoreLayout.userColumns.joined(separator: ", ")
    static let insertUser = """
        INSERT INTO ZUSER (Z_ENT, Z_OPT, \(columns)) \
        VALUES (\(StoreLayout.userEntity), 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    static let upsertUser = """
        \(insertUser) ON CONFLICT (ZUSERID) DO UPDATE SET Z_OPT = Z_OPT + 1, \
        \(StoreLayout.userColumns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        """
    static let insertMessage = """
        INSERT INTO ZMESSAGE (Z_ENT, Z_OPT, ZISREAD, ZMESSAGEID, ZSENDER, ZSENTAT, ZTEXT) \
        VALUES (\(StoreLayout.messageEntity), 1, ?, ?, ?, ?, ?)
        """
    static let narrow = "SELECT ZUSERID, ZNAME, ZBALANCE FROM ZUSER"
    static let wide = "SELECT Z_PK, \(columns) FROM ZUSER"
    static let message = "SELECT ZMESSAGEID, ZTEXT, ZSENTAT FROM ZMESSAGE"
}

extension Statement {
    /// Binds the twelve values of a user, in table order.
    func bind(_ row: UserRow) {
        bind(1, Int64(row.country))
        bind(2, Int64(row.isFriend ? 1 : 0))
        bind(3, Int64(row.status))
        bind(4, row.userID)
        bind(5, row.balance)
        bind(6, row.createdAt.timeIntervalSinceReferenceDate)
        bind(7, row.lastUpdate.timeIntervalSinceReferenceDate)
        bind(8, row.avatar)
        bind(9, row.email)
        bind(10, row.name)
        bind(11, row.notes)
        bind(12, row.phone)
    }

    /// Reads a user from `SQL.wide`.
    func user() -> UserRow {
        UserRow(
            userID: int64(4), name: text(10) ?? "", email: text(9) ?? "", phone: text(12) ?? "", balance: double(5),
            isFriend: int32(2) != 0, country: int32(1), lastUpdate: Date(timeIntervalSinceReferenceDate: double(7)),
            status: int32(3), avatar: text(8), notes: text(11),
            createdAt: Date(timeIntervalSinceReferenceDate: double(6))
        )
    }

    /// Adds the three columns of `SQL.narrow`.
    func addNarrow(to checksum: inout Checksum) {
        checksum.add(userID: int64(0), name: mark(1), balance: double(2))
    }

    /// Adds the twelve columns of `SQL.wide`.
    func addWide(to checksum: inout Checksum) {
        checksum.add(
            userID: int64(4), name: mark(10), email: mark(9), phone: mark(12), balance: double(5),
            isFriend: int32(2) != 0, country: int32(1), lastUpdate: double(7), status: int32(3), avatar: mark(8),
            notes: mark(11), createdAt: double(6)
        )
    }
}
