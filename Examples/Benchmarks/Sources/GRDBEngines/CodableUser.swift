import Foundation
import GRDB
import Workloads

/// A user as GRDB recommends it: a `Codable` struct.
public struct CodableUser: Codable, UserRecord {
    public static let databaseTableName = "ZUSER"

    public var key: Int64?
    var entity = StoreLayout.userEntity
    var version: Int64 = 1
    public var userID: Int64
    var name: String
    var email: String
    var phone: String
    public var balance: Double
    var isFriend: Bool
    var country: Int32
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

    public static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .timeIntervalSinceReferenceDate
    }

    public static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSinceReferenceDate
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        key = inserted.rowID
    }

    public mutating func change(balance: Double, lastUpdate: Date, in database: Database) throws {
        try updateChanges(database) {
            $0.version += 1
            $0.balance = balance
            $0.lastUpdate = lastUpdate
        }
    }

    public static func findOrCreate(_ row: UserRow, in database: Database) throws {
        var user = CodableUser(new: row)
        try user.upsert(database)
    }

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
