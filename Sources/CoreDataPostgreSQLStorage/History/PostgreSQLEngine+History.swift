#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// Purging, and the end of history.
extension PostgreSQLEngine {
    /// The slot of the sequence of history transactions among those of hierarchies.
    private static let transactionSlot = -1

    /// Reserves the key of a history transaction.
    func reserveTransactionNumber() throws -> Int64 {
        try allocator.reserve(1, from: PostgreSQLSchema.transactionSequence, slot: Self.transactionSlot, self).first
    }

    /// Returns the mark of the last transaction that is reported; its time is nil if it was purged.
    func lastHistoryMark(on connection: PostgreSQLConnection) throws -> HistoryMark? {
        guard let history else { return nil }
        let condition = history.order.isSettled.map { " WHERE \($0)" } ?? ""
        let statement = ServerStatement(
            """
            SELECT t.era, t.commit_order, t.id, t.committed FROM coredata_transaction t\(condition) \
            ORDER BY t.era DESC, t.commit_order DESC, t.id DESC LIMIT 1
            """)
        return try history.settling {
            var mark: HistoryMark?
            var purged = HistoryMark(place: .start, timestamp: nil)
            var state = ServerHistory.Unsettled()
            var requests = [
                PipelineRequest(statement) { rows in
                    guard rows.count > 0 else { return }
                    let numbers = try (0..<3).map { try rows.int64(0, $0) }
                    mark = HistoryMark(
                        place: PostgreSQLHistory.place(numbers), timestamp: try BinaryValue.date(rows.bytes(0, 3)))
                },
                PipelineRequest(Self.purgedPlace) { rows in
                    let numbers = try (0..<3).map { try rows.int64(0, $0) }
                    if numbers[0] > 0 { purged.place = PostgreSQLHistory.place(numbers) }
                },
            ]
            if !connection.isInTransaction, let unsettled = history.unsettled({ state = $0 }) {
                requests.insert(unsettled, at: 0)
            }
            try connection.run(requests, until: Deadline(after: options.statementTimeout))
            return (mark ?? purged, state)
        }
    }

    private static let purgedPlace = ServerStatement(
        "SELECT purged_era, purged_order, purged_id FROM coredata_history")

    // MARK: Purging

    /// The number of transactions that are deleted at once, so that each statement ends in time.
    private static let purgedAtOnce: Int64 = 5000

    /// Deletes the oldest transactions, up to a limit, and returns the number of deleted changes. Transactions that are not
    /// reported yet stay, and so do those that a registered reader has not read.
    func purgeHistory(before limit: HistoryLimit) throws -> Int {
        let history = try requireHistory()
        var conditions = [Self.isRead]
        if let isSettled = history.order.isSettled { conditions.append(isSettled) }
        var parameters = ParameterList()
        switch limit {
        case .transaction(let place):
            for number in try PostgreSQLHistory.numbers(of: place) { parameters.add(number) }
            conditions.append("(t.era, t.commit_order, t.id) < ($1::bigint, $2::bigint, $3::bigint)")
        case .date(let date):
            let microseconds = MicrosecondDate.count(date.timeIntervalSinceReferenceDate)
            // Beyond the server's dates: everything, or nothing.
            let count = microseconds ?? (date > Date() ? Int64.max : Int64.min)
            parameters.add(count)
            conditions.append(Self.isBefore)
        }
        parameters.add(Self.purgedAtOnce)
        let statement = ServerStatement(Self.purge(conditions, limit: parameters.count), isPrepared: false)
        var total = 0
        while true {
            var (changes, transactions) = (0, 0)
            try writing { connection, isInTransaction in
                let request = PipelineRequest(statement, parameters) { rows in
                    (changes, transactions) = (try rows.number(0, 0), try rows.number(0, 1))
                }
                try connection.run(
                    Self.alone([request], isInTransaction), until: Deadline(after: options.statementTimeout))
            }
            total += changes
            if transactions < Self.purgedAtOnce { return total }
        }
    }

    /// Returns statements that no purge, and no change of readers, runs beside.
    private static func alone(_ requests: [PipelineRequest], _ isInTransaction: Bool) -> [PipelineRequest] {
        let lock = PipelineRequest.plain("SELECT 1 FROM coredata_history FOR UPDATE")
        return isInTransaction ? [lock] + requests : [.plain("BEGIN"), lock] + requests + [.plain("COMMIT")]
    }

    /// The condition for transactions that every registered reader has read.
    private static let isRead = """
        NOT EXISTS (SELECT 1 FROM coredata_history_reader r \
        WHERE (r.era, r.commit_order, r.transaction) < (t.era, t.commit_order, t.id))
        """

    /// The condition for transactions before the first one that was not written before a time, in microseconds since 2000.
    private static let isBefore = """
        t.committed < \(time) AND NOT EXISTS (SELECT 1 FROM coredata_transaction e WHERE e.committed >= \(time) \
        AND (e.era, e.commit_order, e.id) < (t.era, t.commit_order, t.id))
        """

