#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// The transaction of a batch: the pipelines of its statements, the first of which begins it and the last of which commits.
///
/// Within the transaction of an exclusive session, which commits itself, there is neither.
final class BatchTransaction {
    let engine: PostgreSQLEngine
    /// The row by which the outcome is found out if the connection is lost.
    private let mark: SaveMark
    /// The rows that were written, once the last statements were sent.
    private(set) var rows: ContiguousArray<RowReference> = []
    private let connection: PostgreSQLConnection
    private let isNested: Bool
    private var hasBegun = false
    /// True if rows may be copied, as the first change.
    let copiesRows: Bool
    /// nil for a store that keeps no history.
    private let history: HistoryRecording?

    init(
        _ engine: PostgreSQLEngine, _ connection: PostgreSQLConnection, _ mark: SaveMark,
        _ history: HistoryRecording?, isNested: Bool, copiesRows: Bool = false
    ) {
        history?.reset()
        self.history = history
        // The transaction of an exclusive session would not survive a table that does not accept copies.
        self.copiesRows = copiesRows && !isNested
        self.engine = engine
        self.mark = mark
        self.connection = connection
        self.isNested = isNested
    }

    /// Runs statements in one round trip.
    func run(_ requests: [PipelineRequest]) throws {
        var requests = requests
        if !hasBegun {
            hasBegun = true
            // Poolers may run each transaction on another connection: nothing is prepared.
            requests.insert(contentsOf: engine.versionChecks.map { .plain($0) }, at: 0)
            requests.insert(engine.options.limits(isPrepared: false), at: 0)
            if !isNested { requests.insert(.plain("BEGIN ISOLATION LEVEL READ COMMITTED"), at: 0) }
        }
        // Each statement may take the whole time.
        let seconds = engine.options.statementTimeout * Double(requests.count)
        try connection.run(requests, until: Deadline(after: seconds))
    }

    /// Begins the transaction, and copies rows, in two round trips.
    func copy(_ rows: CopiedRows) throws {
        hasBegun = true
        try connection.copy(
            [rows], after: ["BEGIN ISOLATION LEVEL READ COMMITTED"] + engine.options.limitTexts + engine.versionChecks,
            until: Deadline(after: engine.options.statementTimeout))
    }

    /// Runs the last statements, updates derived attributes, and commits, in one round trip.
    ///
    /// - Parameters:
    ///   - touched: All rows that the statements write.
    ///   - rows: The rows of the batch's outcome.
    ///   - properties: The names of the properties that updates change, for history.
    func finish(
        _ requests: [PipelineRequest], touching touched: TouchedRows, rows: ContiguousArray<RowReference>,
        properties: Set<String> = []
    ) throws {
        self.rows = rows
        var all = engine.derived.before(touched) + (try recordDeletions(touched)) + requests
        all += engine.derived.after(touched, engine.layouts) { _ in }
        all += record(touched, properties)
        if isNested {
            all.append(.plain("SET CONSTRAINTS ALL IMMEDIATE"))
        } else {
            all += mark.requests(of: engine)
            all.append(.plain("COMMIT"))
        }
        try run(all)
    }

    // MARK: History

    private func recordDeletions(_ touched: TouchedRows) throws -> [PipelineRequest] {
        guard let history else { return [] }
        return try rows(touched.deleted).compactMap { try history.recordDeletions($1, of: $0) }
    }

    private func record(_ touched: TouchedRows, _ properties: Set<String>) -> [PipelineRequest] {
        guard let history else { return [] }
        for (layout, keys) in rows(touched.updated) {
            for key in keys { history.record(.update, layout, key: key, properties: properties) }
        }
        for (layout, keys) in rows(touched.inserted) {
            for key in keys { history.record(.insert, layout, key: key) }
        }
        return history.finish()
    }

    private func rows(_ keys: [Int: [Int64]]) -> [(EntityLayout, [Int64])] {
        keys.sorted { $0.key < $1.key }.compactMap { number, keys in
            engine.layouts.byNumber[number].map { ($0, keys) }
        }
    }

    /// Ends a transaction that has failed, so that it can be run again.
    func rollBack() throws {
        if connection.isInTransaction { try connection.run([.plain("ROLLBACK")], until: Deadline(after: 5)) }
    }
}
#endif
