#if PostgreSQL
import CCoreDataPostgreSQL

/// An error that the server reports, or the loss of its connection.
package struct PostgreSQLError: Error, CustomStringConvertible {
    /// The five characters of SQLSTATE; `08006` for a lost connection.
    package let state: String
    package let message: String
    package var detail: String?
    /// The parts of the schema that the error is about.
    var schema: String?
    var table: String?
    var column: String?
    var constraint: String?
    /// The number of the request in its pipeline; nil if the connection was lost.
    package var request: Int?
    /// True if the transaction may have been committed: the connection was lost after `COMMIT` was sent, and before the
    /// server's answer.
    package var isOutcomeUnknown = false
    /// True if a lock was not had in time, and the transaction may be run again.
    var isWaiting = false
    /// True if no server has reported the error.
    let isUnreported: Bool

    package var description: String {
        var text = "\(message) (SQLSTATE \(state))"
        if let detail { text += ". \(detail)" }
        return text
    }

    package init(state: String, message: String) {
        self.state = state
        self.message = message
        isUnreported = true
    }

    /// Reads the error of a result.
    init(_ result: OpaquePointer, request: Int?) {
        func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
        isUnreported = field(Field.state) == nil
        state = field(Field.state) ?? "08006"
        message = field(Field.message) ?? String(cString: PQresultErrorMessage(result))
        detail = field(Field.detail)
        schema = field(Field.schema)
        table = field(Field.table)
        column = field(Field.column)
        constraint = field(Field.constraint)
        self.request = request
    }

    /// Returns the error of a connection that was lost, or could not be opened.
    static func lost(_ handle: OpaquePointer?) -> PostgreSQLError {
        let text = handle.flatMap { PQerrorMessage($0) }.map { String(cString: $0) } ?? "the connection was lost"
        return PostgreSQLError(state: "08006", message: text.trimmedLines)
    }

    /// True if the connection cannot be used any more.
    package var isLoss: Bool {
        state.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05", Self.idleTransaction].contains(state)
    }
    /// True for the loss of a connection that could be opened before: another one may be had.
    package var isLossInUse: Bool { isLoss && state != "08001" && state != "57P03" }
    /// True if the same transaction may succeed when it is run again: serialization failures, deadlocks, and statements
    /// that a pooler's server connection does not know.
    package var isTransient: Bool { state == "40001" || state == "40P01" || isUnknownStatement || isKnownStatement }
    /// True if a value of a read cannot be computed: numbers out of range, division by zero, arguments of roots.
    package var isOfComputation: Bool { ["22003", "22012", "2201E", "2201F", "2201G"].contains(state) }
    /// True if another program may have migrated the store; rows of other versions fail saves in the same way.
    var isOfVersionCheck: Bool { state == "22012" }
    package var isCancellation: Bool { state == "57014" }
    /// True if the server, or the role, has as many connections as it may have.
    var isOutOfConnections: Bool { state == "53300" }
    /// True if a named statement is unknown to the server connection: a pooler has chosen another one.
    var isUnknownStatement: Bool { state == "26000" }
    /// True if a statement of the name exists on the server connection.
    var isKnownStatement: Bool { state == "42P05" }
    /// True if the server reports a feature that it does not have, such as results of other types than when the
    /// statement was prepared.
    var isUnsupported: Bool { state == "0A000" && !isUnreported }
    /// True if the same statement may succeed when it is not executed by the name under which it is prepared.
    var isOfPreparation: Bool { isUnknownStatement || isKnownStatement || isUnsupported }

    /// The state of a connection that was closed because its transaction did nothing for too long.
    static let idleTransaction = "25P03"
    /// The state of a server of a version that is not supported.
    static let oldServer = "0A000"

    /// Returns true if the server closes the connection after an error.
    static func endsConnection(_ result: OpaquePointer) -> Bool {
        guard PQresultStatus(result) == PGRES_FATAL_ERROR, let severity = PQresultErrorField(result, Field.severity)
        else { return false }
        return ["FATAL", "PANIC"].contains(String(cString: severity))
    }

    /// The codes of fields in `postgres_ext.h`.
    private enum Field {
        static let severity = Int32(UInt8(ascii: "V"))
        static let state = Int32(UInt8(ascii: "C")), message = Int32(UInt8(ascii: "M"))
        static let detail = Int32(UInt8(ascii: "D"))
        static let schema = Int32(UInt8(ascii: "s")), table = Int32(UInt8(ascii: "t"))
        static let column = Int32(UInt8(ascii: "c")), constraint = Int32(UInt8(ascii: "n"))
    }
}

extension String {
    /// The text in one line.
    var trimmedLines: String {
        split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
#endif
