import CoreDataSQLQueries
import CoreDataRowStorage
import Foundation
import PredicateFormat

/// The triggers that keep derived attributes up to date.
///
/// Two kinds are known from Apple's files and are written into the file verbatim: values reached by a to-one key path, and
/// counts of one-to-many relationships. The other derivations get temporary triggers of the writing connection with the same
/// effect, so that Apple's framework can still read the file.
struct DerivedTriggers {
    private let schema: SQLSchema
    private let layouts: ModelLayouts

    package init(_ schema: SQLSchema, _ layouts: ModelLayouts) {
        self.schema = schema
        self.layouts = layouts
    }

    package struct Trigger {
        var name: String
        /// The table that fires the trigger.
        var table: String
        /// The SQL after the trigger's name.
        var body: String
        /// Whether the trigger is stored in the file.
        var isPersistent: Bool
        /// The statement that computes the attribute for all rows; one trigger of each attribute has it.
        var refresh: String?

        package var creation: String { "CREATE \(isPersistent ? "" : "TEMP ")TRIGGER \(name) \(body)" }
    }

    /// A derived attribute and the entity that declares it.
    struct Source {
        var layout: EntityLayout
        var attribute: String
        var table: String
        var column: String
    }

    /// Recomputes every derived attribute; `now()` only where there is no value yet.
    func recompute(_ connection: SQLiteConnection) throws {
        for statement in try all().compactMap(\.refresh) { try connection.execute(statement) }
    }

    /// Returns all triggers of the model.
    ///
    /// - Throws: `NSPersistentStoreIncompatibleSchemaError` for a derivation that no store can compute.
    package func all() throws -> [Trigger] {
        var triggers: [Trigger] = []
        for layout in layouts.all {
            for cell in layout.ownCells where cell.isDerived {
                guard let columns = schema.entities[layout.number], let column = columns[cell.index].column
                else { continue }
                let source = Source(layout: layout, attribute: cell.name, table: columns.table, column: column)
                guard let node = layout.traits.derivation(of: cell) else { throw unsupported(source, "no expression") }
                triggers += try self.triggers(node, source)
            }
        }
        return triggers
    }

    private func triggers(_ node: ExpressionNode, _ source: Source) throws -> [Trigger] {
        switch node {
        case .function(.now, _):
            return changed(
                source, "CDNow()", columns: ["Z_OPT"],
                refresh: refresh(source, "CDNow()", where: " AND \(source.column) IS NULL"))
        case .function(let function, let arguments) where arguments.count == 1:
            guard let wrapper = Self.wrapper(function), case .keyPath(let keys, .evaluatedObject) = arguments[0] else {
                return try aggregate(function, arguments[0], source)
            }
            return try path(keys, source, wrapper)
        case .keyPath(let keys, .evaluatedObject):
            if let split = keys.firstIndex(where: { $0.hasPrefix("@") }) {
                return try aggregate(
                    keys[split], Array(keys[..<split]), Array(keys[(split + 1)...]), source)
            }
            return try path(keys, source, nil)
        default: throw unsupported(source, "\(node)")
        }
    }

    private static func wrapper(_ function: PredicateFunction) -> String? {
        switch function {
        case .canonical: "CDCanonical"
        case .uppercase: "CDUpper"
        case .lowercase: "CDLower"
        default: nil
        }
    }

    private func unsupported(_ source: Source, _ expression: String) -> NSError {
        CoreDataError.make(
            NSPersistentStoreIncompatibleSchemaError,
            description: "A derived attribute cannot be computed by the store.",
            reason: "\(source.layout.name).\(source.attribute): \(expression)",
            advice:
                "Derive from a to-one key path, canonical:, uppercase: or lowercase: of one, now(), or an aggregate of a "
                + "to-many relationship.",
            entity: source.layout.name, key: source.attribute)
    }

