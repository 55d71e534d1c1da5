import Foundation
import GRDB
import Workloads

/// A user as a `Codable` struct, the form that GRDB recommends.
public struct CodableUser: Codable, UserRecord {
    /// The table of users.
    public static let databaseTableName = "ZUSER"

    /// The primary key, or nil before the insertion.
    public var key: Int64?
    var entity = StoreLayout.userEntity
    var version: Int64 = 1
    /// The number, unique in the store.
    public var userID: Int64
    var name: String
    var email: String
    var phone: String
    /// The balance.
    public var balance: Double
    var isFriend: Bool
    var country: Int32
    /// The date of the last update.
    public var lastUpdate: Date
    var status: Int32
    var avatar: String?
    var notes: String?
    var createdAt: Date

    enum CodingKeys: String, CodingKey {
        case key = "z_pk"
        case entity = "z_ent"
        case version = "z_opt"
        case userID = "zuserid"
        case name = "zname"
        case email = "zemail"
        case phone = "zphone"
        case balance = "zbalance"
        case isFriend = "zisfriend"
        case country = "zcountry"
        case lastUpdate = "zlastupdate"
        case status = "zstatus"
        case avatar = "zavatar"
        case notes = "znotes"
        case createdAt = "zcreatedat"
    }

    /// Creates a record to be inserted.
    public init(new row: UserRow) {
        userID = row.userID
        name = row.name
        email = row.email
        phone = row.phone
        balance = row.balance
        isFriend = row.isFriend
        country = row.country
        lastUpdate = row.lastUpdate
        status = row.status
        avatar = row.avatar
        notes = row.notes
        createdAt = row.createdAt
    }

    /// Returns the strategy that stores dates as Core Data does, in seconds since 2001.
    public static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .timeIntervalSinceReferenceDate
    }

    /// Returns the strategy that reads dates as Core Data stores them, in seconds since 2001.
    public static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSinceReferenceDate
    }

    /// Sets the primary key.
    public mutating func didInsert(_ inserted: InsertionSuccess) {
        key = inserted.rowID
    }

    /// Sets two values and updates the changed columns.
    public mutating func change(balance: Double, lastUpdate: Date, in database: Database) throws {
        try updateChanges(database) {
            $0.version += 1
            $0.balance = balance
            $0.lastUpdate = lastUpdate
        }
    }

    /// Inserts the user, or updates the one with its number.
    public static func findOrCreate(_ row: UserRow, in database: Database) throws {
        var user = CodableUser(new: row)
        try user.upsert(database)
    }

    /// Adds three or all columns to a checksum.
    public func add(_ width: Width, to checksum: inout Checksum) {
        switch width {
        case .three:
            checksum.add(userID: userID, name: Checksum.mark(name), balance: balance)
        case .all:
            checksum.add(
                userID: userID, name: Checksum.mark(name), email: Checksum.mark(email), phone: Checksum.mark(phone),
                balance: balance, isFriend: isFriend, country: country,
                lastUpdate: lastUpdate.timeIntervalSinceReferenceDate, status: status,
                avatar: Checksum.mark(avatar), notes: Checksum.mark(notes),
                createdAt: createdAt.timeIntervalSinceReferenceDate
            )
        }
    }
}
