import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import Foundation

/// Records the changes of one transaction of the file in persistent history. Used inside that transaction; inserts the
/// history transaction's row with the first change.
final class HistoryRecorder {
    private let engine: SQLiteEngine
    private let connection: SQLiteConnection
    private let author: String?
    private let contextName: String?
    private let hasStrings: Bool
    /// The number and timestamp of the history transaction; nil until something is recorded.
    private var transaction: (number: Int64, timestamp: Double)?
    private var nextChange: Int64 = 0

    init(
        _ engine: SQLiteEngine, _ connection: SQLiteConnection, hasStrings: Bool, author: String?, contextName: String?
    ) {
        self.engine = engine
        self.connection = connection
        self.hasStrings = hasStrings
        self.author = author
        self.contextName = contextName
    }

    /// The mark of the transaction; nil until something is recorded.
    var mark: HistoryMark? {
        transaction.map { HistoryMark(place: HistoryPlace(number: $0.number), timestamp: $0.timestamp) }
    }

    /// Records one change.
    ///
    /// - Parameters:
    ///   - properties: names of the properties that an update changed.
    ///   - tombstones: the preserved values of a deleted object, in the order of ``HistoryTables/preserved(_:)``.
    func record(
        _ type: HistoryChangeKind, _ layout: EntityLayout, key: Int64, properties: Set<String> = [],
        tombstones: [SQLValue] = []
    ) throws {
        let transaction = try self.transaction?.number ?? begin()
        nextChange += 1
        let extra = tombstones.indices.map { ", ZTOMBSTONE\($0)" }.joined()
        let marks = String(repeating: ", ?", count: tombstones.count)
        let statement = try connection.statement(
            engine.text(
                "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(extra)) "
                    + "VALUES (?, \(HistoryTables.changeEntity), ?, ?, ?, ?, ?\(marks))"))
        try statement.bind(nextChange, at: 1)
        try statement.bind(type.rawValue, at: 2)
        try statement.bind(engine.numbering.inFile[layout.number], at: 3)
        try statement.bind(key, at: 4)
        try statement.bind(transaction, at: 5)
        if type == .update {
            try statement.bind(HistoryColumns.bitmap(properties, of: layout), at: 6)
        } else {
            try statement.bindNull(at: 6)
        }
        for (index, value) in tombstones.enumerated() { try statement.bind(value, at: Int32(7 + index)) }
        try statement.run()
    }

    /// Writes the highest numbers used. Call it before the commit.
    func finish() throws {
        guard transaction != nil else { return }
        try setHighest(nextChange, of: HistoryTables.changeEntity)
    }

    private func begin() throws -> Int64 {
        nextChange = try highest(of: HistoryTables.changeEntity)
        let number = try highest(of: HistoryTables.transactionEntity) + 1
        let columns =
            hasStrings
            ? "ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS" : "ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME, ZPROCESSID"
        let statement = try connection.statement(
            engine.text(
                "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, \(columns)) "
                    + "VALUES (?, \(HistoryTables.transactionEntity), ?, ?, ?, ?, ?)"))
        let texts = [author, HistoryNames.bundle, contextName, HistoryNames.process]
        let strings = hasStrings ? try texts.map { try $0.map { try string($0) } } : []
        try statement.bind(number, at: 1)
        let timestamp = Date().timeIntervalSinceReferenceDate
        try statement.bind(timestamp, at: 2)
        for (index, text) in texts.enumerated() {
            let parameter = Int32(3 + index)
            if let text {
                if hasStrings {
                    try statement.bind(strings[index] ?? 0, at: parameter)
                } else {
                    try statement.bind(text, at: parameter)
                }
            } else {
                try statement.bindNull(at: parameter)
            }
        }
        try statement.run()
        try setHighest(number, of: HistoryTables.transactionEntity)
        transaction = (number, timestamp)
        engine.ownTransactions.note(number, at: timestamp)
        return number
    }

