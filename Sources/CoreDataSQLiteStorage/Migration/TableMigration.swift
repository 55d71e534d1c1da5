import CoreDataSQLQueries
import CoreDataRowStorage
import Foundation

/// The migration of the rows of one destination table from one source table.
final class TableMigration {
    let table: SQLSchema.Table
    private let session: InPlaceSession
    /// The entities of the table that already have rows, with their source entities.
    private let rows: [(new: EntityLayout, old: EntityLayout)]
    /// The table of the source; nil when all entities are new.
    private let origin: String?
    private var values: [SQLValue] = []
    private var columns: [(name: String, role: ColumnRole, expression: String)] = []
    /// Whether the table in the file is kept, apart from entity numbers.
    private(set) var staysInPlace = false

    init(_ table: SQLSchema.Table, _ session: InPlaceSession) {
        self.table = table
        self.session = session
        let root = session.new.byNumber[table.root]
        rows = (root.map(session.family) ?? []).compactMap { layout in
            session.models.origin(of: layout).map { (layout, $0) }
        }
        origin = rows.first.flatMap { session.oldTable(of: $0.old) }
        guard origin != nil else { return }
        let roles = ColumnRole.all(of: table, session)
        for column in table.columns {
            guard let role = roles[column.name] else { continue }
            columns.append((column.name, role, expression(column.name, role)))
        }
        staysInPlace = canStay()
    }

    // MARK: Expressions

    /// Returns the SQL expression of a column over a source row `o`.
    private func expression(_ name: String, _ role: ColumnRole) -> String {
        var cached: String?
        func defaultValue(_ cell: EntityLayout.Cell, of layout: EntityLayout) -> String {
            if let cached { return cached }
            let value = layout.traits.startingValue(of: cell).object
            guard let value, let stored = StoredDefault.value(value, cell) else { return "NULL" }
            values.append(stored)
            cached = "?\(values.count)"
            return cached ?? "NULL"
        }
        return choice(rows.map { row in (session.fileNumber(row.old), value(role, row.new, row.old, defaultValue)) })
    }

    /// Returns one expression for all entities, or a `CASE` by the row's entity.
    private func choice(_ cases: [(number: Int, expression: String)]) -> String {
        guard let first = cases.first else { return "NULL" }
        if cases.allSatisfy({ $0.expression == first.expression }) { return first.expression }
        return "CASE o.Z_ENT " + cases.map { "WHEN \($0.number) THEN \($0.expression)" }.joined(separator: " ") + " END"
    }

    private func value(
        _ role: ColumnRole, _ new: EntityLayout, _ old: EntityLayout,
        _ defaultValue: (EntityLayout.Cell, EntityLayout) -> String
    ) -> String {
        let oldColumns = session.oldSchema.entities[old.number]
        switch role {
        case .cell(let declaring, let index):
            guard new.isKind(of: declaring) else { return "NULL" }
            let cell = new.cells[index]
            let isComputed = cell.kind == .reference || cell.isDerived
            guard let origin = session.models.origin(of: cell, in: new),
                let column = oldColumns?.cells[origin.index].column
            else { return isComputed ? "NULL" : defaultValue(cell, new) }
            let kept = session.models.conversion(from: origin, to: cell)?.expression("o.\(column)") ?? "o.\(column)"
            let isRequired = !isComputed && !cell.isOptional && cell.requiresValue
            let wasRequired = !origin.isOptional && origin.requiresValue
            guard isRequired, !wasRequired else { return kept }
            let value = defaultValue(cell, new)
            return value == "NULL" ? kept : "IFNULL(\(kept), \(value))"
        case .entityOfCell(let declaring, let index):
            guard new.isKind(of: declaring),
                let origin = session.models.origin(of: new.cells[index], in: new),
                let place = oldColumns?.cells[origin.index], let key = place.column
            else { return "NULL" }
            let number = old.relationships[origin.relationshipIndex].destinationNumber
            guard let target = session.old.byNumber[number] else { return "NULL" }
            if let column = place.entityColumn { return renumbered("o.\(column)", session.oldFamily(of: target)) }
            guard let successor = session.models.successor(of: target) else { return "NULL" }
            return "CASE WHEN o.\(key) IS NULL THEN NULL ELSE \(successor.number) END"
        case .orderOfCell(let declaring, let index):
            guard new.isKind(of: declaring),
                let origin = session.models.origin(of: new.cells[index], in: new),
                let column = oldColumns?.cells[origin.index].order
            else { return "NULL" }
            return "o.\(column)"
        case .owned(let owner, let name): return owned(owner, name, old)?.column ?? "NULL"
        case .orderOfOwned(let owner, let name): return owned(owner, name, old)?.order ?? "NULL"
        }
    }

    /// Returns the columns of a to-many relationship without an inverse, if it had none in the source either.
    private func owned(_ owner: EntityLayout, _ name: String, _ old: EntityLayout) -> (column: String, order: String?)?
    {
        let links = LinkSource.sources(of: .init(entity: owner.number, name: name), session)
        guard links.count == 1, case .owned(let table, let column, let order) = links[0].place, table == origin else {
            return nil
        }
        return ("o.\(column)", order.map { "o.\($0)" })
    }

