#if PostgreSQL
import CCoreDataPostgreSQL
import Foundation

/// The opening of a connection. libpq tries one host after the other, and has time-outs only in functions that block:
/// here a host that does not answer in time is left out.
enum ConnectionAttempt {
    /// The lowest version of servers, as libpq numbers them.
    private static let lowestVersion: Int32 = 140_000

    /// Opens a connection in pipeline mode.
    static func open(_ settings: ConnectionSettings, until deadline: Deadline) throws -> OpaquePointer {
        let limit = Deadline.earlier(deadline, Deadline(after: settings.connectTimeout))
        var hosts: HostList?
        while true {
            let handle = try start(settings, hosts)
            do {
                let known = hosts ?? HostList(handle)
                // The SQLSTATE is then a part of the error's text.
                PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
                guard let silent = try finish(handle, known, settings, until: limit) else { return handle }
                guard let rest = known.after(silent), !limit.isOver else {
                    throw PostgreSQLError(
                        state: "08001", message: "the server on \(silent.place) did not answer in time")
                }
                PQfinish(handle)
                hosts = rest
            } catch {
                PQfinish(handle)
                throw error
            }
        }
    }

    private static func start(_ settings: ConnectionSettings, _ hosts: HostList?) throws -> OpaquePointer {
        let parameters = settings.parameters + (hosts?.parameters ?? [])
        let keywords = parameters.map { strdup($0.0) }
        let values = parameters.map { strdup($0.1) }
        defer { for text in keywords + values { free(text) } }
        let handle = (keywords.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { keywords in
            (values.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { values in
                PQconnectStartParams(keywords.baseAddress, values.baseAddress, 1)
            }
        }
        guard let handle else { throw PostgreSQLError(state: "08001", message: "out of memory") }
        // libpq would print notices of the server to standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        return handle
    }

    /// Completes a connection; returns the host that did not answer in time.
    private static func finish(
        _ handle: OpaquePointer, _ hosts: HostList, _ settings: ConnectionSettings, until deadline: Deadline
    ) throws -> HostList.Host? {
        var state = PGRES_POLLING_WRITING
        var host = HostList.Host(handle)
        var limit = hosts.limit(settings, until: deadline)
        while true {
            guard PQstatus(handle) != CONNECTION_BAD else { throw error(of: handle) }
            switch state {
            case PGRES_POLLING_OK:
                try check(handle)
                return nil
            case PGRES_POLLING_READING, PGRES_POLLING_WRITING:
                let current = HostList.Host(handle)
                if current != host {
                    host = current
                    limit = hosts.limit(settings, until: deadline)
                }
                let events = state == PGRES_POLLING_READING ? Int16(POLLIN) : Int16(POLLOUT)
                guard try SocketWait.wait(handle, for: events, milliseconds: limit.milliseconds) else {
                    if limit.isOver { return host }
                    continue
                }
            default: throw error(of: handle)
            }
            state = PQconnectPoll(handle)
        }
    }

    private static func check(_ handle: OpaquePointer) throws {
        let version = PQserverVersion(handle)
        guard version >= lowestVersion else {
            let text = PQparameterStatus(handle, "server_version").map { String(cString: $0) } ?? "\(version)"
            throw PostgreSQLError(
                state: PostgreSQLError.oldServer,
                message: "the server has version \(text); the lowest that is supported is \(lowestVersion / 10_000)")
        }
        PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw error(of: handle) }
    }

    /// Returns the error of a connection that could not be opened.
    private static func error(of handle: OpaquePointer) -> PostgreSQLError {
        let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        var message = text.split(whereSeparator: \.isNewline).filter { !isLocation($0) }.joined(separator: " ")
        var state = PQconnectionNeedsPassword(handle) == 1 ? "28P01" : "08001"
        // In verbose texts, two spaces and SQLSTATE follow the severity.
        if let mark = message.firstRange(of: #/: {2}[0-9A-Z]{5}: /#) {
            state = String(message[mark].dropFirst(3).prefix(5))
            message.replaceSubrange(mark, with: ": ")
        }
        return PostgreSQLError(state: state, message: message)
    }

    /// Returns true for a line that names a place in the server's source.
    private static func isLocation(_ line: Substring) -> Bool { line.firstMatch(of: #/, [a-z_]+\.c:[0-9]+$/#) != nil }
}
#endif