    /// Returns the number of a text in the table of strings, inserting it if it is new.
    private func string(_ text: String) throws -> Int64 {
        let selection = try connection.statement(engine.text("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?"))
        try selection.bind(text, at: 1)
        defer { selection.reset() }
        if try selection.step() { return selection.integer(0) }
        let number = try highest(of: HistoryTables.stringEntity) + 1
        let insertion = try connection.statement(
            engine.text(
                "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, \(HistoryTables.stringEntity), ?)"))
        try insertion.bind(number, at: 1)
        try insertion.bind(text, at: 2)
        try insertion.run()
        try setHighest(number, of: HistoryTables.stringEntity)
        return number
    }

    private func highest(of entity: Int64) throws -> Int64 {
        let statement = try connection.statement(engine.text(HistoryTables.highest(entity)))
        defer { statement.reset() }
        let highest = try statement.step() ? statement.integer(0) : 0
        guard highest >= 0, highest < Int64.max >> 1 else {
            throw UnreadableRow.outOfRange(
                highest, table: "Z_PRIMARYKEY", column: "Z_MAX", key: nil, path: connection.path,
                entity: HistoryTables.name(entity))
        }
        return highest
    }

    private func setHighest(_ number: Int64, of entity: Int64) throws {
        let statement = try connection.statement(engine.text("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?"))
        try statement.bind(number, at: 1)
        try statement.bind(entity, at: 2)
        try statement.run()
        guard connection.changedRows == 0 else { return }
        let insertion = try connection.prepare(
            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)")
        try insertion.bind(entity, at: 1)
        try insertion.bind(HistoryTables.name(entity), at: 2)
        try insertion.bind(number, at: 3)
        try insertion.run()
    }
}

/// The names of the writing process, as history records them.
enum HistoryNames {
    static let process = ProcessInfo.processInfo.processName
    static let bundle = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
}

/// The bitmap of the properties that an update changed: one bit each, the most significant first. An entity's properties,
/// inherited ones included, are numbered by kind and then by name.
enum HistoryColumns {
    static func bitmap(_ names: Set<String>, of layout: EntityLayout) -> Data {
        let properties = layout.traits.historyOrder
        // One spare byte if the bits fill whole bytes, as in Apple's files.
        var bytes = Data(count: properties.count / 8 + 1)
        for (index, property) in properties.enumerated() where names.contains(property) {
            bytes[index / 8] |= 0x80 >> UInt8(index % 8)
        }
        return bytes
    }

    /// Returns the names of the properties that changed.
    package static func properties(in bitmap: Data, of layout: EntityLayout) -> Set<String> {
        let bytes = [UInt8](bitmap)
        return Set(
            layout.traits.historyOrder.enumerated().compactMap { index, property in
                index / 8 < bytes.count && bytes[index / 8] & (0x80 >> UInt8(index % 8)) != 0 ? property : nil
            })
    }
}

extension SQLiteStatement {
    package func bind(_ value: SQLValue, at index: Int32) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let value): try bind(value, at: index)
        case .real(let value): try bind(value, at: index)
        case .text(let bytes): try bytes.withUnsafeBytes { try bindText(copying: $0, at: index) }
        case .string(let text): try bind(text, at: index)
        case .blob(let bytes): try bind(bytes, at: index)
        }
    }

    /// Returns a column's value in a form that can be bound again.
    func value(_ column: Int32) -> SQLValue {
        switch type(column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(double(column))
        case SQLITE_TEXT: .string(text(column) ?? "")
        case SQLITE_BLOB: .blob(data(column) ?? Data())
        default: .null
        }
    }
}

extension SQLiteEngine {
    /// Returns the values that history preserves of a row when it is deleted.
    func tombstones(of key: Int64, _ layout: EntityLayout, _ connection: SQLiteConnection) throws -> [SQLValue] {
        let columns = try columns(of: layout)
        let names = HistoryTables.preserved(layout).compactMap { columns.cells[$0.index].column }
        guard !names.isEmpty else { return [] }
        let statement = try connection.statement(
            text("SELECT \(names.joined(separator: ", ")) FROM \(columns.table) WHERE Z_PK = ?"))
        try statement.bind(key, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { return [] }
        return names.indices.map { statement.value(Int32($0)) }
    }
}
