import Foundation
import GRDB
import Workloads

extension RowEngine {
    /// Fetches all users with a cached statement.
    public func fetchAll(reading width: Width) throws -> Checksum {
        let users = try pool.read { try RowUser.fetchAll($0.cachedStatement(sql: RowUser.select)) }
        var checksum = Checksum()
        for user in users {
            switch width {
            case .three: checksum.add(three: user.row)
            case .all: checksum.add(all: user.row)
            }
        }
        return checksum
    }

    /// Counts with one cached statement, run once for each threshold.
    public func countFriends(richerThan thresholds: [Double]) throws -> Checksum {
        var checksum = Checksum()
        try pool.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT COUNT(*) FROM ZUSER WHERE ZISFRIEND = 1 AND ZBALANCE > ?")
            for threshold in thresholds {
                checksum.add(UInt64(try Int.fetchOne(statement, arguments: [threshold]) ?? 0))
            }
        }
        return checksum
    }

    /// Finds users with one cached statement, with `together` in one read.
    public func find(_ userIDs: [Int64], together: Bool) throws -> Checksum {
        var checksum = Checksum()
        func find(_ userID: Int64, in database: Database) throws {
            let statement = try database.cachedStatement(sql: "\(RowUser.select) WHERE ZUSERID = ?")
            if let user = try RowUser.fetchOne(statement, arguments: [userID]) { checksum.add(three: user.row) }
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

    /// Searches with one cached statement for each fragment.
    public func search(_ fragments: [String], limit: Int) throws -> Checksum {
        var checksum = Checksum()
        try pool.read { database in
            let statement = try database.cachedStatement(
                sql: """
                    \(RowUser.select) WHERE ZISFRIEND = 1 AND ZNAME LIKE ? ORDER BY ZNAME, ZUSERID LIMIT ?
                    """)
            for fragment in fragments {
                for user in try RowUser.fetchAll(statement, arguments: ["%\(fragment)%", limit]) {
                    checksum.add(three: user.row)
                }
            }
        }
        return checksum
    }

    /// Reads messages with one statement for each user, or with one `IN` list.
    public func readMessages(ofUsersUpTo lastID: Int64, prefetched: Bool) throws -> Checksum {
        var checksum = Checksum()
        try pool.read { database in
            let users = try RowUser.fetchAll(
                database.cachedStatement(sql: "\(RowUser.select) WHERE ZUSERID <= ?"), arguments: [lastID])
            if prefetched {
                let list = users.map { String($0.key) }.joined(separator: ",")
                let messages = try RowMessage.fetchAll(
                    database, sql: "\(RowMessage.select) WHERE ZSENDER IN (\(list)) ORDER BY ZSENDER")
                let bySender = Dictionary(grouping: messages, by: \.sender)
                for user in users { add(bySender[user.key] ?? [], to: &checksum) }
            } else {
                let statement = try database.cachedStatement(sql: "\(RowMessage.select) WHERE ZSENDER = ?")
                for user in users {
                    add(try RowMessage.fetchAll(statement, arguments: [user.key]), to: &checksum)
                }
            }
        }
        return checksum
    }

    private func add(_ messages: [RowMessage], to checksum: inout Checksum) {
        for message in messages {
            checksum.add(messageID: message.messageID, text: Checksum.mark(message.text), sentAt: message.sentAt)
        }
    }

    /// Runs a `GROUP BY` statement, `times` times.
    public func balancesByCountry(times: Int) throws -> Checksum {
        var checksum = Checksum()
        try pool.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT ZCOUNTRY, COUNT(*), AVG(ZBALANCE) FROM ZUSER GROUP BY ZCOUNTRY")
            for _ in 0..<times {
                let rows = try Row.fetchCursor(statement)
                while let row = try rows.next() {
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
            let statement = try database.cachedStatement(
                sql: "\(RowUser.select) WHERE ZUSERID >= ? ORDER BY ZUSERID LIMIT ?")
            for user in try RowUser.fetchAll(statement, arguments: [userID, limit]) {
                checksum.add(all: user.row)
            }
        }
        return checksum
    }

    /// Fetches all users as an array of values.
    public func holdAll() throws -> Checksum {
        try fetchAll(reading: .three)
    }

    /// Iterates over a cursor, which holds one row in memory.
    public func iterate(batch: Int) throws -> Checksum {
        var checksum = Checksum()
        try pool.read { database in
            let users = try RowUser.fetchCursor(database.cachedStatement(sql: RowUser.select))
            while let user = try users.next() { checksum.add(all: user.row) }
        }
        return checksum
    }
}
