#if PostgreSQL
import CCoreDataPostgreSQL

extension PostgreSQLConnection {
    /// The bytes that are passed to libpq at once.
    private static let copiedAtOnce = 1 << 18

    /// Runs statements without parameters, then copies rows into tables: one round trip, and another one for each table.
    ///
    /// libpq cannot copy in pipeline mode, which is left meanwhile. After the first error, the server skips the rest.
    ///
    /// - Parameter beginning: Statements, of which the first one is `BEGIN` or `SAVEPOINT`: the transaction stays open.
    /// - Throws: As ``run(_:until:checking:)``.
    package func copy(_ copies: [CopiedRows], after beginning: [String], until deadline: Deadline = .none) throws {
        guard !isLost else { throw PostgreSQLError.lost(nil) }
        let patience = Patience(until: deadline, checking: nil)
        try perform(patience, roundTrips: copies.count + 1) {
            guard PQexitPipelineMode(handle) == 1 else { throw lose() }
            let isNested = nesting != nil && beginning.first?.hasPrefix("BEGIN") == true
            let first = isNested ? NestedTransactions.beginning + beginning.dropFirst() : beginning
            if isNested { noteNestedBeginning() }
            let statements = first + copies.map(\.statement)
            guard PQsendQuery(handle, statements.joined(separator: "; ")) == 1 else { throw lose() }
            var rest = copies[...]
            var failure: PostgreSQLError?
            try results(patience, acceptsCopies: true) { result in
                switch PQresultStatus(result) {
                case PGRES_COPY_IN:
                    guard let rows = rest.popFirst() else { throw lose() }
                    try send(rows, patience)
                case PGRES_COMMAND_OK, PGRES_TUPLES_OK: break
                default: if failure == nil { failure = Self.error(of: result) }
                }
            }
            guard PQenterPipelineMode(handle) == 1 else { throw lose() }
            if let failure { throw failure }
        }
    }

    /// Returns the error of a copy. Values that are too short for their columns are a violation of the protocol to the server,
    /// which keeps the connection.
    private static func error(of result: OpaquePointer) -> PostgreSQLError {
        let error = PostgreSQLError(result, request: nil)
        return error.state == "08P01" ? PostgreSQLError(state: "22P03", message: error.message) : error
    }

    /// Sends rows to the end, even if the server has refused one of them: it skips the others.
    private func send(_ rows: CopiedRows, _ patience: Patience) throws {
        try rows.withBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.copiedAtOnce))
                let start = part.baseAddress?.assumingMemoryBound(to: CChar.self)
                guard PQputCopyData(handle, start, Int32(part.count)) == 1 else { throw lose() }
                try awaitSending(patience)
                rest = rest.dropFirst(part.count)
            }
        }
        guard PQputCopyEnd(handle, nil) == 1 else { throw lose() }
    }
}
#endif
