#if PostgreSQL
import CCoreDataPostgreSQL
import Foundation

/// Waits for the sockets of connections.
enum SocketWait {
    /// Waits until a connection's socket is ready, or has failed; returns false if the time is over.
    static func wait(_ handle: OpaquePointer, for events: Int16, milliseconds: Int32) throws -> Bool {
        let socket = PQsocket(handle)
        guard socket >= 0 else { throw PostgreSQLError.lost(handle) }
        var entry = pollfd(fd: socket, events: events, revents: 0)
        let count = poll(&entry, 1, milliseconds)
        // After a signal, the caller computes the remaining time.
        if count < 0, errno != EINTR { throw PostgreSQLError.lost(handle) }
        return count > 0
    }
}
#endif
