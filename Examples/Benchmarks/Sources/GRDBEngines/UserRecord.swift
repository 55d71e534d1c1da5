import Foundation
import GRDB
import Workloads

/// A record of the table `ZUSER` for the query-interface engines.
public protocol UserRecord: FetchableRecord, MutablePersistableRecord {
    /// Creates a record to be inserted.
    init(new row: UserRow)

    /// The primary key, or nil before the insertion.
    var key: Int64? { get }
    /// The number, unique in the store.
    var userID: Int64 { get }
    /// The balance.
    var balance: Double { get }
    /// The date of the last update.
    var lastUpdate: Date { get }

    /// Adds three or all columns to a checksum.
    func add(_ width: Width, to checksum: inout Checksum)

    /// Sets two values and updates the changed columns.
    mutating func change(balance: Double, lastUpdate: Date, in database: Database) throws

    /// Inserts the user, or updates the one with its number.
    static func findOrCreate(_ row: UserRow, in database: Database) throws
}

/// The columns used in requests. Here and in the records, names are in lower case: SQL ignores the case, and GRDB looks up
/// lower-case names faster.
enum UserColumn {
    static let key = Column("z_pk")
    static let userID = Column("zuserid")
    static let name = Column("zname")
    static let isFriend = Column("zisfriend")
    static let balance = Column("zbalance")
    static let status = Column("zstatus")
    static let country = Column("zcountry")
}

/// A message as a `Codable` struct.
struct MessageRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "ZMESSAGE"
    static let sender = Column("zsender")

    var key: Int64?
    var messageID: Int64
    var text: String
    var sentAt: Double
    var isRead: Bool
    var sender: Int64?

    enum CodingKeys: String, CodingKey {
        case key = "z_pk"
        case messageID = "zmessageid"
        case text = "ztext"
        case sentAt = "zsentat"
        case isRead = "zisread"
        case sender = "zsender"
    }
}
