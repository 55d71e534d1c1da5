#if PostgreSQL
import CCoreDataPostgreSQL
import Foundation

/// A connection to the server, always in libpq's pipeline mode but for `COPY`.
///
/// Used by one thread at a time; ``cancel()`` may be called by any.
package final class PostgreSQLConnection: @unchecked Sendable {
    private let handle: OpaquePointer
    private let settings: ConnectionSettings
    /// The names of the statements that are prepared on the connection, as far as is known.
    private var prepared: Set<String> = []
    /// The libpq object that cancels the running statement, and may be used by other threads.
    private let cancellation: OpaquePointer?
    /// True once the connection cannot be used any more.
    package private(set) var isLost = false
    /// The number of times that the caller has waited for the server.
    package private(set) var roundTrips = 0

    // MARK: Opening and closing

    /// Opens a connection.
    ///
    /// - Throws: ``PostgreSQLError``: 08001 or 08006 if there is no server or it does not answer in time, the server's error,
    ///   such as 28P01 for a wrong password, otherwise.
    package init(_ settings: ConnectionSettings, until deadline: Deadline = .none) throws {
        self.settings = settings
        let limit = Deadline.earlier(deadline, Deadline(after: settings.connectTimeout))
        let parameters = settings.parameters
        let keywords = parameters.map { strdup($0.0) }
        let values = parameters.map { strdup($0.1) }
        defer { for text in keywords + values { free(text) } }
        let started = (keywords.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { keywords in
            (values.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { values in
                PQconnectStartParams(keywords.baseAddress, values.baseAddress, 1)
            }
        }
        guard let handle = started else { throw PostgreSQLError(state: "08001", message: "out of memory") }
        do {
            try Self.finish(handle, until: limit)
        } catch {
            PQfinish(handle)
            throw error
        }
        self.handle = handle
        cancellation = PQgetCancel(handle)
    }

    deinit {
        if let cancellation { PQfreeCancel(cancellation) }
        PQfinish(handle)
    }

    private static func finish(_ handle: OpaquePointer, until deadline: Deadline) throws {
        var state = PGRES_POLLING_WRITING
        while true {
            guard PQstatus(handle) != CONNECTION_BAD else { throw connectionError(handle) }
            switch state {
            case PGRES_POLLING_OK:
                guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
                    throw connectionError(handle)
                }
                return
            case PGRES_POLLING_READING: try wait(handle, for: Int16(POLLIN), until: deadline)
            case PGRES_POLLING_WRITING: try wait(handle, for: Int16(POLLOUT), until: deadline)
            default: throw connectionError(handle)
            }
            state = PQconnectPoll(handle)
        }
    }

    /// Returns the error of a connection that could not be opened. libpq gives no SQLSTATE: the known texts of the server tell.
    private static func connectionError(_ handle: OpaquePointer) -> PostgreSQLError {
        let text = PostgreSQLError.lost(handle).message
        let states = [
            ("password authentication failed", "28P01"), ("no password supplied", "28P01"), ("no pg_hba.conf entry", "28000"),
            ("authentication failed", "28000"), ("does not exist", "3D000"), ("too many c", "53300"),
            ("starting up", "57P03"), ("shutting down", "57P01"),
        ]
        return PostgreSQLError(state: states.first { text.contains($0.0) }?.1 ?? "08001", message: text)
    }

    /// The version of the server, 150018 for 15.18.
    package var serverVersion: Int { Int(PQserverVersion(handle)) }

    /// True if a transaction is open, failed or not.
    package var isInTransaction: Bool {
        let state = PQtransactionStatus(handle)
        return state == PQTRANS_INTRANS || state == PQTRANS_INERROR
    }

    /// Asks the server, over a connection of its own, to cancel the running statement. May be called by any thread.
    package func cancel() {
        guard let cancellation else { return }
        var message = [CChar](repeating: 0, count: 256)
        _ = PQcancel(cancellation, &message, 256)
    }

    // MARK: Requests

    /// Runs statements as one pipeline with one synchronization at its end, in one round trip.
    ///
    /// The statements are one transaction, unless they contain `BEGIN` or `COMMIT`: after the first error, the server skips
    /// the rest.
    ///
    /// - Throws: The first error of the server, with the number of its request. Errors of a receiver, after the pipeline was
    ///   drained. 57014 if the deadline has passed: the statement was cancelled.
    package func run(_ requests: [PipelineRequest], until deadline: Deadline = .none) throws {
        guard !isLost else { throw PostgreSQLError.lost(nil) }
        var attempts = 0
        while true {
            do {
                return try attempt(requests, until: deadline)
            } catch let error as PostgreSQLError where attempts < 2 && (error.isUnknownStatement || error.isKnownStatement) {
                // A pooler has chosen a server connection with other statements. Nothing was received or committed: such an
                // error precedes the first statement of the pipeline that needs the name.
                guard let number = error.request, !isInTransaction else { throw error }
                attempts += 1
                let name = requests[number].statement.name
                if error.isKnownStatement { prepared.insert(name) } else { prepared.remove(name) }
            }
        }
    }

    private func attempt(_ requests: [PipelineRequest], until deadline: Deadline) throws {
        roundTrips += 1
        // The requests whose results are preceded by that of their preparation.
        var preparations: [Bool] = []
        preparations.reserveCapacity(requests.count)
        var sent: Set<String> = []
        for request in requests {
            let name = settings.preparesStatements ? request.statement.name : ""
            let isNew = !name.isEmpty && !prepared.contains(name) && sent.insert(name).inserted
            preparations.append(isNew)
            if isNew, PQsendPrepare(handle, name, request.statement.text, 0, nil) != 1 { throw lose() }
            let isSent = request.parameters.withPointers { count, values, lengths, formats in
                name.isEmpty
                    ? PQsendQueryParams(handle, request.statement.text, count, nil, values, lengths, formats, 1)
                    : PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
            }
            guard isSent == 1 else { throw lose() }
        }
        guard PQpipelineSync(handle) == 1 else { throw lose() }
        try receive(requests, preparations, until: deadline)
    }

    private func receive(_ requests: [PipelineRequest], _ preparations: [Bool], until deadline: Deadline) throws {
        var failure: (any Error)?
        var clock = deadline
        for (number, request) in requests.enumerated() {
            if preparations[number] {
                try results(until: &clock) { result in
                    if PQresultStatus(result) == PGRES_COMMAND_OK {
                        prepared.insert(request.statement.name)
                    } else if failure == nil, PQresultStatus(result) == PGRES_FATAL_ERROR {
                        failure = PostgreSQLError(result, request: number)
                    }
                }
            }
            if request.isStreamed { PQsetSingleRowMode(handle) }
            try results(until: &clock) { result in
                switch PQresultStatus(result) {
                case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_EMPTY_QUERY:
                    guard failure == nil, let receive = request.receive else { return }
                    do { try receive(ServerRows(result)) } catch { failure = error }
                case PGRES_PIPELINE_ABORTED: break
                default: if failure == nil { failure = PostgreSQLError(result, request: number) }
                }
            }
        }
        // The synchronization point.
        try results(until: &clock, endsAtSync: true) { _ in }
        if let failure { throw failure }
    }

    /// Passes the results of one request.
    ///
    /// - Parameter deadline: Extended by a moment once it has passed, so that the server can answer to the cancellation.
    private func results(
        until deadline: inout Deadline, endsAtSync: Bool = false, _ body: (OpaquePointer) throws -> Void
    ) throws {
        while true {
            try awaitResult(until: &deadline)
            guard let result = PQgetResult(handle) else {
                if endsAtSync { throw lose() }
                return
            }
            defer { PQclear(result) }
            if PQresultStatus(result) == PGRES_PIPELINE_SYNC {
                guard endsAtSync else { throw lose() }
                return
            }
            if PQstatus(handle) == CONNECTION_BAD {
                let error = PostgreSQLError(result, request: nil)
                isLost = true
                throw error.state == "XX000" ? PostgreSQLError.lost(handle) : error
            }
            try body(result)
        }
    }

    /// Sends what is not sent yet, and waits until a result can be read without blocking.
    private func awaitResult(until deadline: inout Deadline) throws {
        while true {
            let unsent = PQflush(handle)
            guard unsent >= 0 else { throw lose() }
            guard PQisBusy(handle) == 1 else { return }
            let events = Int16(POLLIN) | (unsent > 0 ? Int16(POLLOUT) : 0)
            do {
                try Self.wait(handle, for: events, until: deadline)
            } catch let error as PostgreSQLError where error.isCancellation {
                guard !isCancelling else { throw lose() }
                isCancelling = true
                cancel()
                deadline = Deadline(after: 5)
                continue
            }
            guard PQconsumeInput(handle) == 1 else { throw lose() }
        }
    }

    /// True while the server is asked to cancel a statement.
    private var isCancelling = false

    private func lose() -> PostgreSQLError {
        isLost = true
        return PostgreSQLError.lost(handle)
    }

    /// Waits for the socket.
    ///
    /// - Throws: 57014 once the deadline has passed.
    private static func wait(_ handle: OpaquePointer, for events: Int16, until deadline: Deadline) throws {
        let socket = PQsocket(handle)
        guard socket >= 0 else { throw PostgreSQLError.lost(handle) }
        while true {
            var entry = pollfd(fd: socket, events: events, revents: 0)
            let count = poll(&entry, 1, deadline.milliseconds)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw PostgreSQLError.lost(handle) }
            if deadline.isOver {
                throw PostgreSQLError(state: "57014", message: "the server did not answer in time")
            }
        }
    }
}
#endif
