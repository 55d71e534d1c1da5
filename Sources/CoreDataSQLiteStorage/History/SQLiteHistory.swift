import CoreDataSQLQueries
import CoreDataRowStorage
import PredicateFormat

/// The table and column names of a file's history: `ATRANSACTION`, `ACHANGE` and, for names, `ATRANSACTIONSTRING`.
package struct SQLiteHistory: HistoryTableNames {
    private let engine: SQLiteEngine
    private let connection: SQLiteConnection

    package init(_ engine: SQLiteEngine, _ connection: SQLiteConnection) {
        self.engine = engine
        self.connection = connection
    }

    package var storeID: String { engine.identifier }
    package var transactions: SQLFragment { "ATRANSACTION" }
    package var changes: SQLFragment { "ACHANGE" }

    package var place: [SQLFragment] { ["Z_PK"] }
    package var timestamp: SQLFragment { "ZTIMESTAMP" }

    package func name(_ property: String) -> SQLFragment {
        let column = property.uppercased()
        guard engine.historyHasStrings else { return "t.Z\(raw: column)" }
        return "IFNULL((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.Z\(raw: column)TS), t.Z\(raw: column))"
    }

    package var changeNumber: SQLFragment { "Z_PK" }
    package var transaction: SQLFragment { "ZTRANSACTIONID" }
    package var changedEntity: SQLFragment { "ZENTITY" }
    package var changedKey: SQLFragment { "ZENTITYPK" }
    package var kind: SQLFragment { "ZCHANGETYPE" }
    package var changedRow: SQLFragment? { "(c.ZENTITY << 48 | c.ZENTITYPK)" }

    package func constant(for place: HistoryPlace) throws -> Any { try place.transactionNumber() }

    package func order(ofChangesIn alias: String) -> [SQLFragment] { ["c.ZTRANSACTIONID", "c.Z_PK"] }

    package func isAfter(_ place: [SQLFragment], _ subject: HistoryQuery.Subject) -> [SQLFragment] {
        subject == .changes
            ? ["t.Z_PK > \(place[0])", "c.ZTRANSACTIONID > \(place[0])"] : ["t.Z_PK > \(place[0])"]
    }

    /// Always nil: one transaction writes at a time.
    package var isSettled: SQLFragment? { nil }

    package func condition(
        _ part: PredicateNode, _ subject: HistoryQuery.Subject, _ compiler: SQLCompiler
    ) throws -> SQLFragment? {
        guard engine.historyHasStrings, let (column, wanted) = Self.nameComparison(part, subject), try hasStringsOnly()
        else { return nil }
        return try Self.nameCondition(column, wanted, compiler)
    }

    /// Returns true if every transaction has its names in the table of strings. Transactions written by older frameworks do
    /// not, and have no number for their process. Costs one index lookup.
    private func hasStringsOnly() throws -> Bool {
        try connection.integer("SELECT EXISTS (SELECT 1 FROM ATRANSACTION WHERE ZPROCESSIDTS IS NULL)") == 0
    }

    // MARK: Names, which are indexed

    /// The constants that a name is compared with, by their numbers.
    private enum Wanted {
        case one(NumberedConstant)
        /// A list literal, as in `{'a', 'b'}`.
        case several([NumberedConstant])
        case list(NumberedConstant)
    }

    /// Returns the column and the constants of a comparison such as `author == "a"`; nil for other conditions.
    private static func nameComparison(
        _ node: PredicateNode, _ subject: HistoryQuery.Subject
    ) -> (column: String, wanted: Wanted)? {
        guard case .comparison(let comparison) = node, comparison.modifier == .direct, comparison.options.isEmpty
        else { return nil }
        func column(_ node: ExpressionNode) -> String? {
            guard case .keyPath(let keys, .evaluatedObject) = node else { return nil }
            if subject == .changes { return keys.count == 2 && keys[0] == "transaction" ? names[keys[1]] : nil }
            return keys.count == 1 ? names[keys[0]] : nil
        }
        func constant(_ node: ExpressionNode) -> NumberedConstant? {
            guard case .constant(let value) = node else { return nil }
            return value as? NumberedConstant
        }
        func text(_ node: ExpressionNode) -> NumberedConstant? {
            guard let constant = constant(node), constant.kind == .text || constant.kind == .emptyText else {
                return nil
            }
            return constant
        }
        switch comparison.comparison {
        case .equalTo:
            for (side, other) in [(comparison.left, comparison.right), (comparison.right, comparison.left)] {
                if let column = column(side), let text = text(other) { return (column, .one(text)) }
            }
            return nil
        case .in:
            guard let column = column(comparison.left) else { return nil }
            if case .aggregate(let elements) = comparison.right {
                let texts = elements.compactMap(text)
                return texts.count == elements.count && !texts.isEmpty ? (column, .several(texts)) : nil
            }
            guard let constant = constant(comparison.right), constant.kind == .collection else { return nil }
            return (column, .list(constant))
        default: return nil
        }
    }

    private static let names = [
        "author": "ZAUTHOR", "bundleID": "ZBUNDLEID", "contextName": "ZCONTEXTNAME", "processID": "ZPROCESSID",
    ]

    private static func nameCondition(
        _ column: String, _ wanted: Wanted, _ compiler: SQLCompiler
    ) throws -> SQLFragment {
        let strings: SQLFragment = "(SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME"
        switch wanted {
        case .one(let text):
            return "t.\(raw: column)TS = \(strings) = \(try compiler.parameter(text, .value(.string, nil))))"
        case .several(let texts):
            let marks = try texts.map { try compiler.parameter($0, .value(.string, nil)) }.joined(separator: ", ")
            return "t.\(raw: column)TS IN \(strings) IN (\(marks)))"
        case .list(let list):
            let list = try compiler.parameter(list, .values(.string))
            return "t.\(raw: column)TS IN \(strings) IN (SELECT value FROM CDArray(\(list))))"
        }
    }
}