    private static let time = """
        (CASE WHEN $1::bigint = \(Int64.max) THEN 'infinity' WHEN $1::bigint <= \(Int64.min + 1) THEN '-infinity' \
        ELSE timestamptz '2000-01-01 00:00:00+00' + $1::bigint * interval '1 microsecond' END)
        """

    // MARK: Readers

    func historyReaders(on connection: PostgreSQLConnection) throws -> [HistoryReader] {
        _ = try requireHistory()
        var readers: [HistoryReader] = []
        let request = PipelineRequest(Self.readers) { rows in
            for row in 0..<rows.count {
                let numbers = try (1...3).map { try rows.int64(row, $0) }
                let place = numbers == [0, 0, 0] ? HistoryPlace.start : PostgreSQLHistory.place(numbers)
                let seconds = try BinaryValue.date(rows.bytes(row, 4))
                readers.append(
                    HistoryReader(
                        name: rows.text(row, 0), place: place, advanced: Date(timeIntervalSinceReferenceDate: seconds)))
            }
        }
        try connection.run([request], until: Deadline(after: options.statementTimeout))
        return readers
    }

    func changeHistoryReaders(_ change: HistoryReaderChange) throws {
        _ = try requireHistory()
        var parameters = ParameterList()
        let statement: ServerStatement
        switch change {
        case .register(let name, let place):
            statement = Self.registration
            parameters.add(name)
            for number in try PostgreSQLHistory.numbers(of: place) { parameters.add(number) }
        case .advance(let name, let place):
            statement = Self.advance
            parameters.add(name)
            for number in try PostgreSQLHistory.numbers(of: place) { parameters.add(number) }
        case .remove(let name):
            statement = Self.removal
            parameters.add(name)
        }
        try writing { connection, isInTransaction in
            try connection.run(
                Self.alone([PipelineRequest(statement, parameters)], isInTransaction),
                until: Deadline(after: options.statementTimeout))
        }
    }

    /// Returns the age of the oldest transaction that is committed and not reported yet, in seconds; nil if there is none.
    func unreportedHistoryAge(on connection: PostgreSQLConnection) throws -> Double? {
        guard try requireHistory().order == .commits else { return nil }
        var age: Double?
        let request = PipelineRequest(Self.unreportedAge) { rows in
            if rows.count > 0, !rows.isNull(0, 0) { age = max(0, try BinaryValue.double(rows.bytes(0, 0))) }
        }
        try connection.run([request], until: Deadline(after: options.statementTimeout))
        return age
    }

    private static let readers = ServerStatement(
        "SELECT name, era, commit_order, transaction, advanced_at FROM coredata_history_reader ORDER BY name")

    private static let insertion =
        "INSERT INTO coredata_history_reader AS r (name, era, commit_order, transaction) "
        + "VALUES ($1::text, $2::bigint, $3::bigint, $4::bigint) ON CONFLICT (name) DO "
    private static let registration = ServerStatement(insertion + "NOTHING")
    private static let advance = ServerStatement(
        insertion + "UPDATE SET era = $2::bigint, commit_order = $3::bigint, transaction = $4::bigint, "
            + "advanced_at = now() WHERE (r.era, r.commit_order, r.transaction) <= ($2::bigint, $3::bigint, $4::bigint)"
    )
    private static let removal = ServerStatement("DELETE FROM coredata_history_reader WHERE name = $1::text")
    private static let unreportedAge = ServerStatement(
        "SELECT extract(epoch FROM clock_timestamp() - min(t.committed))::double precision "
            + "FROM coredata_transaction t, coredata_history h "
            + "WHERE t.era = h.era AND t.commit_order >= \(HistoryOrder.horizon)")

    // MARK: Statements

    private static func purge(_ conditions: [String], limit: Int) -> String {
        """
        WITH doomed AS (SELECT t.era, t.commit_order, t.id FROM coredata_transaction t \
        WHERE \(conditions.joined(separator: " AND ")) ORDER BY t.era, t.commit_order, t.id LIMIT $\(limit)::bigint), \
        changes AS (DELETE FROM coredata_change WHERE transaction IN (SELECT id FROM doomed) RETURNING 1), \
        transactions AS (DELETE FROM coredata_transaction WHERE id IN (SELECT id FROM doomed) RETURNING 1), \
        latest AS (SELECT era, commit_order, id FROM doomed ORDER BY era DESC, commit_order DESC, id DESC LIMIT 1), \
        mark AS (UPDATE coredata_history h SET purged_era = l.era, purged_order = l.commit_order, purged_id = l.id \
        FROM latest l WHERE (h.purged_era, h.purged_order, h.purged_id) < (l.era, l.commit_order, l.id)) \
        SELECT (SELECT count(*) FROM changes), (SELECT count(*) FROM transactions)
        """
    }
}
#endif
