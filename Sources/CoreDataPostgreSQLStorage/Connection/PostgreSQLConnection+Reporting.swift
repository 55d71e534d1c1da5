#if PostgreSQL
import CoreDataRowStorage

/// A statement for listeners: its text, without the values of its parameters, and without a plan, which would take another
/// round trip.
extension ServerStatement: ReportedStatement {
    package var sql: String { text }
    package var boundValues: [String] { [] }
    package var queryPlan: [String] { [] }
    package var scannedRows: Int { 0 }
}

extension PostgreSQLConnection {
    /// Runs a pipeline, and reports its statements, its rows and the time that it takes to the operation of the thread.
    @inline(never)
    func reporting(_ requests: [PipelineRequest], _ body: () throws -> Void) throws {
        for request in requests { Probe.begins(request.statement) }
        guard let operation = Probe.current else { return try body() }
        let (begin, received) = (InstrumentClock.now, receivedRows)
        defer {
            if operation.kind.reads {
                operation.add(rows: receivedRows - received, since: begin)
            } else {
                _ = operation.noteStatements(since: begin)
            }
        }
        try body()
    }
}
#endif
