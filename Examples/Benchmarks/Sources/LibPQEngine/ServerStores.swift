#if PostgreSQL
import Foundation
import Workloads

/// Functions that make, fill and verify stores in the server that `MAGICALRECORD_TEST_POSTGRESQL` names.
public enum ServerStores {
    // MARK: Schemas

    private static func administrator() throws -> (url: URL, connection: ServerConnection) {
        let variable = ProcessInfo.processInfo.environment["MAGICALRECORD_TEST_POSTGRESQL"]
        guard let url = variable.flatMap(URL.init(string:))
        else {
            throw BenchmarkError(
                "Set MAGICALRECORD_TEST_POSTGRESQL to the URL of a PostgreSQL database whose user may create roles.")
        }
        return (url, try ServerConnection(url))
    }

    /// Makes a role with an empty schema, and returns its URL.
    public static func make() throws -> URL {
        let (url, connection) = try administrator()
        let name = "benchmark_" + UUID().uuidString.prefix(8).lowercased()
        try connection.execute(
            "CREATE ROLE \(name) LOGIN PASSWORD '\(name)'; CREATE SCHEMA \(name) AUTHORIZATION \(name)")
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else {
            throw BenchmarkError("MAGICALRECORD_TEST_POSTGRESQL is not a URL")
        }
        parts.user = name
        parts.password = name
        guard let made = parts.url else { throw BenchmarkError("MAGICALRECORD_TEST_POSTGRESQL is not a URL") }
        return made
    }

    /// Removes a schema that ``make()`` made, with its role.
    public static func remove(_ url: URL) {
        guard let name = url.user, name.hasPrefix("benchmark_"), let connection = try? administrator().connection
        else { return }
        try? connection.execute("DROP SCHEMA IF EXISTS \(name) CASCADE")
        try? connection.execute("DROP ROLE IF EXISTS \(name)")
    }

    // MARK: Contents

    /// Inserts the first `rows` users, and the messages if the fixture has any, into an empty store with Core Data's tables.
    public static func fill(_ url: URL, rows: Int, fixture: Fixture) throws {
        let engine = try LibPQEngine(storeAt: url, synchronous: .normal)
        if fixture != .empty {
            for start in stride(from: 0, to: rows, by: 10_000) {
                let people = People.users(start..<min(start + 10_000, rows))
                try engine.insert(people, savingEvery: people.count)
            }
        }
        if fixture == .usersAndMessages { try fillMessages(engine) }
        for table in ["\"user\"", "message"] { try engine.connection.execute("VACUUM ANALYZE \(table)") }
    }

    private static func fillMessages(_ engine: LibPQEngine) throws {
        let rows = try engine.connection.query("SELECT user_id, id FROM \"user\" WHERE user_id <= \(People.writers)")
        var keys: [Int64: Int64] = [:]
        for row in 0..<rows.count { keys[rows.int64(row, 0)] = rows.int64(row, 1) }
        guard keys.count == People.writers else {
            throw BenchmarkError("messages need at least \(People.writers) rows")
        }
        let messages = People.messages(0..<People.writers * People.messagesPerWriter)
        let table = "message (id, version, message_id, text, sent_at, is_read, sender)"
        try engine.connection.copy(messages, into: table, columns: 7) { buffer, message in
            buffer.field(message.messageID)
            buffer.field(Int64(1))
            buffer.field(message.messageID)
            buffer.field(message.text)
            buffer.field(ServerDate.microseconds(message.sentAt.timeIntervalSinceReferenceDate))
            buffer.field(message.isRead)
            buffer.field(keys[message.senderID] ?? 0)
        }
        try engine.connection.execute(
            "SELECT setval('message_id_seq', (\(messages.count) / 1000 + 1) * 1000 + 1, false)")
    }

    /// Returns a checksum of all values of all users and messages, byte by byte; a foreign key is replaced by the number of
    /// the user.
    public static func checksum(_ url: URL) throws -> Checksum {
        let connection = try ServerConnection(url)
        var checksum = Checksum()
        let selects = [
            (SQL.wide, 12),
            (
                """
                SELECT m.message_id, m.text, m.sent_at, m.is_read, m.sender IS NULL, u.user_id FROM message m \
                LEFT JOIN "user" u ON u.id = m.sender
                """, 6
            ),
        ]
        for (select, columns) in selects {
            let rows = try connection.query(select)
            for row in 0..<rows.count {
                var hash: UInt64 = 0xCBF2_9CE4_8422_2325
                for column in 0..<Int32(columns) {
                    for byte in rows.bytes(row, column) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
                    hash = (hash ^ (rows.isNull(row, column) ? 0x100 : 0xFF)) &* 0x100_0000_01B3
                }
                checksum.add(hash)
            }
        }
        return checksum
    }
}
#endif
