import Foundation
import Workloads

extension RawEngine {
    /// Inserts rows with a cached statement, one transaction per batch.
    public func insert(_ rows: [UserRow], savingEvery batch: Int) throws {
        let statement = try connection.statement(SQL.insertUser)
        for start in stride(from: 0, to: rows.count, by: batch) {
            try connection.transaction {
                for row in rows[start..<min(start + batch, rows.count)] {
                    statement.bind(row)
                    try statement.run()
                }
            }
        }
    }

    /// Selects the users with a status and updates each by primary key.
    public func update(status: Int32) throws {
        try connection.transaction {
            var found: [(key: Int64, balance: Double, date: Double)] = []
            let select = try connection.statement(
                "SELECT Z_PK, ZBALANCE, ZLASTUPDATE FROM ZUSER WHERE ZSTATUS = ?")
            select.bind(1, Int64(status))
            while try select.step() { found.append((select.int64(0), select.double(1), select.double(2))) }

            let update = try connection.statement(
                "UPDATE ZUSER SET Z_OPT = Z_OPT + 1, ZBALANCE = ?, ZLASTUPDATE = ? WHERE Z_PK = ?")
            for user in found {
                update.bind(1, user.balance + 1)
                update.bind(2, user.date + 60)
                update.bind(3, user.key)
                try update.run()
            }
        }
    }

    /// Selects the users with a status and deletes each by primary key.
    public func delete(status: Int32, nullify: Bool) throws {
        try connection.transaction {
            var keys: [Int64] = []
            let select = try connection.statement("SELECT Z_PK FROM ZUSER WHERE ZSTATUS = ?")
            select.bind(1, Int64(status))
            while try select.step() { keys.append(select.int64(0)) }

            let delete = try connection.statement("DELETE FROM ZUSER WHERE Z_PK = ?")
            let clear = try connection.statement(
                "UPDATE ZMESSAGE SET Z_OPT = Z_OPT + 1, ZSENDER = NULL WHERE ZSENDER = ?")
            for key in keys {
                if nullify {
                    clear.bind(1, key)
                    try clear.run()
                }
                delete.bind(1, key)
                try delete.run()
            }
        }
    }

    /// Decodes users and upserts them in one transaction.
    public func importUsers(json: Data) throws {
        let rows = try JSONDecoder().decode([UserRow].self, from: json)
        try connection.transaction {
            let statement = try connection.statement(SQL.upsertUser)
            for row in rows {
                statement.bind(row)
                try statement.run()
            }
        }
    }

    /// Returns a writer with a second connection.
    public func makeWriter() throws -> any StoreWriter {
        RawWriter(engine: try RawEngine(storeAt: url, synchronous: .normal))
    }
}

/// A second engine with a separate connection, used only by the writing thread.
private final class RawWriter: StoreWriter, @unchecked Sendable {
    private let engine: RawEngine

    init(engine: RawEngine) {
        self.engine = engine
    }

    deinit {
        engine.close()
    }

    func write(_ rows: [UserRow]) throws {
        try engine.insert(rows, savingEvery: rows.count)
    }
}
