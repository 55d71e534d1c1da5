#if PostgreSQL
import CCoreDataPostgreSQL
import Foundation

/// Waits for notifications of a channel, over a connection that is only used for that. It must lead to the server, not to a
/// pooler that changes connections between transactions.
final class NotificationListener: @unchecked Sendable {
    private let settings: ConnectionSettings
    private let channel: String
    private var connection: PostgreSQLConnection?
    /// Wakes a thread that waits.
    private let ending = DispatchSemaphore(value: 0)
    private let lock = NSLock()
    private var isStopped = false

    init(_ settings: ConnectionSettings, channel: String) {
        self.settings = settings
        self.channel = channel
    }

    /// Returns the channel of a store's commits.
    static func channel(of identifier: String) -> String {
        "coredata_" + identifier.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    func stop() {
        lock.withLock {
            isStopped = true
            connection?.shutDown()
        }
        ending.signal()
    }

    /// Waits for the next notification; returns false after some seconds without one, or without the server.
    func wait(seconds: Double) -> Bool {
        let deadline = Deadline(after: seconds)
        do {
            let (connection, isNew) = try connected()
            // What was committed while there was no connection was not announced.
            if isNew { return true }
            return try receive(connection, until: deadline)
        } catch {
            lock.withLock { connection = nil }
            _ = ending.wait(timeout: deadline.dispatchTime)
            return false
        }
    }

    private func connected() throws -> (PostgreSQLConnection, isNew: Bool) {
        if let connection = lock.withLock({ connection }) { return (connection, false) }
        let new = try PostgreSQLConnection(settings, until: Deadline(after: 10))
        try new.run([.plain("LISTEN \(channel)")], until: Deadline(after: 10))
        return try lock.withLock {
            guard !isStopped else { throw PostgreSQLError.lost(nil) }
            connection = new
            return (new, true)
        }
    }

    private func receive(_ connection: PostgreSQLConnection, until deadline: Deadline) throws -> Bool {
        while true {
            guard PQconsumeInput(connection.handle) == 1 else { throw PostgreSQLError.lost(connection.handle) }
            var isNotified = false
            while let notification = PQnotifies(connection.handle) {
                PQfreemem(notification)
                isNotified = true
            }
            if isNotified { return true }
            if deadline.isOver { return false }
            _ = try SocketWait.wait(connection.handle, for: Int16(POLLIN), milliseconds: deadline.milliseconds)
        }
    }
}
#endif
