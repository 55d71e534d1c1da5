#if PostgreSQL
import CCoreDataPostgreSQL
import CoreDataRowStorage
import Foundation

/// A connection to the server, always in libpq's pipeline mode.
///
/// Used by one thread at a time; ``interrupt()`` may be called by any.
package final class PostgreSQLConnection: @unchecked Sendable {
    let handle: OpaquePointer
    /// The names of the statements that are prepared on the connection, as far as is known.
    private var prepared: Set<String> = []
    /// True until statements turn out to be prepared on other connections of the server: a pooler chooses one for each
    /// transaction.
    private var preparesStatements: Bool
    /// The names of statements with results of other types than when they were prepared.
    private var outdated: Set<String> = []
    private let cancellation: QueryCancellation
    /// True once the connection cannot be used any more.
    package private(set) var isLost = false
    /// True if a request to cancel may still reach the server, and would then end a later statement.
    package private(set) var isSpent = false
    /// The transactions within the connection's, which stays open; nil if it has none that does.
    var nesting: NestedTransactions?
    /// The number of times that the caller has waited for the server.
    package private(set) var roundTrips = 0
    /// The number of results that were passed to receivers.
    package private(set) var deliveries = 0
    /// The number of rows in these results.
    private(set) var receivedRows = 0

    // MARK: Opening and closing

    /// Opens a connection.
    ///
    /// - Throws: ``PostgreSQLError``: 08001 if there is no server or it does not answer in time, the server's error,
    ///   such as 28P01 for a wrong password, otherwise.
    package init(_ settings: ConnectionSettings, until deadline: Deadline = .none) throws {
        preparesStatements = settings.preparesStatements
        handle = try ConnectionAttempt.open(settings, until: deadline)
        cancellation = QueryCancellation(handle)
    }

    deinit { PQfinish(handle) }

    // MARK: Cancellation

    /// Ends the running statement, or the next one, with a `CancellationError`. May be called by any thread; returns at
    /// once.
    package func interrupt() { cancellation.interrupt(self) }

    /// Forgets an interruption that has come too late.
    func forgetInterruption() { cancellation.forgetInterruption() }

    /// Makes the thread that waits for the server give up.
    func shutDown() { Self.shutDown(PQsocket(handle)) }

    private static func shutDown(_ socket: Int32) {
        if socket >= 0 { _ = shutdown(socket, Int32(SHUT_RDWR)) }
    }

    // MARK: Requests

    /// Runs statements as one pipeline with one synchronization at its end, in one round trip.
    ///
    /// The statements are one transaction, unless they contain `BEGIN` or `COMMIT`: after the first error, the server
    /// skips the rest.
    ///
    /// - Parameter interruption: Ends the statements early, with its error.
    /// - Throws: The first error of the server, with the number of its request. Errors of a receiver, after the
    ///   pipeline was drained. 57014 if the deadline has passed: the statement was cancelled. `CancellationError` after
    ///   ``interrupt()``.
    package func run(
        _ requests: [PipelineRequest], until deadline: Deadline = .none, checking interruption: FetchInterruption? = nil
    ) throws {
        guard !isLost else { throw PostgreSQLError.lost(nil) }
        guard !requests.isEmpty else { return }
        if let nesting {
            return try run(requests, in: nesting) { try attempt($0, Patience(until: deadline, checking: interruption)) }
        }
        let (wasInTransaction, received) = (isInTransaction, deliveries)
        do {
            try attempt(requests, Patience(until: deadline, checking: interruption))
        } catch let error as PostgreSQLError where error.isOfPreparation {
            guard stopPreparing(after: error, requests) else { throw error }
            // Nothing is received twice, and no transaction is lost that was open before, unless the pipeline ends it first.
            let isOfOpen = wasInTransaction && requests[0].statement.text != Self.rollback.statement.text
            guard deliveries == received, !isOfOpen else { throw error }
            if isInTransaction { try attempt([Self.rollback], Patience(until: deadline, checking: nil)) }
            try attempt(requests, Patience(until: deadline, checking: interruption))
        }
    }

    /// Notes that a statement cannot be executed by its name; returns false if it was not.
    private func stopPreparing(after error: PostgreSQLError, _ requests: [PipelineRequest]) -> Bool {
        guard let number = error.request, !name(of: requests[number].statement).isEmpty else { return false }
        if error.isUnsupported {
            outdated.insert(requests[number].statement.name)
        } else {
            // Names that are known to one connection of the server are unknown to others.
            preparesStatements = false
        }
        return true
    }

    /// Returns the name under which a statement is prepared; empty if it is not.
    private func name(of statement: ServerStatement) -> String {
        preparesStatements && !outdated.contains(statement.name) ? statement.name : ""
    }

    static var rollback: PipelineRequest { .plain("ROLLBACK") }

    private func attempt(_ requests: [PipelineRequest], _ patience: Patience) throws {
        let commits = Self.commits(requests, isInTransaction: isInTransaction)
        try perform(patience, commits: commits) {
            if Probe.isOn {
                try reporting(requests) { try receive(requests, try send(requests), patience) }
            } else {
                try receive(requests, try send(requests), patience)
            }
        }
    }

    /// Runs a closure that sends statements and receives all results, and finds out the reason of its error.
    ///
    /// - Parameter commits: True if the server may commit without answering.
    func perform(_ patience: Patience, roundTrips: Int = 1, commits: Bool = false, _ body: () throws -> Void) throws {
        try cancellation.begin()
        self.roundTrips += roundTrips
        var failure: (any Error)?
        do {
            try body()
        } catch {
            failure = error
        }
        let end = cancellation.end()
        let error = failure as? PostgreSQLError
        if end.isSent, error?.isCancellation != true { isSpent = true }
        let isUnknown = commits && error?.isUnreported == true && isLost
        if error?.isCancellation == true || isLost && !isUnknown {
            if end.isRequested { throw CancellationError() }
            if let reason = patience.reason { throw reason }
        }
        if var error {
            error.isOutcomeUnknown = isUnknown
            throw error
        }
        if let failure { throw failure }
    }

    /// Returns true if the server may have committed a pipeline without answering.
    private static func commits(_ requests: [PipelineRequest], isInTransaction: Bool) -> Bool {
        var isExplicit = isInTransaction
        for request in requests {
            switch request.statement.command {
            case .begin: isExplicit = true
            case .commit: return true
            case .other: break
            }
        }
        return !isExplicit
    }

    /// The preparations in a pipeline; their results precede those of requests.
    private struct Preparations {
        /// The requests with statements that are prepared, or checked to be, before the first request with a receiver.
        var later: [Int] = []
        /// For each request, true if its results are preceded by that of its preparation.
        var ofRequests: [Bool] = []
    }

    /// Passes the statements to libpq.
    private func send(_ requests: [PipelineRequest]) throws -> Preparations {
        var preparations = Preparations()
        preparations.ofRequests.reserveCapacity(requests.count)
        var sent: Set<String> = []
        let receiver = requests.firstIndex { $0.receive != nil }
        for (number, request) in requests.enumerated() {
            if number == receiver { try sendLater(requests, after: number, &preparations, &sent) }
            let name = name(of: request.statement)
            let isNew = !name.isEmpty && !prepared.contains(name) && sent.insert(name).inserted
            preparations.ofRequests.append(isNew)
            if isNew, PQsendPrepare(handle, name, request.statement.text, 0, nil) != 1 { throw lose() }
            let isSent = request.parameters.withPointers { count, values, lengths, formats in
                name.isEmpty
                    ? PQsendQueryParams(handle, request.statement.text, count, nil, values, lengths, formats, 1)
                    : PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
            }
            guard isSent == 1 else { throw lose() }
        }
        guard PQpipelineSync(handle) == 1 else { throw lose() }
        return preparations
    }

    /// Prepares statements that are first used after the first one with a receiver, or checks that they are prepared. Behind a
    /// pooler any of them may be unknown to the connection of the server, or known: if that were found later, the pipeline
    /// could not be run again, because rows were received.
    private func sendLater(
        _ requests: [PipelineRequest], after first: Int, _ preparations: inout Preparations, _ sent: inout Set<String>
    ) throws {
        guard first + 1 < requests.count, preparesStatements else { return }
        var used = Set(requests[...first].map { name(of: $0.statement) })
        for number in (first + 1)..<requests.count {
            let name = name(of: requests[number].statement)
            guard !name.isEmpty, used.insert(name).inserted else { continue }
            preparations.later.append(number)
            let isSent =
                prepared.contains(name)
                ? PQsendDescribePrepared(handle, name)
                : PQsendPrepare(handle, name, requests[number].statement.text, 0, nil)
            guard isSent == 1 else { throw lose() }
            sent.insert(name)
        }
    }

    private func receive(_ requests: [PipelineRequest], _ preparations: Preparations, _ patience: Patience) throws {
        var failure: (any Error)?
        func receivePreparation(of number: Int) throws {
            try results(patience) { result in
                if PQresultStatus(result) == PGRES_COMMAND_OK {
                    prepared.insert(requests[number].statement.name)
                } else if failure == nil, PQresultStatus(result) == PGRES_FATAL_ERROR {
                    failure = PostgreSQLError(result, request: number)
                }
            }
        }
        let receiver = requests.firstIndex { $0.receive != nil }
        for (number, request) in requests.enumerated() {
            if number == receiver { for later in preparations.later { try receivePreparation(of: later) } }
            if preparations.ofRequests[number] { try receivePreparation(of: number) }
            try results(patience) { result in
                switch PQresultStatus(result) {
                case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                    guard failure == nil, let receive = request.receive else { return }
                    deliveries += 1
                    let rows = ServerRows(result)
                    receivedRows += rows.count
                    do { try receive(rows) } catch { failure = error }
                case PGRES_PIPELINE_ABORTED: break
                default: if failure == nil { failure = PostgreSQLError(result, request: number) }
                }
            }
        }
        // The synchronization point.
        try results(patience, endsAtSync: true) { _ in }
        if let failure { throw failure }
    }

    /// Passes the results of one request.
    ///
    /// - Parameter acceptsCopies: True if the request copies rows into a table, which the closure sends.
    func results(
        _ patience: Patience, endsAtSync: Bool = false, acceptsCopies: Bool = false,
        _ body: (OpaquePointer) throws -> Void
    ) throws {
        while true {
            try awaitResult(patience)
            guard let result = PQgetResult(handle) else {
                if endsAtSync { throw lose() }
                return
            }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                guard endsAtSync else { throw lose() }
                return
            case PGRES_COPY_IN where acceptsCopies: break
            // libpq would return these results forever.
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: throw lose()
            default: break
            }
            if PQstatus(handle) == CONNECTION_BAD {
                isLost = true
                let error = PostgreSQLError(result, request: nil)
                throw error.isUnreported ? PostgreSQLError.lost(handle) : error
            }
            if PostgreSQLError.endsConnection(result) {
                isLost = true
                throw PostgreSQLError(result, request: nil)
            }
            try body(result)
        }
    }

    /// Sends what is not sent yet, and waits until a result can be read without blocking.
    private func awaitResult(_ patience: Patience) throws {
        while true {
            let unsent = PQflush(handle)
            // What the server has said last explains why nothing more can be sent.
            if unsent < 0, PQisBusy(handle) == 1, PQconsumeInput(handle) != 1, PQisBusy(handle) == 1 { throw lose() }
            guard PQisBusy(handle) == 1 else { return }
            let events = Int16(POLLIN) | (unsent > 0 ? Int16(POLLOUT) : 0)
            guard try SocketWait.wait(handle, for: events, milliseconds: patience.milliseconds) else {
                if patience.isExhausted { throw lose() }
                if patience.mustEnd() { cancellation.send(self) }
                continue
            }
            guard PQconsumeInput(handle) == 1 else {
                // A last error of the server may have come with the end of the connection.
                if PQisBusy(handle) == 0 { return }
                throw lose()
            }
        }
    }

    /// Sends what is not sent yet; reads what the server has to say meanwhile.
    func awaitSending(_ patience: Patience) throws {
        while true {
            let unsent = PQflush(handle)
            guard unsent >= 0 else { throw lose() }
            guard unsent > 0 else { return }
            let events = Int16(POLLIN | POLLOUT)
            guard try SocketWait.wait(handle, for: events, milliseconds: patience.milliseconds) else {
                if patience.isExhausted { throw lose() }
                if patience.mustEnd() { cancellation.send(self) }
                continue
            }
            guard PQconsumeInput(handle) == 1 else { throw lose() }
        }
    }

    /// Marks the connection as lost, and returns the error that says why.
    func lose() -> PostgreSQLError {
        isLost = true
        return PostgreSQLError.lost(handle)
    }
}
#endif
