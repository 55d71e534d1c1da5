#if PostgreSQL
import Foundation
import Workloads

extension LibPQEngine {
    /// The number of rows from which COPY is faster than arrays.
    private static let rowsForCopy = 500

    /// Inserts rows, one transaction per batch: by COPY, arrays, or a prepared statement for one row.
    public func insert(_ rows: [UserRow], savingEvery batch: Int) throws {
        for start in stride(from: 0, to: rows.count, by: batch) {
            let part = rows[start..<min(start + batch, rows.count)]
            let keys = try takeKeys(part.count)
            if part.count >= Self.rowsForCopy {
                try copy(part, keys)
            } else {
                try insertArrays(part, keys)
            }
        }
    }

    private func copy(_ rows: ArraySlice<UserRow>, _ keys: [Int64]) throws {
        try connection.copy(zip(rows, keys).lazy.map { $0 }, into: SQL.table, columns: ByteBuffer.fieldsOfUser) {
            $0.add($1.0, key: $1.1)
        }
    }

    private func insertArrays(_ rows: ArraySlice<UserRow>, _ keys: [Int64]) throws {
        try connection.prepare("begin", "BEGIN")
        try connection.prepare("insert", SQL.insert)
        try connection.prepare("insert one", SQL.insertOne)
        try connection.prepare("commit", "COMMIT")
        var parameters = Parameters()
        if keys.count == 1, let row = rows.first {
            parameters.add(row, key: keys[0])
        } else {
            parameters.add(keys)
            parameters.add(repeatElement(1, count: keys.count))
            parameters.add(columnsOf: rows)
        }
        try connection.pipeline { pipeline in
            try pipeline.sendPrepared("begin")
            try pipeline.sendPrepared(keys.count == 1 ? "insert one" : "insert", parameters)
            try pipeline.sendPrepared("commit")
        }
    }

    /// Selects the users with a status and updates them by arrays, with a check of their versions.
    public func update(status: Int32) throws {
        let found = try connection.query(
            "SELECT id, version, balance, last_update FROM \"user\" WHERE status = \(status)")
        let indexes = 0..<found.count
        var parameters = Parameters()
        parameters.add(indexes, as: .int8) { $0.field(found.int64($1, 0)) }
        parameters.add(indexes, as: .int8) { $0.field(found.int64($1, 1)) }
        parameters.add(indexes, as: .float8) { $0.field(found.double($1, 2) + 1) }
        parameters.add(indexes, as: .timestamptz) { $0.field(ServerDate.microseconds(found.date($1, 3) + 60)) }
        parameters.add(Int64(found.count))
        try save(
            SQL.counted(
                """
                UPDATE "user" t SET version = d.version + 1, balance = d.balance, last_update = d.last_update \
                FROM unnest($1::bigint[], $2::bigint[], $3::float8[], $4::timestamptz[]) \
                AS d(id, version, balance, last_update) WHERE t.id = d.id AND t.version = d.version
                """, parameter: 5), parameters)
    }

    /// Selects the users with a status and deletes them by arrays, with a check of their versions.
    public func delete(status: Int32, nullify: Bool) throws {
        let found = try connection.query("SELECT id, version FROM \"user\" WHERE status = \(status)")
        let indexes = 0..<found.count
        var parameters = Parameters()
        parameters.add(indexes, as: .int8) { $0.field(found.int64($1, 0)) }
        parameters.add(indexes, as: .int8) { $0.field(found.int64($1, 1)) }
        parameters.add(Int64(found.count))
        let deletion = SQL.counted(
            """
            DELETE FROM "user" t USING unnest($1::bigint[], $2::bigint[]) AS d(id, version) \
            WHERE t.id = d.id AND t.version = d.version
            """, parameter: 3)
        guard nullify else { return try save(deletion, parameters) }
        var keys = Parameters()
        keys.add(indexes, as: .int8) { $0.field(found.int64($1, 0)) }
        try connection.pipeline { pipeline in
            try pipeline.send("BEGIN")
            try pipeline.send(
                "UPDATE message SET version = version + 1, sender = NULL WHERE sender = ANY ($1::bigint[])", keys)
            try pipeline.send(deletion, parameters)
            try pipeline.send("COMMIT")
        }
    }

    private func save(_ sql: String, _ parameters: borrowing Parameters) throws {
        try connection.pipeline { pipeline in
            try pipeline.send("BEGIN")
            try pipeline.send(sql, parameters)
            try pipeline.send("COMMIT")
        }
    }

    /// Decodes users, looks up the existing ones, updates them by arrays and inserts the others by COPY.
    public func importUsers(json: Data) throws {
        let rows = try JSONDecoder().decode([UserRow].self, from: json)
        var numbers = Parameters()
        numbers.add(rows, as: .int8) { $0.field($1.userID) }
        let found = try connection.query(
            "SELECT user_id, id, version FROM \"user\" WHERE user_id = ANY ($1::bigint[])", numbers)
        var known: [Int64: (key: Int64, version: Int64)] = [:]
        known.reserveCapacity(Int(found.count))
        for row in 0..<found.count { known[found.int64(row, 0)] = (found.int64(row, 1), found.int64(row, 2)) }

        var (old, new): ([UserRow], [UserRow]) = ([], [])
        var places: [(key: Int64, version: Int64)] = []
        for row in rows {
            if let place = known[row.userID] {
                old.append(row)
                places.append(place)
            } else {
                new.append(row)
            }
        }
        let keys = try takeKeys(new.count)
        var parameters = Parameters()
        parameters.add(places, as: .int8) { $0.field($1.key) }
        parameters.add(places, as: .int8) { $0.field($1.version) }
        parameters.add(columnsOf: old)
        parameters.add(Int64(old.count))
        let assignments = SQL.columns.split(separator: ", ").map { "\($0) = d.\($0)" }.joined(separator: ", ")
        try connection.pipeline { pipeline in
            try pipeline.send("BEGIN")
            try pipeline.send(
                SQL.counted(
                    "UPDATE \"user\" t SET version = d.version + 1, \(assignments) FROM \(SQL.rows) "
                        + "WHERE t.id = d.id AND t.version = d.version", parameter: 15), parameters)
        }
        try copy(new[...], keys)
        try connection.execute("COMMIT")
    }

    /// Returns a writer with a second connection.
    public func makeWriter() throws -> any StoreWriter {
        LibPQWriter(engine: try LibPQEngine(storeAt: url, synchronous: .normal))
    }
}

/// A second engine with a separate connection, used only by the writing thread.
private final class LibPQWriter: StoreWriter, @unchecked Sendable {
    private let engine: LibPQEngine

    init(engine: LibPQEngine) { self.engine = engine }

    func write(_ rows: [UserRow]) throws { try engine.insert(rows, savingEvery: rows.count) }
}
#endif
