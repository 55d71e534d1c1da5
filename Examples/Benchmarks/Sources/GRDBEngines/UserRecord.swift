import Foundation
import GRDB
import Workloads

/// What the query-interface engine asks of a record of `ZUSER`, whichever way it is written.
public protocol UserRecord: FetchableRecord, MutablePersistableRecord {
    init(new row: UserRow)

    var key: Int64? { get }
    var userID: Int64 { get }
    var balance: Double { get }
    var lastUpdate: Date { get }

    func add(_ width: Width, to checksum: inout Checksum)

    /// Changes two values and writes what has changed.
    mutating func change(balance: Double, lastUpdate: Date, in database: Database) throws

    /// Writes `row` over the user with its number, or as a new one.
    static func findOrCreate(_ row: UserRow, in database: Database) throws
}

/// The columns that requests name. Here and in the records in lower case, which SQL does not mind and GRDB looks up
/// faster.
enum UserColumn {
    static let key = Column("z_pk")
    static let userID = Column("zuserid")
    static let name = Column("zname")
    static let isFriend = Column("zisfriend")
    static let balance = Column("zbalance")
    static let status = Column("zstatus")
    static let country = Column("zcountry")
}

/// A message through `Codable`.
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
