#if PostgreSQL
import Workloads

extension LibPQEngine {
    /// Fetches all users by one statement: the three columns that are read, or all.
    public func fetchAll(reading width: Width) throws -> Checksum {
        var checksum = Checksum()
        switch width {
        case .three:
            let selection = Self.three
            let rows = try connection.query(selection.sql)
            for row in 0..<rows.count { rows.addThree(row, selection, to: &checksum) }
        case .all:
            let rows = try connection.query(SQL.wide)
            for row in 0..<rows.count { rows.addWide(row, to: &checksum) }
        }
        return checksum
    }

    /// Fetches the keys of all users.
    public func fetchIdentifiers() throws -> () throws -> Checksum {
        let rows = try connection.query("SELECT id FROM \"user\"")
        var keys: [Int64] = []
        keys.reserveCapacity(Int(rows.count))
        for row in 0..<rows.count { keys.append(rows.int64(row, 0)) }
        return { [keys] in
            var checksum = Checksum()
            for key in keys { checksum.add(UInt64(key)) }
            return checksum
        }
    }

    /// Counts with a prepared statement for each threshold.
    public func countFriends(richerThan thresholds: [Double]) throws -> Checksum {
        var checksum = Checksum()
        try connection.prepare("count", "SELECT count(*) FROM \"user\" WHERE is_friend AND balance > $1::float8")
        for threshold in thresholds {
            let rows = try connection.run("count", Int64(bitPattern: threshold.bitPattern))
            checksum.add(UInt64(rows.int64(0, 0)))
        }
        return checksum
    }

    /// Finds users with a prepared statement, one trip each.
    public func find(_ userIDs: [Int64], together: Bool) throws -> Checksum {
        var checksum = Checksum()
        let selection = Self.three
        try connection.prepare("find", "\(selection.sql) WHERE user_id = $1::bigint")
        for userID in userIDs {
            let rows = try connection.run("find", userID)
            for row in 0..<rows.count { rows.addThree(row, selection, to: &checksum) }
        }
        return checksum
    }

    /// Finds users in one transaction with a snapshot.
    public func findInOneState(_ userIDs: [Int64]) throws -> Checksum {
        try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let checksum = try find(userIDs, together: true)
        try connection.execute("COMMIT")
        return checksum
    }

    /// Reads messages with a prepared statement for each user, or with one list of keys.
    public func readMessages(ofUsersUpTo lastID: Int64, prefetched: Bool) throws -> Checksum {
        try connection.prepare("keys of users", "SELECT id FROM \"user\" WHERE user_id <= $1::bigint")
        let users = try connection.run("keys of users", lastID)
        let keys = (0..<users.count).map { users.int64($0, 0) }
        var checksum = Checksum()
        func add(_ rows: consuming ServerRows) {
            for row in 0..<rows.count {
                checksum.add(messageID: rows.int64(row, 0), text: rows.mark(row, 1), sentAt: rows.date(row, 2))
            }
        }
        if prefetched {
            var parameters = Parameters()
            parameters.add(keys)
            add(try connection.query("\(SQL.message) WHERE sender = ANY ($1::bigint[])", parameters))
        } else {
            try connection.prepare("messages", "\(SQL.message) WHERE sender = $1::bigint")
            for key in keys { add(try connection.run("messages", key)) }
        }
        return checksum
    }

    /// Runs a prepared `GROUP BY` statement, `times` times.
    public func balancesByCountry(times: Int) throws -> Checksum {
        var checksum = Checksum()
        try connection.prepare("groups", "SELECT country, count(*), avg(balance) FROM \"user\" GROUP BY country")
        for _ in 0..<times {
            let rows = try connection.run("groups")
            for row in 0..<rows.count {
                checksum.add(
                    userID: Int64(rows.int32(row, 0)), name: UInt64(rows.int64(row, 1)), balance: rows.double(row, 2))
            }
        }
        return checksum
    }

    /// Reads one page of users, sorted by number.
    public func readPage(from userID: Int64, limit: Int) throws -> Checksum {
        var checksum = Checksum()
        try connection.prepare("page", "\(SQL.wide) WHERE user_id >= $1::bigint ORDER BY user_id LIMIT $2::bigint")
        let rows = try connection.run("page", userID, Int64(limit), count: 2)
        for row in 0..<rows.count { rows.addWide(row, to: &checksum) }
        return checksum
    }

    // MARK: Workloads that the engine does not run

    private static let missing = BenchmarkError("libpq does not run this workload")

    /// Throws an error, as the workload is left out.
    public func search(_ fragments: [String], limit: Int) throws -> Checksum { throw Self.missing }
    /// Throws an error, as the workload is left out.
    public func holdAll() throws -> Checksum { throw Self.missing }
    /// Throws an error, as the workload is left out.
    public func iterate(batch: Int) throws -> Checksum { throw Self.missing }
}
#endif
