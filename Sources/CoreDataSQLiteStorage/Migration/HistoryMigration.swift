import CoreDataRowStorage
import Foundation

/// Converts recorded history to the entity and property numbers of the destination.
///
/// Changes of entities that no longer exist are deleted; transactions are kept, so that tokens remain valid.
struct HistoryMigration {
    private let session: InPlaceSession
    private var connection: SQLiteConnection { session.connection }

    init(_ session: InPlaceSession) { self.session = session }

    func run() throws {
        guard session.actual.hasTable("ACHANGE") else { return }
        try HistoryTables.prepare(session.actual, layouts: session.new, connection)
        let gone = session.old.all.filter { session.models.successor(of: $0) == nil }
        if !gone.isEmpty {
            let numbers = gone.map { String(session.fileNumber($0)) }.joined(separator: ", ")
            try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY IN (\(numbers))")
        }
        try remapColumns()
        let pairs = session.old.all.compactMap { old in
            session.models.successor(of: old).map { (old, $0) }
        }
        for (old, new) in pairs { try remapTombstones(old, new) }
        let moved = pairs.filter { session.fileNumber($0.0) != $0.1.number }
        guard !moved.isEmpty else { return }
        let cases = moved.map { "WHEN \(session.fileNumber($0.0)) THEN \($0.1.number)" }.joined(separator: " ")
        try connection.execute("UPDATE ACHANGE SET ZENTITY = CASE ZENTITY \(cases) ELSE ZENTITY END")
    }

    /// Converts the bitmaps of updates, which identify properties by number.
    private func remapColumns() throws {
        let changed = session.old.all.filter { old in
            guard let new = session.models.successor(of: old) else { return false }
            return names(old).map { renamed($0, in: new) } != names(new).map { $0 }
        }
        guard !changed.isEmpty else { return }
        let byNumber = Dictionary(changed.map { (session.fileNumber($0), $0) }) { first, _ in first }
        let numbers = byNumber.keys.sorted().map { String($0) }.joined(separator: ", ")
        try connection.execute("CREATE TEMP TABLE CDCOLUMNS (k INTEGER PRIMARY KEY, c BLOB)")
        defer { try? connection.execute("DROP TABLE IF EXISTS temp.CDCOLUMNS") }
        let rows = try connection.prepare(
            "SELECT Z_PK, ZENTITY, ZCOLUMNS FROM ACHANGE WHERE ZCOLUMNS IS NOT NULL AND ZENTITY IN (\(numbers))")
        let insertion = try connection.prepare("INSERT INTO temp.CDCOLUMNS (k, c) VALUES (?, ?)")
        while try rows.step() {
            guard let old = byNumber[Int(rows.integer(1))], let new = session.models.successor(of: old),
                let bits = rows.data(2)
            else { continue }
            let properties = Set(HistoryColumns.properties(in: bits, of: old).compactMap { renamed($0, in: new) })
            try insertion.bind(rows.integer(0), at: 1)
            try insertion.bind(HistoryColumns.bitmap(properties, of: new), at: 2)
            try insertion.run()
        }
        try connection.execute(
            "UPDATE ACHANGE SET ZCOLUMNS = (SELECT c FROM temp.CDCOLUMNS WHERE k = ACHANGE.Z_PK) "
                + "WHERE Z_PK IN (SELECT k FROM temp.CDCOLUMNS)")
    }

    private func names(_ layout: EntityLayout) -> [String] { layout.traits.historyOrder }

    /// Returns the name that a property of the source has in the destination.
    private func renamed(_ name: String, in new: EntityLayout) -> String? {
        session.models.newName(of: name, in: new)
    }

    /// Moves preserved values of deleted objects to the columns of the destination. Their numbered columns follow the order
    /// of the attributes' names.
    private func remapTombstones(_ old: EntityLayout, _ new: EntityLayout) throws {
        let before = HistoryTables.preserved(old)
        let after = HistoryTables.preserved(new)
        guard !before.isEmpty else { return }
        let values = after.map { cell -> String in
            guard let name = session.models.formerName(of: cell.name, in: new),
                let place = before.firstIndex(where: { $0.name == name })
            else { return "NULL" }
            return value("ZTOMBSTONE\(place)", before[place], cell)
        }
        let changes = (0..<max(before.count, after.count)).compactMap { index in
            let value = index < values.count ? values[index] : "NULL"
            return value == "ZTOMBSTONE\(index)" ? nil : "ZTOMBSTONE\(index) = \(value)"
        }
        guard !changes.isEmpty else { return }
        try connection.execute(
            "UPDATE ACHANGE SET \(changes.joined(separator: ", ")) WHERE ZENTITY = \(session.fileNumber(old))")
    }

    /// Returns the SQL that converts a preserved value to its new type. A value that may not fit becomes NULL: it must not
    /// make the migration fail.
    private func value(_ column: String, _ old: EntityLayout.Cell, _ new: EntityLayout.Cell) -> String {
        guard let conversion = session.models.conversion(from: old, to: new) else { return column }
        let value = conversion.expression(column)
        return conversion.suspicion(column).map { "CASE WHEN \($0) THEN NULL ELSE \(value) END" } ?? value
    }
}