    private func cell(_ key: String, of layout: EntityLayout) -> (EntityLayout.Cell, CellColumns)? {
        guard case .cell(let index)? = layout.members[key], let columns = schema.entities[layout.number] else {
            return nil
        }
        return (layout.cells[index], columns.cells[index])
    }

    // MARK: Values of the row and of related rows

    private func path(_ keys: [String], _ source: Source, _ wrapper: String?) throws -> [Trigger] {
        func wrapped(_ sql: String) -> String { wrapper.map { "\($0)(\(sql))" } ?? sql }
        guard let first = keys.first, let (cell, columns) = cell(first, of: source.layout), let column = columns.column
        else { throw unsupported(source, keys.joined(separator: ".")) }
        if keys.count == 1, cell.kind != .reference {
            return changed(
                source, wrapped("NEW.\(column)"), columns: [column], refresh: refresh(source, wrapped(column)))
        }
        guard keys.count == 2, cell.kind == .reference,
            let destination = layouts.byNumber[source.layout.relationships[cell.relationshipIndex].destinationNumber],
            let (_, target) = self.cell(keys[1], of: destination), let value = target.column,
            let table = schema.entities[destination.number]?.table
        else { throw unsupported(source, keys.joined(separator: ".")) }
        return related(
            source, key: column, table: table, value: value, wrapped: wrapped, isPersistent: wrapper == nil)
    }

    private func report(_ source: Source, _ condition: String, isInsert: Bool) -> String {
        "SELECT NSCoreDataDATrigger\(isInsert ? "Insert" : "")UpdatedAffectedObjectValue('\(source.table)', Z_ENT, Z_PK, "
            + "'\(source.attribute)', \(source.column)) FROM \(source.table) WHERE \(condition);"
    }

    /// Returns the statement that computes the attribute of every object.
    private func refresh(_ source: Source, _ value: String, where condition: String = "") -> String {
        let numbers = source.layout.familyNumbers.map { String(schema.numbering.inFile[$0]) }.joined(separator: ", ")
        return "UPDATE \(source.table) SET \(source.column) = \(value) WHERE Z_ENT IN (\(numbers))\(condition)"
    }

    private func name(_ table: String, _ source: Source, _ kind: String) -> String {
        "Z_DA_\(table)_\(source.layout.name)_\(source.attribute)_\(kind)"
    }

    /// Returns the four triggers of a value reached by a to-one relationship.
    private func related(
        _ source: Source, key: String, table: String, value: String, wrapped: (String) -> String, isPersistent: Bool
    ) -> [Trigger] {
        let (s, a) = (source.table, source.column)
        let look =
            "UPDATE \(s) SET \(a) = (SELECT \(wrapped(value)) FROM \(table) WHERE Z_PK = NEW.\(key)) "
            + "WHERE Z_PK = NEW.Z_PK;"
        let spread = "UPDATE \(s) SET \(a) = \(wrapped("NEW.\(value)")) WHERE \(key) = NEW.Z_PK;"
        let whole = refresh(source, "(SELECT \(wrapped("d.\(value)")) FROM \(table) d WHERE d.Z_PK = \(s).\(key))")
        func make(_ on: String, _ kind: String, _ event: String, _ action: String, _ condition: String) -> Trigger {
            Trigger(
                name: name(on, source, kind), table: on,
                body: "AFTER \(event) ON \(on) FOR EACH ROW BEGIN \(action) "
                    + report(source, condition, isInsert: event == "INSERT") + " END",
                isPersistent: isPersistent, refresh: kind == "SOURCE_INSERT" ? whole : nil)
        }
        return [
            make(s, "SOURCE_INSERT", "INSERT", look, "Z_PK = NEW.Z_PK"),
            make(s, "SOURCE_UPDATE", "UPDATE OF \(key)", look, "Z_PK = NEW.Z_PK"),
            make(table, "PARAMETER_INSERT", "INSERT", spread, "\(key) = NEW.Z_PK"),
            make(table, "PARAMETER_UPDATE", "UPDATE OF \(value)", spread, "\(key) = NEW.Z_PK"),
        ]
    }

