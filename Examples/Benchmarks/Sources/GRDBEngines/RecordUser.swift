import Foundation
import GRDB
import Workloads

/// A user as a subclass of GRDB's `Record`, which tracks changed values.
public final class RecordUser: Record, UserRecord {
    public override class var databaseTableName: String { "ZUSER" }

    /// The primary key, or nil before the insertion.
    public private(set) var key: Int64?
    private var version: Int64
    /// The values of the user.
    public private(set) var row: UserRow

    /// The number, unique in the store.
    public var userID: Int64 { row.userID }
    /// The balance.
    public var balance: Double { row.balance }
    /// The date of the last update.
    public var lastUpdate: Date { row.lastUpdate }

    /// Creates a record to be inserted.
    public init(new row: UserRow) {
        version = 1
        self.row = row
        super.init()
    }

    /// Creates a record from a fetched row.
    public required init(row: Row) throws {
        key = row["z_pk"]
        version = row["z_opt"]
        self.row = UserRow(
            userID: row["zuserid"], name: row["zname"], email: row["zemail"], phone: row["zphone"],
            balance: row["zbalance"], isFriend: row["zisfriend"], country: row["zcountry"],
            lastUpdate: Date(timeIntervalSinceReferenceDate: row["zlastupdate"]), status: row["zstatus"],
            avatar: row["zavatar"], notes: row["znotes"],
            createdAt: Date(timeIntervalSinceReferenceDate: row["zcreatedat"])
        )
        try super.init(row: row)
    }

    public override func encode(to container: inout PersistenceContainer) throws {
        container["z_pk"] = key
        container["z_ent"] = StoreLayout.userEntity
        container["z_opt"] = version
        container["zuserid"] = row.userID
        container["zname"] = row.name
        container["zemail"] = row.email
        container["zphone"] = row.phone
        container["zbalance"] = row.balance
        container["zisfriend"] = row.isFriend
        container["zcountry"] = row.country
        container["zlastupdate"] = row.lastUpdate.timeIntervalSinceReferenceDate
        container["zstatus"] = row.status
        container["zavatar"] = row.avatar
        container["znotes"] = row.notes
        container["zcreatedat"] = row.createdAt.timeIntervalSinceReferenceDate
    }

    public override func didInsert(_ inserted: InsertionSuccess) {
        super.didInsert(inserted)
        key = inserted.rowID
    }

    /// Sets two values and updates the changed columns.
    public func change(balance: Double, lastUpdate: Date, in database: Database) throws {
        version += 1
        row.balance = balance
        row.lastUpdate = lastUpdate
        try updateChanges(database)
    }

    /// Inserts the user, or updates the one with its number.
    public static func findOrCreate(_ row: UserRow, in database: Database) throws {
        guard let user = try RecordUser.filter(UserColumn.userID == row.userID).fetchOne(database) else {
            try RecordUser(new: row).insert(database)
            return
        }
        user.version += 1
        user.row = row
        try user.updateChanges(database)
    }

    /// Adds three or all columns to a checksum.
    public func add(_ width: Width, to checksum: inout Checksum) {
        switch width {
        case .three: checksum.add(three: row)
        case .all: checksum.add(all: row)
        }
    }
}
