import Foundation
import GRDB
import Workloads

/// GRDB's records and query interface, as most programs use them.
///
/// A protocol instead of a generic class, so that the compiler specializes each function for each record type.
public protocol QueryInterfaceEngine: PoolEngine {
    associatedtype User: UserRecord
}

/// The query interface over `Codable` structs.
public final class CodableEngine: QueryInterfaceEngine {
    /// The record type of users.
    public typealias User = CodableUser
    /// The name on the command line and in the table.
    public static let name = "grdb-codable"
    /// The kind of file that the engine opens.
    public static let storeKind = StoreKind.plain

    /// The connection pool.
    public let pool: DatabasePool

    /// Opens a pool on the store.
    public init(storeAt url: URL, synchronous: Synchronous) throws {
        pool = try Self.openPool(url, synchronous)
    }
}

/// The query interface over subclasses of `Record`.
public final class RecordEngine: QueryInterfaceEngine {
    /// The record type of users.
    public typealias User = RecordUser
    /// The name on the command line and in the table.
    public static let name = "grdb-record"
    /// The kind of file that the engine opens.
    public static let storeKind = StoreKind.plain

    /// The connection pool.
    public let pool: DatabasePool

    /// Opens a pool on the store.
    public init(storeAt url: URL, synchronous: Synchronous) throws {
        pool = try Self.openPool(url, synchronous)
    }
}

extension QueryInterfaceEngine {
    // MARK: Reading

    /// Fetches all users as records.
    public func fetchAll(reading width: Width) throws -> Checksum {
        var checksum = Checksum()
        for user in try pool.read({ try User.fetchAll($0) }) {
            user.add(width, to: &checksum)
        }
        return checksum
    }

    /// Counts with one request for each threshold.
    public func countFriends(richerThan thresholds: [Double]) throws -> Checksum {
        var checksum = Checksum()
        try pool.read { database in
            for threshold in thresholds {
                let request = User.filter(UserColumn.isFriend == true && UserColumn.balance > threshold)
                checksum.add(UInt64(try request.fetchCount(database)))
            }
        }
        return checksum
    }

    /// Finds users with one request each, with `together` in one read.
    public func find(_ userIDs: [Int64], together: Bool) throws -> Checksum {
        var checksum = Checksum()
        func find(_ userID: Int64, in database: Database) throws {
            try User.filter(UserColumn.userID == userID).fetchOne(database)?.add(.three, to: &checksum)
        }
        if together {
            try pool.read { database in
                for userID in userIDs { try find(userID, in: database) }
            }
        } else {
            for userID in userIDs {
                try pool.read { try find(userID, in: $0) }
            }
        }
        return checksum
    }

    /// Searches with one request for each fragment.
    public func search(_ fragments: [String], limit: Int) throws -> Checksum {
        var checksum = Checksum()
        try pool.read { database in
            for fragment in fragments {
                let request = User.filter(UserColumn.isFriend == true && UserColumn.name.like("%\(fragment)%"))
                    .order(UserColumn.name, UserColumn.userID)
                    .limit(limit)
                for user in try request.fetchAll(database) { user.add(.three, to: &checksum) }
            }
        }
        return checksum
    }

    /// Reads messages with one request for each user, or with one `IN` list.
    public func readMessages(ofUsersUpTo lastID: Int64, prefetched: Bool) throws -> Checksum {
        var checksum = Checksum()
        func add(_ messages: [MessageRecord]) {
            for message in messages {
                checksum.add(messageID: message.messageID, text: Checksum.mark(message.text), sentAt: message.sentAt)
            }
        }
        try pool.read { database in
            let users = try User.filter(UserColumn.userID <= lastID).fetchAll(database)
            if prefetched {
                let keys = users.compactMap(\.key)
                let request = MessageRecord.filter(keys.contains(MessageRecord.sender)).order(MessageRecord.sender)
                let bySender = Dictionary(grouping: try request.fetchAll(database), by: \.sender)
                for key in keys { add(bySender[key] ?? []) }
            } else {
                for user in users {
                    add(try MessageRecord.filter(MessageRecord.sender == user.key).fetchAll(database))
                }
            }
        }
        return checksum
    }

    /// Runs a grouped request, `times` times.
    public func balancesByCountry(times: Int) throws -> Checksum {
        var checksum = Checksum()
        try pool.read { database in
            let request = User.select(UserColumn.country, count(UserColumn.key), average(UserColumn.balance))
                .group(UserColumn.country)
                .asRequest(of: Row.self)
            for _ in 0..<times {
                for row in try request.fetchAll(database) {
                    checksum.add(userID: row[0], name: UInt64(row[1] as Int64), balance: row[2])
                }
            }
        }
        return checksum
    }

    /// Fetches one page of users, sorted by number.
    public func readPage(from userID: Int64, limit: Int) throws -> Checksum {
        var checksum = Checksum()
        try pool.read { database in
            let request = User.filter(UserColumn.userID >= userID).order(UserColumn.userID).limit(limit)
            for user in try request.fetchAll(database) { user.add(.all, to: &checksum) }
        }
        return checksum
    }

    /// Fetches all users as an array of records.
    public func holdAll() throws -> Checksum {
        try fetchAll(reading: .three)
    }

    /// Iterates over a cursor, which holds one record in memory.
    public func iterate(batch: Int) throws -> Checksum {
        var checksum = Checksum()
        try pool.read { database in
            let users = try User.fetchCursor(database)
            while let user = try users.next() { user.add(.all, to: &checksum) }
        }
        return checksum
    }

    // MARK: Writing

    /// Inserts records, one transaction per batch.
    public func insert(_ rows: [UserRow], savingEvery batch: Int) throws {
        for start in stride(from: 0, to: rows.count, by: batch) {
            try pool.write { database in
                for row in rows[start..<min(start + batch, rows.count)] {
                    var user = User(new: row)
                    try user.insert(database)
                }
            }
        }
    }

    /// Fetches the users with a status and updates their changed columns.
    public func update(status: Int32) throws {
        try pool.write { database in
            for var user in try User.filter(UserColumn.status == status).fetchAll(database) {
                let date = user.lastUpdate.addingTimeInterval(60)
                try user.change(balance: user.balance + 1, lastUpdate: date, in: database)
            }
        }
    }

    /// Fetches the users with a status and deletes each record.
    public func delete(status: Int32, nullify: Bool) throws {
        try pool.write { database in
            for user in try User.filter(UserColumn.status == status).fetchAll(database) {
                if nullify {
                    try MessageRecord.filter(MessageRecord.sender == user.key)
                        .updateAll(database, [Column("z_opt") += 1, MessageRecord.sender.set(to: nil)])
                }
                try user.delete(database)
            }
        }
    }

    /// Decodes users and finds or creates their records in one transaction.
    public func importUsers(json: Data) throws {
        let rows = try JSONDecoder().decode([UserRow].self, from: json)
        try pool.write { database in
            for row in rows { try User.findOrCreate(row, in: database) }
        }
    }
}
