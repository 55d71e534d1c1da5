import Foundation
import Workloads

/// Functions that fill and verify stores of both kinds with SQL.
public enum StoreFilling {
    /// Creates an empty store with the tables of `StoreLayout`, without Core Data's metadata tables.
    public static func createPlainStore(at url: URL) throws {
        let connection = try Connection(url, synchronous: .normal)
        defer { connection.close() }
        for statement in StoreLayout.schema {
            try connection.execute(statement)
        }
    }

    /// Inserts the first `rows` users, and the messages if the fixture has any, into an empty store with the tables of
    /// `StoreLayout`. Updates Core Data's table of last primary keys if there is one.
    public static func fill(_ url: URL, rows: Int, fixture: Fixture) throws {
        let engine = try RawEngine(storeAt: url, synchronous: .normal)
        defer { engine.close() }
        if fixture != .empty {
            for start in stride(from: 0, to: rows, by: 10_000) {
                let people = People.users(start..<min(start + 10_000, rows))
                try engine.insert(people, savingEvery: people.count)
            }
        }
        if fixture == .usersAndMessages {
            try fillMessages(engine.connection)
        }
        try updateLastKeys(engine.connection)
        try engine.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Returns the differences between the tables and indexes of a store and those of `StoreLayout`.
    public static func differences(_ url: URL) throws -> [String] {
        let connection = try Connection(url, synchronous: .normal)
        defer { connection.close() }
        var found: Set<String> = []
        let statement = try connection.statement(
            "SELECT sql FROM sqlite_master WHERE tbl_name IN ('ZUSER', 'ZMESSAGE') AND sql IS NOT NULL")
        while try statement.step() { found.insert(statement.text(0) ?? "") }
        let expected = Set(StoreLayout.schema)
        return found.subtracting(expected).sorted().map { "unexpected: \($0)" }
            + expected.subtracting(found).sorted().map { "missing: \($0)" }
    }

    /// Returns a checksum of all values of all users and messages. Texts are hashed byte by byte; a foreign key is replaced by
    /// the number of the user.
    public static func checksum(_ url: URL) throws -> Checksum {
        let connection = try Connection(url, synchronous: .normal)
        defer { connection.close() }
        var checksum = Checksum()
        let selects = [
            "SELECT \(SQL.columns) FROM ZUSER",
            """
            SELECT m.ZMESSAGEID, m.ZISREAD, m.ZSENTAT, m.ZTEXT, m.ZSENDER IS NULL, u.ZUSERID FROM ZMESSAGE m \
            LEFT JOIN ZUSER u ON u.Z_PK = m.ZSENDER
            """,
        ]
        for select in selects {
            let statement = try connection.statement(select)
            while try statement.step() { checksum.add(statement.digest()) }
        }
        return checksum
    }

    private static func fillMessages(_ connection: Connection) throws {
        var keys: [Int64: Int64] = [:]
        let select = try connection.statement("SELECT ZUSERID, Z_PK FROM ZUSER WHERE ZUSERID <= ?")
        select.bind(1, Int64(People.writers))
        while try select.step() { keys[select.int64(0)] = select.int64(1) }

        let total = People.writers * People.messagesPerWriter
        try connection.transaction {
            let insert = try connection.statement(SQL.insertMessage)
            for message in People.messages(0..<total) {
                guard let sender = keys[message.senderID] else {
                    throw BenchmarkError("messages need at least \(People.writers) rows")
                }
                insert.bind(1, Int64(message.isRead ? 1 : 0))
                insert.bind(2, message.messageID)
                insert.bind(3, sender)
                insert.bind(4, message.sentAt.timeIntervalSinceReferenceDate)
                insert.bind(5, message.text)
                try insert.run()
            }
        }
    }

    private static func updateLastKeys(_ connection: Connection) throws {
        let select = try connection.statement("SELECT COUNT(*) FROM sqlite_master WHERE name = 'Z_PRIMARYKEY'")
        var isCoreData = false
        while try select.step() { isCoreData = select.int64(0) > 0 }
        guard isCoreData else { return }
        for (table, entity) in [("ZUSER", StoreLayout.userEntity), ("ZMESSAGE", StoreLayout.messageEntity)] {
            try connection.execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT IFNULL(MAX(Z_PK), 0) FROM \(table)) WHERE Z_ENT = \(entity)")
        }
    }
}
