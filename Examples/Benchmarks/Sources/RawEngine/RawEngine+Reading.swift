import Foundation
import Workloads

extension RawEngine {
    /// Steps through all rows and reads their columns.
    public func fetchAll(reading width: Width) throws -> Checksum {
        var checksum = Checksum()
        switch width {
        case .three:
            let statement = try connection.statement(SQL.narrow)
            while try statement.step() { statement.addNarrow(to: &checksum) }
        case .all:
            let statement = try connection.statement(SQL.wide)
            while try statement.step() { statement.addWide(to: &checksum) }
        }
        return checksum
    }

    /// Reads the primary keys of all users.
    public func fetchIdentifiers() throws -> () throws -> Checksum {
        var keys: [Int64] = []
        let statement = try connection.statement("SELECT Z_PK FROM ZUSER")
        while try statement.step() { keys.append(statement.int64(0)) }
        return { [keys] in
            var checksum = Checksum()
            for key in keys { checksum.add(UInt64(key)) }
            return checksum
        }
    }

    /// Runs one `SELECT COUNT(*)` for each threshold.
    public func countFriends(richerThan thresholds: [Double]) throws -> Checksum {
        var checksum = Checksum()
        let statement = try connection.statement("SELECT COUNT(*) FROM ZUSER WHERE ZISFRIEND = 1 AND ZBALANCE > ?")
        for threshold in thresholds {
            statement.bind(1, threshold)
            while try statement.step() { checksum.add(UInt64(statement.int64(0))) }
        }
        return checksum
    }

    /// Finds users with one cached statement, with `together` in one transaction.
    public func find(_ userIDs: [Int64], together: Bool) throws -> Checksum {
        var checksum = Checksum()
        func findEach() throws {
            let statement = try connection.statement("\(SQL.narrow) WHERE ZUSERID = ?")
            for userID in userIDs {
                statement.bind(1, userID)
                while try statement.step() { statement.addNarrow(to: &checksum) }
            }
        }
        if together {
            try connection.transaction("BEGIN", findEach)
        } else {
            try findEach()
        }
        return checksum
    }

    /// Searches with one cached statement for each fragment.
    public func search(_ fragments: [String], limit: Int) throws -> Checksum {
        var checksum = Checksum()
        let statement = try connection.statement(
            "\(SQL.narrow) WHERE ZISFRIEND = 1 AND ZNAME LIKE ? ORDER BY ZNAME, ZUSERID LIMIT ?")
        for fragment in fragments {
            statement.bind(1, "%\(fragment)%")
            statement.bind(2, Int64(limit))
            while try statement.step() { statement.addNarrow(to: &checksum) }
        }
        return checksum
    }

    /// Reads messages with one statement for each user, or with one `IN` list.
    public func readMessages(ofUsersUpTo lastID: Int64, prefetched: Bool) throws -> Checksum {
        var keys: [Int64] = []
        let users = try connection.statement("SELECT Z_PK FROM ZUSER WHERE ZUSERID <= ?")
        users.bind(1, lastID)
        while try users.step() { keys.append(users.int64(0)) }

        var checksum = Checksum()
        func read(_ statement: Statement) throws {
            while try statement.step() {
                checksum.add(messageID: statement.int64(0), text: statement.mark(1), sentAt: statement.double(2))
            }
        }
        if prefetched {
            let list = keys.map(String.init).joined(separator: ",")
            try read(Statement(connection, "\(SQL.message) WHERE ZSENDER IN (\(list)) ORDER BY ZSENDER"))
        } else {
            let statement = try connection.statement("\(SQL.message) WHERE ZSENDER = ?")
            for key in keys {
                statement.bind(1, key)
                try read(statement)
            }
        }
        return checksum
    }

    /// Runs a `GROUP BY` statement, `times` times.
    public func balancesByCountry(times: Int) throws -> Checksum {
        var checksum = Checksum()
        let statement = try connection.statement(
            "SELECT ZCOUNTRY, COUNT(*), AVG(ZBALANCE) FROM ZUSER GROUP BY ZCOUNTRY")
        for _ in 0..<times {
            while try statement.step() {
                checksum.add(userID: statement.int64(0), name: UInt64(statement.int64(1)), balance: statement.double(2))
            }
        }
        return checksum
    }

    /// Reads one page of users, sorted by number.
    public func readPage(from userID: Int64, limit: Int) throws -> Checksum {
        var checksum = Checksum()
        let statement = try connection.statement("\(SQL.wide) WHERE ZUSERID >= ? ORDER BY ZUSERID LIMIT ?")
        statement.bind(1, userID)
        statement.bind(2, Int64(limit))
        while try statement.step() { statement.addWide(to: &checksum) }
        return checksum
    }

    /// Reads all rows into an array of values.
    public func holdAll() throws -> Checksum {
        var rows: [UserRow] = []
        let statement = try connection.statement(SQL.wide)
        while try statement.step() { rows.append(statement.user()) }
        var checksum = Checksum()
        for row in rows { checksum.add(three: row) }
        return checksum
    }

    /// Steps through all rows, which holds one row in memory.
    public func iterate(batch: Int) throws -> Checksum {
        try fetchAll(reading: .all)
    }
}
