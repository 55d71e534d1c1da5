#if PostgreSQL
import CCoreDataPostgreSQL
import Foundation

extension PostgreSQLConnection {
    /// The socket's file descriptor.
    package var socket: Int32 { PQsocket(handle) }
    /// The number of the server's process.
    package var serverProcess: Int32 { PQbackendPID(handle) }

    /// True if a transaction is open, failed or not.
    package var isInTransaction: Bool {
        if let nesting { return nesting.isOpen }
        let state = PQtransactionStatus(handle)
        return state == PQTRANS_INTRANS || state == PQTRANS_INERROR
    }

    /// True if the open transaction has failed: all that it accepts is a rollback.
    package var isInFailedTransaction: Bool { PQtransactionStatus(handle) == PQTRANS_INERROR }

    /// True if the connection can be used by others.
    var isReusable: Bool {
        guard !isLost, !isSpent else { return false }
        guard let nesting else { return PQtransactionStatus(handle) == PQTRANS_IDLE }
        return !nesting.isOpen && PQtransactionStatus(handle) == PQTRANS_INTRANS
    }

    /// Returns true if the server has closed the connection, or has said anything, since it was used.
    func isStale() -> Bool {
        let socket = PQsocket(handle)
        guard !isLost, socket >= 0 else { return true }
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) != 0
    }
}
#endif