    /// Returns the SQL that converts a column of entity numbers to those of the destination.
    private func renumbered(_ column: String, _ entities: [EntityLayout]) -> String {
        let pairs = entities.map { (session.fileNumber($0), session.models.successor(of: $0)?.number) }
        if pairs.allSatisfy({ $0.0 == $0.1 }) { return column }
        return "CASE \(column) "
            + pairs.map { "WHEN \($0.0) THEN \($0.1.map { String($0) } ?? "NULL")" }.joined(separator: " ") + " END"
    }

    private var entityNumber: String {
        renumbered("o.Z_ENT", rows.map(\.old))
    }

    // MARK: Staying in place

    private func canStay() -> Bool {
        guard let origin, origin == table.name, session.actual.creation(of: origin) == table.creation,
            let root = rows.first.map(\.old.root)
        else { return false }
        // Every entity with rows must have moved to this table.
        let moved = session.oldFamily(of: root).contains { old in
            !rows.contains { $0.old === old } && !old.isAbstract
        }
        guard !moved else { return false }
        return columns.allSatisfy { column in
            switch column.role {
            case .entityOfCell: column.expression.contains("o.\(column.name)")
            case .orderOfCell, .orderOfOwned: column.expression == "o.\(column.name)"
            default: column.expression == "o.\(column.name)"
            }
        }
    }

    // MARK: Moving rows

    /// Creates the table and fills it. Does nothing if the table stays in place.
    func copyRows() throws {
        guard !staysInPlace else { return }
        try session.connection.execute(table.creation)
        guard let origin else { return }
        let numbers = rows.map { String(session.fileNumber($0.old)) }.joined(separator: ", ")
        let names = ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.name)
        let expressions = ["o.Z_PK", entityNumber, "o.Z_OPT"] + columns.map(\.expression)
        let isWhole = session.oldFamily(of: rows[0].old.root).allSatisfy { old in rows.contains { $0.old === old } }
        try session.connection.run(
            "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) "
                + "SELECT \(expressions.joined(separator: ", ")) FROM \(session.current(origin)) o"
                + (isWhole ? "" : " WHERE o.Z_ENT IN (\(numbers))") + " ORDER BY o.Z_PK", values)
    }

    /// Updates the entity numbers in a table that stays in place.
    func renumber() throws {
        guard staysInPlace else { return }
        var changes: [String] = []
        if entityNumber != "o.Z_ENT" { changes.append("Z_ENT = \(entityNumber)") }
        for column in columns where column.expression != "o.\(column.name)" {
            changes.append("\(column.name) = \(column.expression)")
        }
        guard !changes.isEmpty else { return }
        try session.connection.run("UPDATE \(table.name) AS o SET " + changes.joined(separator: ", "), values)
    }
}

/// The content of an entity table's column.
enum ColumnRole {
    /// An attribute's value or a to-one relationship's key, by the declaring entity and its slot.
    case cell(EntityLayout, Int)
    /// The entity number of a to-one relationship's destination.
    case entityOfCell(EntityLayout, Int)
    /// The order key in the ordered inverse of a to-one relationship.
    case orderOfCell(EntityLayout, Int)
    /// The key of the owner in a to-many relationship without an inverse, by the owner's entity and the relationship.
    case owned(EntityLayout, String)
    case orderOfOwned(EntityLayout, String)

    static func all(of table: SQLSchema.Table, _ session: InPlaceSession) -> [String: ColumnRole] {
        var roles: [String: ColumnRole] = [:]
        guard let root = session.new.byNumber[table.root] else { return roles }
        for layout in session.family(of: root) {
            guard let places = session.newSchema.entities[layout.number] else { continue }
            for cell in layout.ownCells {
                let place = places[cell.index]
                if let name = place.column { roles[name] = .cell(layout, cell.index) }
                if let name = place.entityColumn { roles[name] = .entityOfCell(layout, cell.index) }
                if let name = place.order { roles[name] = .orderOfCell(layout, cell.index) }
            }
        }
        for (relationship, key) in session.newSchema.ownedKeys where key.table == table.name {
            guard let owner = session.new.byNumber[relationship.entity] else { continue }
            roles[key.column] = .owned(owner, relationship.name)
            if let order = key.order { roles[order] = .orderOfOwned(owner, relationship.name) }
        }
        return roles
    }
}

/// Default values in the form in which the store saves them.
enum StoredDefault {
    static func value(_ value: Any, _ cell: EntityLayout.Cell) -> SQLValue? {
        switch CellCoding.encode(value, as: cell) {
        case .bits(let bits):
            switch cell.kind {
            case .double, .float, .date: return .real(Double(bitPattern: bits))
            default: return .integer(Int64(bitPattern: bits))
            }
        case .bytes(let bytes):
            switch cell.kind {
            case .string, .uri: return .string(String(decoding: bytes, as: UTF8.self))
            case .decimal: return try? SQLValue(value, .decimal)
            case .data:
                return .blob(cell.traits.contains(.external) ? Data([1]) + bytes : bytes)
            default: return .blob(bytes)
            }
        case .absent, .boxed, .mismatch: return nil
        }
    }
}
