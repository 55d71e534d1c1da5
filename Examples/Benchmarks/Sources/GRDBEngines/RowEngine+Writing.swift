import Foundation
import GRDB
import Workloads

extension RowEngine {
    /// Inserts rows with a cached statement, one transaction per batch.
    public func insert(_ rows: [UserRow], savingEvery batch: Int) throws {
        for start in stride(from: 0, to: rows.count, by: batch) {
            try pool.write { database in
                let statement = try database.cachedStatement(sql: RowUser.insert)
                for row in rows[start..<min(start + batch, rows.count)] {
                    statement.setUncheckedArguments(RowUser.arguments(row))
                    try statement.execute()
                }
            }
        }
    }

    /// Fetches the users with a status and updates each by primary key.
    public func update(status: Int32) throws {
        try pool.write { database in
            let users = try RowUser.fetchAll(
                database.cachedStatement(sql: "\(RowUser.select) WHERE ZSTATUS = ?"), arguments: [status])
            let update = try database.cachedStatement(
                sql: "UPDATE ZUSER SET Z_OPT = Z_OPT + 1, ZBALANCE = ?, ZLASTUPDATE = ? WHERE Z_PK = ?")
            for user in users {
                update.setUncheckedArguments([
                    user.row.balance + 1, user.row.lastUpdate.timeIntervalSinceReferenceDate + 60, user.key,
                ])
                try update.execute()
            }
        }
    }

    /// Fetches the users with a status and deletes each by primary key.
    public func delete(status: Int32, nullify: Bool) throws {
        try pool.write { database in
            let users = try RowUser.fetchAll(
                database.cachedStatement(sql: "\(RowUser.select) WHERE ZSTATUS = ?"), arguments: [status])
            let delete = try database.cachedStatement(sql: "DELETE FROM ZUSER WHERE Z_PK = ?")
            let clear = try database.cachedStatement(
                sql: "UPDATE ZMESSAGE SET Z_OPT = Z_OPT + 1, ZSENDER = NULL WHERE ZSENDER = ?")
            for user in users {
                if nullify {
                    clear.setUncheckedArguments([user.key])
                    try clear.execute()
                }
                delete.setUncheckedArguments([user.key])
                try delete.execute()
            }
        }
    }

    /// Decodes users and upserts them in one transaction.
    public func importUsers(json: Data) throws {
        let rows = try JSONDecoder().decode([UserRow].self, from: json)
        try pool.write { database in
            let statement = try database.cachedStatement(sql: RowUser.upsert)
            for row in rows {
                statement.setUncheckedArguments(RowUser.arguments(row))
                try statement.execute()
            }
        }
    }
}
