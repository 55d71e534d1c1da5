#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The statements that record one transaction in persistent history, in that transaction.
final class HistoryRecording {
    private let engine: PostgreSQLEngine
    private let history: ServerHistory
    /// The key of the history transaction.
    let number: Int64
    private let author: String?
    private let contextName: String?

    /// The recorded rows as columns: the index of the entity, the key, the kind, and the number of the set of properties, from
    /// 1, or 0.
    private var entities: [Int64] = []
    private var keys: [Int64] = []
    private var kinds: [Int64] = []
    private var sets: [Int64] = []
    private var names: [String] = []
    private var indexOfName: [String: Int64] = [:]
    private var lists: [String] = []
    private var indexOfSet: [Set<String>: Int64] = [:]
    /// True if the server records rows that only it knows.
    private var recordsOnServer = false

    /// The mark of the transaction, once its last attempt was committed; nil if its position is not final.
    private(set) var mark: HistoryMark?

    /// Reserves a key, which may take a round trip; returns nil for a store that keeps no history.
    init?(_ engine: PostgreSQLEngine, author: String?, contextName: String?) throws {
        guard let history = engine.history else { return nil }
        self.engine = engine
        self.history = history
        self.author = author
        self.contextName = contextName
        number = try engine.reserveTransactionNumber()
    }

    /// Forgets what was recorded, before another attempt.
    func reset() {
        (entities, keys, kinds, sets, names, lists) = ([], [], [], [], [], [])
        (indexOfName, indexOfSet) = ([:], [:])
        recordsOnServer = false
    }

    // MARK: Recording

    func record(
        _ kind: HistoryChangeKind, _ layout: EntityLayout, key: Int64, properties: Set<String>? = nil
    ) {
        entities.append(index(of: layout.name))
        keys.append(key)
        kinds.append(Int64(kind.rawValue))
        sets.append(properties.map(index) ?? 0)
    }

    private func index(of name: String) -> Int64 {
        if let index = indexOfName[name] { return index }
        names.append(name)
        indexOfName[name] = Int64(names.count)
        return Int64(names.count)
    }

    private func index(of properties: Set<String>) -> Int64 {
        if let index = indexOfSet[properties] { return index }
        lists.append(Self.arrayText(properties.sorted()))
        indexOfSet[properties] = Int64(lists.count)
        return Int64(lists.count)
    }

    /// Returns an array of texts as a literal.
    private static func arrayText(_ texts: [String]) -> String {
        let quoted = texts.map { text in
            var scalars = String.UnicodeScalarView("\"".unicodeScalars)
            for scalar in text.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { scalars.append("\\") }
                scalars.append(scalar)
            }
            scalars.append("\"")
            return String(scalars)
        }
        return "{\(quoted.joined(separator: ","))}"
    }

    /// Records rows that are about to be deleted.
    ///
    /// - Returns: A statement to be run before they are deleted, if history preserves values of them.
    func recordDeletions(_ keys: [Int64], of layout: EntityLayout) throws -> PipelineRequest? {
        guard !keys.isEmpty else { return nil }
        guard let statement = try engine.writePlans.delete(layout).tombstones else {
            for key in keys { record(.delete, layout, key: key) }
            return nil
        }
        recordsOnServer = true
        var parameters = ParameterList()
        parameters.add(number)
        parameters.add(keys)
        return PipelineRequest(statement, parameters)
    }

    /// Adds the last parameter of a statement that clears a relationship and records the rows that it clears.
    func addClearing(to parameters: inout ParameterList) {
        recordsOnServer = true
        parameters.add(number)
    }

    // MARK: Statements

    /// The number of changes in a statement.
    private static let changesAtOnce = 20_000

    /// Returns the statements that write everything, the last ones before `COMMIT`; empty if nothing was recorded.
    func finish() -> [PipelineRequest] {
        mark = nil
        guard !keys.isEmpty || recordsOnServer else { return [] }
        var requests: [PipelineRequest] = stride(from: 0, to: keys.count, by: Self.changesAtOnce).map { start in
            let range = start..<min(start + Self.changesAtOnce, keys.count)
            var parameters = ParameterList()
            parameters.add(number)
            parameters.add(names)
            parameters.add(lists)
            for column in [entities, keys, kinds, sets] { parameters.add(column[range]) }
            return PipelineRequest(Self.insertion, parameters)
        }
        var parameters = ParameterList()
        parameters.add(number)
        parameters.add(author)
        parameters.add(contextName)
        parameters.add(ServerHistory.bundle)
        parameters.add(ServerHistory.process)
        parameters.add(contentsOf: history.originParameter)
        let statement = history.order == .commits ? Self.transaction : Self.countedTransaction
        requests.append(
            PipelineRequest(statement, parameters) { [self] rows in
                guard try rows.int64(0, 3) != 0 else { return }
                let place = try PostgreSQLHistory.place([rows.int64(0, 0), rows.int64(0, 1), number])
                mark = HistoryMark(place: place, timestamp: try BinaryValue.date(rows.bytes(0, 2)))
            })
        if engine.options.notificationSettings != nil {
            var parameters = ParameterList()
            parameters.add(NotificationListener.channel(of: engine.identifier))
            requests.append(PipelineRequest(Self.announcement, parameters))
        }
        return requests
    }

    private static let announcement = ServerStatement("SELECT pg_notify($1::text, '')")

    private static let insertion = ServerStatement(
        """
        INSERT INTO coredata_change (transaction, entity, key, kind, properties) \
        SELECT $1::bigint, ($2::text[])[d.e], d.key, d.kind::smallint, ($3::text[])[d.p]::text[] \
        FROM unnest($4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[]) AS d(e, key, kind, p)
        """)

    private static let columns = "id, era, commit_order, author, context_name, bundle_id, process_id, origin"
    private static let values = "$2::text, $3::text, $4::text, $5::text, $6::uuid"

    /// The position is final if no transaction with a lower ID may still commit.
    private static let transaction = ServerStatement(
        """
        INSERT INTO coredata_transaction (\(columns)) \
        SELECT $1::bigint, era, pg_current_xact_id()::text::bigint, \(values) FROM coredata_history \
        RETURNING era, commit_order, committed, pg_snapshot_xmin(pg_current_snapshot()) = pg_current_xact_id()
        """)

    private static let countedTransaction = ServerStatement(
        """
        WITH counter AS (UPDATE coredata_history SET last = last + 1 RETURNING era, last) \
        INSERT INTO coredata_transaction (\(columns)) SELECT $1::bigint, era, last, \(values) FROM counter \
        RETURNING era, commit_order, committed, true
        """)
}

#endif
