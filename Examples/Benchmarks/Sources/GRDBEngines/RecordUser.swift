import Foundation
import GRDB
import Workloads

/// A user as a subclass of GRDB's `Record`, the form that knows which of its values have changed.
public final class RecordUser: Record, UserRecord {
    public override class var databaseTableName: String { "ZUSER" }

    public private(set) var key: Int64?
    private var version: Int64
    public private(set) var row: UserRow

    public var userID: Int64 { row.userID }
    public var balance: Double { row.balance }
    public var lastUpdate: Date { row.lastUpdate }

    public init(new row: UserRow) {
        version = 1
        self.row = row
        super.init()
    }

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

    public func change(balance: Double, lastUpdate: Date, in database: Database) throws {
        version += 1
        row.balance = balance
        row.lastUpdate = lastUpdate
        try updateChanges(database)
    }

    public static func findOrCreate(_ row: UserRow, in database: Database) throws {
        guard let user = try RecordUser.filter(UserColumn.userID == row.userID).fetchOne(database) else {
            try RecordUser(new: row).insert(database)
            return
        }
        user.version += 1
        user.row = row
        try user.updateChanges(database)
    }

    public func add(_ width: Width, to checksum: inout Checksum) {
        switch width {
        case .three: checksum.add(three: row)
        case .all: checksum.add(all: row)
        }
    }
}
