import Foundation
import GRDB
import Workloads

/// GRDB at its fastest: hand-written SQL and decoding, cached statements, columns by index.
public final class RowEngine: PoolEngine {
    /// The name on the command line and in the table.
    public static let name = "grdb-row"
    /// The kind of file that the engine opens.
    public static let storeKind = StoreKind.plain

    /// The connection pool.
    public let pool: DatabasePool

    /// Opens a pool on the store.
    public init(storeAt url: URL, synchronous: Synchronous) throws {
        pool = try Self.openPool(url, synchronous)
    }
}

/// A user decoded by column index.
struct RowUser: FetchableRecord {
    var key: Int64
    var row: UserRow

    init(row: Row) {
        key = row[0]
        self.row = UserRow(
            userID: row[4], name: row[10], email: row[9], phone: row[12], balance: row[5], isFriend: row[2],
            country: row[1], lastUpdate: Date(timeIntervalSinceReferenceDate: row[7]), status: row[3],
            avatar: row[8], notes: row[11], createdAt: Date(timeIntervalSinceReferenceDate: row[6])
        )
    }

    static let columns = StoreLayout.userColumns.joined(separator: ", ")
    static let select = "SELECT Z_PK, \(columns) FROM ZUSER"
    static let insert = """
        INSERT INTO ZUSER (Z_ENT, Z_OPT, \(columns)) \
        VALUES (\(StoreLayout.userEntity), 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    static let upsert = """
        \(insert) ON CONFLICT (ZUSERID) DO UPDATE SET Z_OPT = Z_OPT + 1, \
        \(StoreLayout.userColumns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        """

    static func arguments(_ row: UserRow) -> StatementArguments {
        [
            row.country, row.isFriend, row.status, row.userID, row.balance,
            row.createdAt.timeIntervalSinceReferenceDate, row.lastUpdate.timeIntervalSinceReferenceDate,
            row.avatar, row.email, row.name, row.notes, row.phone,
        ]
    }
}

/// A message decoded by column index.
struct RowMessage: FetchableRecord {
    var messageID: Int64
    var text: String
    var sentAt: Double
    var isRead: Bool
    var sender: Int64?

    init(row: Row) {
        messageID = row[0]
        text = row[1]
        sentAt = row[2]
        isRead = row[3]
        sender = row[4]
    }

    static let select = "SELECT ZMESSAGEID, ZTEXT, ZSENTAT, ZISREAD, ZSENDER FROM ZMESSAGE"
}
