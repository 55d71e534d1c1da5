import CoreDataRowStorage
import Foundation

/// The statement that gives recorded history the names of the destination.
///
/// Transactions are kept, so that tokens remain valid. Changes of entities that do not continue get a name that no entity has:
/// a later version may have another entity of their former name.
struct HistoryChanges {
    private let plan: MigrationPlan
    private var models: LayoutCorrespondence { plan.models }

    init(_ plan: MigrationPlan) { self.plan = plan }

    /// The new names of an entity and of its properties.
    private struct Change {
        let name: String
        var newName: String
        /// The properties that continue, by their old names; nil if all keep theirs.
        var properties: [String: String]?
        /// The SQL of the preserved values; nil if they stay.
        var tombstone: String?

        var isNone: Bool { name == newName && properties == nil && tombstone == nil }
    }

    /// Returns the statement; nil if all names stay.
    func statement() throws -> PostgreSQLMigration.Statement? {
        let changes = try plan.old.layouts.all.filter { !$0.isAbstract }.map(change).filter { !$0.isNone }
        guard !changes.isEmpty else { return nil }
        let rows = changes.map { change in
            let names = change.properties.map { "\(PostgreSQLName.literal(Self.json($0)))::jsonb" } ?? "NULL::jsonb"
            return "(\(PostgreSQLName.literal(change.name)), \(PostgreSQLName.literal(change.newName)), \(names))"
        }
        var sets = ["entity = m.name"]
        if changes.contains(where: { $0.properties != nil }) {
            sets.append(
                "properties = CASE WHEN m.names IS NULL OR c.properties IS NULL THEN c.properties ELSE "
                    + "ARRAY(SELECT m.names ->> p FROM unnest(c.properties) p WHERE m.names ->> p IS NOT NULL ORDER BY 1) "
                    + "END")
        }
        let tombstones = changes.compactMap { change in
            change.tombstone.map { "WHEN \(PostgreSQLName.literal(change.name)) THEN \($0)" }
        }
        if !tombstones.isEmpty {
            sets.append(
                "tombstone = CASE WHEN c.tombstone IS NULL THEN NULL ELSE CASE c.entity "
                    + "\(tombstones.joined(separator: " ")) ELSE c.tombstone END END")
        }
        return PostgreSQLMigration.Statement(
            description: "Gives history the new names of entities and properties.",
            sql: "UPDATE \(Self.table) c SET \(sets.joined(separator: ", ")) "
                + "FROM (VALUES \(rows.joined(separator: ", "))) AS m(entity, name, names) WHERE c.entity = m.entity "
                + "AND (m.entity <> m.name OR c.properties IS NOT NULL OR c.tombstone IS NOT NULL)")
    }

    static let table = "coredata_change"

    private static func json(_ names: [String: String]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(names)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    private func change(_ old: EntityLayout) throws -> Change {
        var change = Change(name: old.name, newName: "removed \(old.name)")
        guard let new = models.successor(of: old) else { return change }
        change.newName = new.name
        let pairs = old.traits.historyOrder.map { (old: $0, new: models.newName(of: $0, in: new)) }
        if pairs.contains(where: { $0.old != $0.new }) {
            change.properties = Dictionary(
                pairs.compactMap { pair in pair.new.map { (pair.old, $0) } }, uniquingKeysWith: { $1 })
        }
        change.tombstone = try tombstone(old, new)
        return change
    }

    // MARK: Preserved values

    private func tombstone(_ old: EntityLayout, _ new: EntityLayout) throws -> String? {
        let (before, after) = (try plan.old.columns(of: old), try plan.new.columns(of: new))
        func isKept(_ cell: EntityLayout.Cell) -> Bool { cell.traits.contains(.keptInHistory) && !cell.isTransient }
        var values: [(name: String, sql: String)] = []
        var isSame = true
        var found: Set<Int> = []
        for cell in new.cells where cell.relationshipIndex < 0 {
            guard let origin = models.origin(of: cell, in: new), isKept(origin) || isKept(cell) else { continue }
            found.insert(origin.index)
            let text = "(c.tombstone ->> \(PostgreSQLName.literal(origin.path)))"
            let value = value(text, origin, before[origin.index], cell, after[cell.index])
            if value != text || origin.path != cell.path { isSame = false }
            values.append((cell.path, value))
        }
        if old.cells.contains(where: { isKept($0) && !found.contains($0.index) }) { isSame = false }
        guard !isSame else { return nil }
        guard !values.isEmpty else { return "'{}'::jsonb" }
        let names = values.map { PostgreSQLName.literal($0.name) }.joined(separator: ", ")
        let texts = values.map(\.sql).joined(separator: ", ")
        return "jsonb_strip_nulls(jsonb_object(ARRAY[\(names)], ARRAY[\(texts)]))"
    }

    /// Returns the SQL that converts a preserved value to its new type. A value that may not fit becomes NULL: it must not
    /// make the migration fail.
    private func value(
        _ text: String, _ old: EntityLayout.Cell, _ before: CellColumns, _ new: EntityLayout.Cell, _ after: CellColumns
    ) -> String {
        if old.kind == .date, new.kind == .date, before.isInSeconds != after.isInSeconds {
            // Seconds since 2001 or, with six digits, since 1970.
            return after.isInSeconds
                ? "((\(text)::numeric - \(ColumnConversion.epoch))::double precision)::text"
                : "round(\(text)::numeric + \(ColumnConversion.epoch), 6)::text"
        }
        guard let numeric = models.conversion(from: old, to: new),
            let (source, destination) = types(old, before, new, after), source != destination
        else { return text }
        let value = "\(text)::\(source)"
        let converted = ColumnConversion(source: source, destination: destination, numeric: numeric).sql("(\(value))")
        let result = "(\(converted))::text"
        return numeric.serverSuspicion("(\(value))").map { "CASE WHEN \($0) THEN NULL ELSE \(result) END" } ?? result
    }

    private func types(
        _ old: EntityLayout.Cell, _ before: CellColumns, _ new: EntityLayout.Cell, _ after: CellColumns
    ) -> (String, String)? {
        guard let source = PostgreSQLName.type(of: old.kind, in: before),
            let destination = PostgreSQLName.type(of: new.kind, in: after)
        else { return nil }
        return (source, destination)
    }
}
