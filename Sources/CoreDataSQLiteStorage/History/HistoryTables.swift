import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import ModelFormat

/// The tables of persistent history and their entity numbers in the file.
enum HistoryTables {
    static let changeEntity: Int64 = 16001
    static let transactionEntity: Int64 = 16002
    static let stringEntity: Int64 = 16003

    /// Returns the name of one of these entities in `Z_PRIMARYKEY`; its table has the same name with the prefix `A`.
    static func name(_ entity: Int64) -> String {
        switch entity {
        case changeEntity: "CHANGE"
        case transactionEntity: "TRANSACTION"
        default: "TRANSACTIONSTRING"
        }
    }

    /// Returns the SQL of the highest number used in one of the tables, whatever `Z_PRIMARYKEY` contains: its rows are
    /// written with the first transaction, and other programs may not have updated them.
    static func highest(_ entity: Int64) -> String {
        "SELECT MAX(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity)), 0), "
            + "IFNULL((SELECT MAX(Z_PK) FROM A\(name(entity))), 0))"
    }

    /// Creates the tables, or adds missing tombstone columns. Call it inside a transaction.
    ///
    /// The rows of `Z_PRIMARYKEY` are written with the first transaction, as in Apple's files.
    package static func prepare(_ actual: ActualSchema, layouts: ModelLayouts, _ connection: SQLiteConnection) throws {
        let tombstones = mostPreserved(layouts)
        guard let columns = try actual.columns(of: "ACHANGE") else {
            for statement in creation(tombstones: tombstones) { try connection.execute(statement) }
            return
        }
        for number in 0..<tombstones where !columns.contains("ZTOMBSTONE\(number)") {
            try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(number) BLOB")
        }
    }

    /// Returns true if tables or columns are missing that recording changes needs.
    static func needPreparation(_ actual: ActualSchema, layouts: ModelLayouts) throws -> Bool {
        guard let columns = try actual.columns(of: "ACHANGE") else { return true }
        let tombstones = mostPreserved(layouts)
        return (0..<tombstones).contains { !columns.contains("ZTOMBSTONE\($0)") }
    }

    /// Returns the attributes that history preserves when an object is deleted, by name.
    static func preserved(_ layout: EntityLayout) -> [EntityLayout.Cell] {
        layout.cells.filter { $0.traits.contains(.keptInHistory) }.sorted(byText: \.name)
    }

    /// Returns the maximum number of preserved attributes of an entity.
    private static func mostPreserved(_ layouts: ModelLayouts) -> Int {
        // A superentity comes before its subentities.
        var counts = ContiguousArray(repeating: 0, count: layouts.byNumber.count)
        for layout in layouts.all {
            counts[layout.number] =
                (layout.superlayout.map { counts[$0.number] } ?? 0)
                + layout.ownCells.count { $0.traits.contains(.keptInHistory) }
        }
        return counts.max() ?? 0
    }

    private static func creation(tombstones: Int) -> [String] {
        let columns = (0..<tombstones).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
        return [
            "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, "
                + "ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(columns) )",
            "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, "
                + "ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, "
                + "ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
            "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
            "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
            "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
            "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
            "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
            "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
            "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
            "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
            "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
        ]
    }
}
