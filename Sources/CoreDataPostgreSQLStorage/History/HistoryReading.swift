#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import PredicateFormat

/// One query on a store's persistent history: its statements, and its answer. One round trip, unless transactions that are
/// being committed are waited for.
final class HistoryReading {
    private let engine: PostgreSQLEngine
    private let history: ServerHistory
    private let query: HistoryQuery
    private let statements: HistoryStatements
    private let needs: HistoryNeeds
    private var answer = HistoryAnswer()

    /// Compiles a query.
    ///
    /// - Throws: `NSCoreDataError` for an invalid one.
    init(_ query: HistoryQuery, _ history: ServerHistory, _ engine: PostgreSQLEngine) throws {
        self.query = query
        self.history = history
        self.engine = engine
        needs = HistoryNeeds(query.needs)
        let names = PostgreSQLHistory(
            storeID: engine.identifier, history.order, engine.layouts, origin: history.origin)
        var query = query
        // Positions of other engines are told as unknown, and need no answer.
        if case .place(let place) = query.after, needs.isForeign(place) { query.after = .place(.start) }
        var statements = try HistoryStatements(query, names, engine.tables)
        switch query.after {
        case .place(.start): break
        case .date(let date): try statements.follow(date)
        case .place(let place):
            try statements.follow(try PostgreSQLHistory.numbers(of: place).map { ($0, .int64) })
        }
        try statements.finish()
        self.statements = statements
    }

    /// Asks the server.
    ///
    /// - Parameter connection: In a transaction, which decides the state that is read, or in none.
    func answer(on connection: PostgreSQLConnection) throws -> HistoryAnswer {
        let isInTransaction = connection.isInTransaction
        if isInTransaction {
            try connection.run(try requests { _ in }, until: Deadline(after: engine.options.statementTimeout))
        } else {
            try history.settling {
                var state = ServerHistory.Unsettled()
                answer = HistoryAnswer()
                // One state for all statements.
                let begin = PipelineRequest(Self.begin)
                let all = try [begin] + requests { state = $0 } + [PipelineRequest(Self.commit)]
                try connection.run(all, until: Deadline(after: engine.options.statementTimeout))
                return ((), state)
            }
        }
        needs.check(&answer)
        guard answer.unknownMarks.isEmpty, answer.purgedMarks.isEmpty else {
            var lacking = HistoryAnswer()
            (lacking.unknownMarks, lacking.purgedMarks) = (answer.unknownMarks, answer.purgedMarks)
            return lacking
        }
        return answer
    }

    private static let begin = ServerStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    private static let commit = ServerStatement("COMMIT")

    private func requests(_ receive: @escaping (ServerHistory.Unsettled) -> Void) throws -> [PipelineRequest] {
        var requests: [PipelineRequest] = []
        if let unsettled = history.unsettled(receive) { requests.append(unsettled) }
        if let request = needs.request() { requests.append(request) }
        switch query.content {
        case .nothing: break
        case .count:
            requests.append(
                try request(statements.count()) { [self] in answer.count = try $0.number(0, 0) })
        case .rows: requests.append(try changes(isFull: false))
        case .transactions: requests.append(try transactions())
        case .everything: requests += [try transactions(), try changes(isFull: true)]
        }
        return requests
    }

    private func request(
        _ sql: SQLStatement, _ receive: @escaping (ServerRows) throws -> Void
    ) throws -> PipelineRequest {
        let parameters = try ConstantEncoder(engine).parameters(sql.bindings, statements.constants)
        return PipelineRequest(ServerStatement(sql.text), parameters, receive: receive)
    }

    // MARK: Transactions

    private func transactions() throws -> PipelineRequest {
        try request(statements.transactions()) { [self] rows in
            answer.transactions.reserveCapacity(rows.count)
            for row in 0..<rows.count {
                let numbers = try (0..<3).map { try rows.int64(row, $0) }
                func text(_ column: Int) -> String? { rows.isNull(row, column) ? nil : rows.text(row, column) }
                var transaction = HistoryTransaction(
                    number: numbers[2], place: PostgreSQLHistory.place(numbers),
                    timestamp: Date(timeIntervalSinceReferenceDate: try BinaryValue.date(rows.bytes(row, 3))),
                    author: text(4), contextName: text(6), bundleID: text(5) ?? "", processID: text(7) ?? "")
                transaction.isOwn = try rows.int64(row, 8) != 0
                answer.transactions.append(transaction)
            }
        }
    }

    // MARK: Changes

    /// Returns the query of the changes.
    ///
    /// - Parameter isFull: Whether to read the updated properties and the tombstones.
    private func changes(isFull: Bool) throws -> PipelineRequest {
        let more: [SQLFragment] = isFull ? ["properties", "tombstone"] : []
        return try request(statements.changes(selecting: more)) { [self] rows in
            answer.changes.reserveCapacity(rows.count)
            let isOfOlderProgram = engine.version?.isOfOlderProgram ?? false
            for row in 0..<rows.count {
                // Programs of a later version may write to entities that this one lacks.
                if isOfOlderProgram, engine.layouts.byName[rows.text(row, 2)] == nil { continue }
                let layout = try rows.entity(row, 2, engine.layouts)
                guard let kind = HistoryChangeKind(rawValue: Int(try rows.int64(row, 4))) else {
                    throw BinaryValue.unreadable("the kind of a change \(try rows.int64(row, 4))")
                }
                var change = HistoryChange(
                    number: try rows.int64(row, 0), transaction: try rows.int64(row, 1),
                    row: RowReference(entityNumber: layout.number, key: try rows.key(row, 3)), kind: kind)
                if isFull, kind == .update, !rows.isNull(row, 5) {
                    change.properties = Set(try BinaryValue.texts(rows.bytes(row, 5)))
                }
                if isFull, kind == .delete, !rows.isNull(row, 6) {
                    change.tombstone = try Tombstone.values(rows.bytes(row, 6), of: layout)
                }
                answer.changes.append(change)
            }
        }
    }
}

extension BinaryValue {
    /// Reads an array of texts of one dimension; NULLs are left out.
    static func texts(_ bytes: UnsafeRawBufferPointer) throws -> [String] {
        func number(_ offset: Int) throws -> Int {
            guard offset + 4 <= bytes.count else { throw unreadable("an array of \(bytes.count) bytes") }
            return Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        }
        // Dimensions, flag and type; length and first index of the dimension; each element with its length.
        guard try number(0) > 0 else { return [] }
        var texts: [String] = []
        var offset = 20
        while offset < bytes.count {
            let length = try number(offset)
            offset += 4
            guard length >= 0 else { continue }
            guard offset + length <= bytes.count else { throw unreadable("an array of \(bytes.count) bytes") }
            texts.append(String(decoding: bytes[offset..<offset + length], as: UTF8.self))
            offset += length
        }
        return texts
    }
}
#endif
