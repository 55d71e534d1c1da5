import CoreDataSQLQueries
import CoreDataRowStorage
import PredicateFormat

/// The predicate and the order of a question about history, in SQL over `ATRANSACTION t` and, if it is about changes,
/// `ACHANGE c`.
struct HistoryCondition {
    private(set) var constants: [Any?]
    private let engine: SQLiteEngine
    private let compiler: SQLCompiler
    private let scope = QueryScope(parent: nil)
    /// To be joined by AND.
    private(set) var conditions: [SQLFragment] = []

    /// - Parameter hasStringsOnly: whether every transaction has its names in the table of strings.
    /// - Throws: `NSCoreDataError` for keys that history does not have and for what SQL cannot say.
    init(_ query: HistoryQuery, _ engine: SQLiteEngine, hasStringsOnly: () throws -> Bool) throws {
        self.engine = engine
        compiler = SQLCompiler(engine)
        compiler.isTwoValued = true
        var writer = ShapeWriter()
        var numbering = NumberedConstants()
        var node: PredicateNode?
        if let predicate = query.predicate {
            let numbered = try predicate.node.replacing(Self.numbered)
            writer.add(numbered)
            node = numbering.number(numbered)
        }
        constants = writer.constants + [engine.identifier]
        let names = HistoryOperands(engine, query.subject, storeID: writer.constants.count)
        let compiler = compiler
        compiler.names = { [unowned compiler] in try names.operand($0, compiler) }
        guard let node else { return }
        let parts: [PredicateNode]
        if case .and(let nodes) = node { parts = nodes } else { parts = [node] }
        for part in parts {
            if let (column, wanted) = Self.nameComparison(part, query.subject), engine.historyHasStrings,
                try hasStringsOnly()
            {
                conditions.append(try nameCondition(column, wanted))
            } else {
                conditions.append("(\(try compiler.predicate(part, scope)))")
            }
        }
    }

    /// Replaces the places in a constant by the numbers of their transactions; nil for what has none.
    private static func numbered(_ node: ExpressionNode) throws -> ExpressionNode? {
        switch node {
        case .constant(let place as HistoryPlace): return .constant(try place.transactionNumber())
        case .constant(let collection as any PredicateCollection):
            let elements = collection.predicateElements
            guard elements.contains(where: { $0 is HistoryPlace }) else { return nil }
            return .constant(try elements.map { try ($0 as? HistoryPlace)?.transactionNumber() ?? $0 })
        default: return nil
        }
    }

    /// ` ORDER BY …`; the transactions', or changes', own order decides last.
    func order(_ query: HistoryQuery) throws -> SQLFragment {
        let own: SQLFragment = query.subject == .changes ? "c.ZTRANSACTIONID, c.Z_PK" : "t.Z_PK"
        guard !query.sortDescriptors.isEmpty else { return " ORDER BY \(own)" }
        return try "\(compiler.orderClause(query.sortDescriptors, scope)), \(own)"
    }

    /// A parameter for a value of the question beside its predicate.
    mutating func parameter(_ value: Any, _ kind: CellKind) throws -> SQLFragment {
        constants.append(value)
        return try compiler.parameter(slot: constants.count - 1, .value(kind, nil))
    }

    // MARK: Names, which have indexes

    /// The constants that a name is to be equal to, by their numbers.
    private enum Wanted {
        case one(NumberedConstant)
        /// Written one by one, as in `{'a', 'b'}`.
        case several([NumberedConstant])
        case list(NumberedConstant)
    }

    /// `author == "a"` and its kin: the name's column, and what it is to be.
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

    private func nameCondition(_ column: String, _ wanted: Wanted) throws -> SQLFragment {
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

/// What the names of history's properties stand for in SQL.
private struct HistoryOperands {
    private let engine: SQLiteEngine
    private let subject: HistoryQuery.Subject
    /// The number of the constant that is the store's identifier.
    private let storeID: Int

    init(_ engine: SQLiteEngine, _ subject: HistoryQuery.Subject, storeID: Int) {
        self.engine = engine
        self.subject = subject
        self.storeID = storeID
    }

    func operand(_ keys: [String], _ compiler: SQLCompiler) throws -> Operand {
        switch subject {
        case .transactions:
            if keys.count == 1, let operand = try transaction(keys[0], compiler) { return operand }
        case .changes:
            if let operand = change(keys) { return operand }
            if keys.count == 2, keys[0] == "transaction", let operand = try transaction(keys[1], compiler) {
                return operand
            }
        }
        let path = keys.joined(separator: ".")
        throw UnsupportedQuery.make(
            "keypath \(path) not found in entity \(subject == .changes ? "CHANGE" : "TRANSACTION")",
            advice: "A fetch from history knows the attributes of its entity; filter the result by the rest.", key: path
        )
    }

    private func transaction(_ key: String, _ compiler: SQLCompiler) throws -> Operand? {
        switch key {
        case "author": .value(engine.historyName("AUTHOR"), .of(.string))
        case "bundleID": .value(engine.historyName("BUNDLEID"), .of(.string))
        case "contextName": .value(engine.historyName("CONTEXTNAME"), .of(.string))
        case "processID": .value(engine.historyName("PROCESSID"), .of(.string))
        case "storeID": .value(try compiler.parameter(slot: storeID, .value(.string, nil)), .of(.string))
        case "timestamp": .value("t.ZTIMESTAMP", .of(.date))
        case "transactionNumber", "token": .value("t.Z_PK", .of(.int64))
        default: nil
        }
    }

    private func change(_ keys: [String]) -> Operand? {
        switch keys {
        case ["changeID"]: .value("c.Z_PK", .of(.int64))
        case ["changeType"]: .value("c.ZCHANGETYPE", .of(.int16))
        case ["changedObjectID"]: .value("(c.ZENTITY << 48 | c.ZENTITYPK)", .row)
        // An entity is compared with a description or a name.
        case ["changedEntity"], ["changedEntity", "name"], ["changedObjectID", "entity"],
            ["changedObjectID", "entity", "name"]:
            .entity("c.ZENTITY")
        default: nil
        }
    }
}

extension SQLiteEngine {
    /// SQL for one of a transaction's names.
    func historyName(_ name: String) -> SQLFragment {
        guard historyHasStrings else { return "t.Z\(raw: name)" }
        return "IFNULL((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.Z\(raw: name)TS), t.Z\(raw: name))"
    }
}
