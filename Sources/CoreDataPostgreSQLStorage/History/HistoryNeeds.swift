#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The marks that a history must contain for a query, and their check.
final class HistoryNeeds {
    private let needs: [HistoryQuery.Need]
    /// The numbers of each mark's position; nil for a position of another engine.
    private let numbers: [[Int64]?]
    /// The position of the last transaction that was purged.
    private var purged: [Int64] = [0, 0, 0]
    /// The time of each mark's transaction; nil if there is none.
    private var times: [Double?]

    init(_ needs: [HistoryQuery.Need]) {
        self.needs = needs
        numbers = needs.map { try? PostgreSQLHistory.numbers(of: $0.mark.place) }
        times = Array(repeating: nil, count: needs.count)
    }

    /// Returns true for a required position of another engine.
    func isForeign(_ place: HistoryPlace) -> Bool {
        zip(needs, numbers).contains { $0.mark.place == place && $1 == nil }
    }

    /// Returns the query of the marks' transactions; nil if none are required.
    func request() -> PipelineRequest? {
        guard !needs.isEmpty else { return nil }
        var parameters = ParameterList()
        for column in 0..<3 { parameters.add(numbers.map { $0?[column] ?? -1 }) }
        return PipelineRequest(Self.statement, parameters) { [self] rows in
            times = Array(repeating: nil, count: needs.count)
            for row in 0..<rows.count {
                purged = try (0..<3).map { try rows.int64(row, $0) }
                let index = try rows.index(row, 3, in: needs.indices)
                if !rows.isNull(row, 4) { times[index] = try BinaryValue.date(rows.bytes(row, 4)) }
            }
        }
    }

    private static let statement = ServerStatement(
        """
        SELECT h.purged_era, h.purged_order, h.purged_id, n.i, t.committed FROM coredata_history h \
        CROSS JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS n(era, place, id, i) \
        LEFT JOIN coredata_transaction t ON t.era = n.era AND t.commit_order = n.place AND t.id = n.id
        """)

    /// Adds the marks that the history does not contain to an answer.
    func check(_ answer: inout HistoryAnswer) {
        for (index, need) in needs.enumerated() {
            guard let place = numbers[index] else {
                answer.unknownMarks.append(need.mark)
                continue
            }
            let isBefore = place.lexicographicallyPrecedes(purged)
            if isBefore || place == purged {
                // The history after the last transaction that was purged is complete.
                if isBefore || need.includesTransaction { answer.purgedMarks.append(need.mark) }
            } else if let time = times[index] {
                if let wanted = need.mark.timestamp, wanted != time { answer.unknownMarks.append(need.mark) }
            } else {
                answer.unknownMarks.append(need.mark)
            }
        }
    }
}
#endif