    /// Returns the triggers of a value that depends on the row itself. They fire on insertion and on updates of the columns.
    private func changed(
        _ source: Source, _ value: String, columns: [String], refresh: String
    ) -> [Trigger] {
        ["INSERT", "UPDATE OF \(columns.joined(separator: ", "))"].map { event in
            let numbers = source.layout.familyNumbers.map { String(schema.numbering.inFile[$0]) }.joined(
                separator: ", ")
            return Trigger(
                name: name(source.table, source, event == "INSERT" ? "SOURCE_INSERT" : "SOURCE_UPDATE"),
                table: source.table,
                body: "AFTER \(event) ON \(source.table) FOR EACH ROW WHEN (NEW.Z_ENT IN (\(numbers))) BEGIN "
                    + "UPDATE \(source.table) SET \(source.column) = \(value) WHERE Z_PK = NEW.Z_PK; "
                    + report(source, "Z_PK = NEW.Z_PK", isInsert: event == "INSERT") + " END",
                isPersistent: false, refresh: event == "INSERT" ? refresh : nil)
        }
    }

    // MARK: Aggregates

    private func aggregate(
        _ function: PredicateFunction, _ argument: ExpressionNode, _ source: Source
    ) throws -> [Trigger] {
        let names: [PredicateFunction: String] = [
            .count: "@count", .sum: "@sum", .min: "@min", .max: "@max", .average: "@avg",
        ]
        guard let name = names[function], case .keyPath(let keys, .evaluatedObject) = argument, let first = keys.first
        else { throw unsupported(source, function.rawValue) }
        return try aggregate(name, [first], Array(keys.dropFirst()), source)
    }

    private func aggregate(
        _ name: String, _ keys: [String], _ tail: [String], _ source: Source
    ) throws -> [Trigger] {
        let text = (keys + [name] + tail).joined(separator: ".")
        guard keys.count == 1, case .toMany(let index)? = source.layout.members[keys[0]],
            let columns = schema.columns(of: source.layout.relationships[index], in: source.layout),
            let destination = layouts.byNumber[source.layout.relationships[index].destinationNumber],
            let table = schema.entities[destination.number]?.table
        else { throw unsupported(source, text) }
        if name == "@count", tail.isEmpty, case .foreignKey(let table, let key, _, _) = columns {
            return count(source, key: key, table: table)
        }
        let functions = ["@count": "COUNT", "@sum": "SUM", "@min": "MIN", "@max": "MAX", "@avg": "AVG"]
        guard let function = functions[name] else { throw unsupported(source, text) }
        var value = "Z_PK"
        if name != "@count" {
            guard tail.count == 1, let (_, target) = cell(tail[0], of: destination), let column = target.column else {
                throw unsupported(source, text)
            }
            value = column
        }
        return recomputed(source, function, value: value, table: table, columns)
    }

    /// Returns the five triggers of a count, which adjust it by one.
    private func count(_ source: Source, key: String, table: String) -> [Trigger] {
        let (s, a) = (source.table, source.column)
        func make(_ kind: String, _ event: String, _ row: String, _ change: String) -> Trigger {
            Trigger(
                name: name(table, source, kind), table: table,
                body:
                    "AFTER \(event) ON \(table) FOR EACH ROW WHEN (\(row).\(key) NOT NULL) BEGIN UPDATE \(s) SET \(a) = "
                    + "\(change) WHERE Z_PK = \(row).\(key); "
                    + report(source, "Z_PK = \(row).\(key)", isInsert: false) + " END",
                isPersistent: true)
        }
        return [
            make("PARAMETER_INSERT", "INSERT", "NEW", "IFNULL(\(a), 0) + 1"),
            make("PARAMETER_UPDATE_INCREMENT", "UPDATE OF \(key)", "NEW", "\(a) + 1"),
            make("PARAMETER_UPDATE_DECREMENT", "UPDATE OF \(key)", "OLD", "\(a) - 1"),
            make("PARAMETER_DELETE", "DELETE", "OLD", "\(a) - 1"),
            Trigger(
                name: name(s, source, "SOURCE_INSERT"), table: s,
                body:
                    "AFTER INSERT ON \(s) FOR EACH ROW BEGIN UPDATE \(s) SET \(a) = (SELECT IFNULL(COUNT(\(key)), 0) FROM "
                    + "\(table) WHERE \(key) = NEW.Z_PK) WHERE Z_PK = NEW.Z_PK; "
                    + report(source, "Z_PK = NEW.Z_PK", isInsert: true) + " END",
                isPersistent: true,
                refresh: refresh(source, "(SELECT COUNT(*) FROM \(table) d WHERE d.\(key) = \(s).Z_PK)")),
        ]
    }

