#if PostgreSQL
import CLibPQ
import Foundation
import Workloads

/// A connection by libpq's blocking functions; parameters and results are in binary form.
final class ServerConnection {
    private let handle: OpaquePointer
    private var statements: Set<String> = []

    init(_ url: URL) throws {
        handle = PQconnectdb(url.absoluteString)
        guard PQstatus(handle) == CONNECTION_OK else { throw error }
        // Notices, such as of what DROP removes, are not printed.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
    }

    deinit { PQfinish(handle) }

    private var error: BenchmarkError { BenchmarkError("libpq: \(String(cString: PQerrorMessage(handle)))") }

    private func checked(_ result: OpaquePointer?) throws -> ServerRows {
        guard let result else { throw error }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_COPY_IN: return ServerRows(result)
        default:
            defer { PQclear(result) }
            throw BenchmarkError("libpq: \(String(cString: PQresultErrorMessage(result)))")
        }
    }

    /// Runs statements without parameters.
    func execute(_ sql: String) throws { _ = try checked(PQexec(handle, sql)) }

    // MARK: Statements

    /// Runs a statement that is not prepared.
    func query(_ sql: String, _ parameters: borrowing Parameters = Parameters()) throws -> ServerRows {
        try parameters.withPointers { count, values, lengths, formats in
            try checked(PQexecParams(handle, sql, count, nil, values, lengths, formats, 1))
        }
    }

    /// Prepares a statement, once.
    func prepare(_ name: String, _ sql: String) throws {
        if statements.insert(name).inserted { _ = try checked(PQprepare(handle, name, sql, 0, nil)) }
    }

    /// Runs a prepared statement with up to two integers as its parameters.
    @inline(__always)
    func run(_ name: String, _ first: Int64? = nil, _ second: Int64 = 0, count: Int32 = 1) throws -> ServerRows {
        guard let first else { return try checked(PQexecPrepared(handle, name, 0, nil, nil, nil, 1)) }
        return try withUnsafeBytes(of: (first.bigEndian, second.bigEndian)) { bytes in
            let base = bytes.baseAddress!.assumingMemoryBound(to: CChar.self)
            return try withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: 2) { values in
                values[0] = base
                values[1] = base + 8
                return try withUnsafeTemporaryAllocation(of: Int32.self, capacity: 4) { numbers in
                    (numbers[0], numbers[1], numbers[2], numbers[3]) = (8, 8, 1, 1)
                    return try checked(
                        PQexecPrepared(
                            handle, name, count, values.baseAddress, numbers.baseAddress, numbers.baseAddress! + 2, 1))
                }
            }
        }
    }

    // MARK: Pipelines

    /// Runs statements in one round trip; those of ``Pipeline/send(_:_:)`` in `body`.
    func pipeline(_ body: (Pipeline) throws -> Void) throws {
        guard PQenterPipelineMode(handle) == 1 else { throw error }
        let pipeline = Pipeline(handle: handle)
        try body(pipeline)
        guard PQpipelineSync(handle) == 1 else { throw error }
        var failure: (any Error)?
        while let result = PQgetResult(handle) {
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                PQclear(result)
                guard PQexitPipelineMode(handle) == 1 else { throw error }
                if let failure { throw failure }
                return
            default:
                do { _ = try checked(result) } catch { failure = failure ?? error }
                // The end of the statement's results.
                while let more = PQgetResult(handle) { PQclear(more) }
            }
        }
        throw error
    }

    final class Pipeline {
        private let handle: OpaquePointer

        fileprivate init(handle: OpaquePointer) { self.handle = handle }

        func send(_ sql: String, _ parameters: borrowing Parameters = Parameters()) throws {
            let isSent = parameters.withPointers { count, values, lengths, formats in
                PQsendQueryParams(handle, sql, count, nil, values, lengths, formats, 1)
            }
            try require(isSent)
        }

        func sendPrepared(_ name: String, _ parameters: borrowing Parameters = Parameters()) throws {
            let isSent = parameters.withPointers { count, values, lengths, formats in
                PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
            }
            try require(isSent)
        }

        private func require(_ isSent: Int32) throws {
            guard isSent == 1 else { throw BenchmarkError("libpq: \(String(cString: PQerrorMessage(handle)))") }
        }
    }

    // MARK: COPY

    /// Writes rows by `COPY … FROM STDIN (FORMAT binary)`.
    func copy<Row>(
        _ rows: some Collection<Row>, into table: String, columns: Int16, _ write: (inout ByteBuffer, Row) -> Void
    ) throws {
        _ = try checked(PQexec(handle, "COPY \(table) FROM STDIN (FORMAT binary)"))
        var buffer = ByteBuffer(capacity: 1 << 17)
        // The signature, flags, and the length of an extension.
        for byte in Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] { buffer.put(byte) }
        buffer.put(Int64(0))
        func flush() throws {
            let isSent = PQputCopyData(
                handle, buffer.start.assumingMemoryBound(to: CChar.self), Int32(buffer.count))
            guard isSent == 1 else { throw error }
            buffer.removeAll()
        }
        for row in rows {
            buffer.put(columns)
            write(&buffer, row)
            if buffer.count > 1 << 16 { try flush() }
        }
        buffer.put(Int16(-1))
        try flush()
        guard PQputCopyEnd(handle, nil) == 1 else { throw error }
        while let result = PQgetResult(handle) { _ = try checked(result) }
    }
}
#endif