    /// Returns triggers that recompute an aggregate for the rows that a change affects.
    private func recomputed(
        _ source: Source, _ function: String, value: String, table: String, _ columns: ToManyColumns
    ) -> [Trigger] {
        let (s, a) = (source.table, source.column)
        let link: String
        let owners: (_ row: String) -> String
        let events: [(table: String, event: String, rows: [String])]
        switch columns {
        case .foreignKey(_, let key, _, _), .owned(_, let key, _):
            link = "SELECT \(function)(\(value)) FROM \(table) WHERE \(key) = \(s).Z_PK"
            owners = { "Z_PK = \($0).\(key)" }
            let watched = value == "Z_PK" ? key : "\(key), \(value)"
            events = [
                (table, "INSERT", ["NEW"]), (table, "UPDATE OF \(watched)", ["OLD", "NEW"]), (table, "DELETE", ["OLD"]),
            ]
        case .join(let join, let own, let target, _, _, _):
            link =
                "SELECT \(function)(t.\(value)) FROM \(join) j JOIN \(table) t ON t.Z_PK = j.\(target) "
                + "WHERE j.\(own) = \(s).Z_PK"
            owners = { "Z_PK = \($0).\(own)" }
            events = [(join, "INSERT", ["NEW"]), (join, "DELETE", ["OLD"])]
        }
        let total = function == "SUM" || function == "COUNT" ? "IFNULL((\(link)), 0)" : "(\(link))"
        var triggers = events.enumerated().map { number, event in
            let actions = event.rows.map { row in
                "UPDATE \(s) SET \(a) = \(total) WHERE \(owners(row)); "
                    + report(source, owners(row), isInsert: false)
            }
            return Trigger(
                name: name(event.table, source, "PARAMETER_\(number)"), table: event.table,
                body: "AFTER \(event.event) ON \(event.table) FOR EACH ROW BEGIN \(actions.joined(separator: " ")) END",
                isPersistent: false)
        }
        if case .join(_, let own, let target, _, _, _) = columns, value != "Z_PK",
            case .join(let join, _, _, _, _, _) = columns
        {
            let condition = "Z_PK IN (SELECT \(own) FROM \(join) WHERE \(target) = NEW.Z_PK)"
            triggers.append(
                Trigger(
                    name: name(table, source, "PARAMETER_UPDATE"), table: table,
                    body:
                        "AFTER UPDATE OF \(value) ON \(table) FOR EACH ROW BEGIN UPDATE \(s) SET \(a) = \(total) WHERE "
                        + "\(condition); " + report(source, condition, isInsert: false) + " END",
                    isPersistent: false))
        }
        triggers.append(
            Trigger(
                name: name(s, source, "SOURCE_INSERT"), table: s,
                body: "AFTER INSERT ON \(s) FOR EACH ROW BEGIN UPDATE \(s) SET \(a) = \(total) WHERE Z_PK = NEW.Z_PK; "
                    + report(source, "Z_PK = NEW.Z_PK", isInsert: true) + " END",
                isPersistent: false, refresh: refresh(source, total)))
        return triggers
    }
}
