import ModelFormat

/// The triggers of derived attributes that files contain: values of a to-one destination, and counts of one-to-many
/// relationships. Programs keep the other derivations up to date without triggers in the file.
struct DerivedStatements {
    private(set) var all: [SchemaStatement] = []

    /// A derived attribute and its place.
    private struct Source {
        var entity: EntityOutline
        var attribute: String
        var column: String
        var table: String { entity.table }
    }

    init(_ outline: ModelOutline) {
        for entity in outline.entities {
            // Elements of composite attributes have a dot in their names, which the names of triggers cannot have.
            for cell in entity.cells where !cell.isElement {
                guard let derivation = cell.attribute?.derivation, let column = cell.column else { continue }
                add(derivation, Source(entity: entity, attribute: cell.name, column: column))
            }
        }
    }

    private mutating func add(_ derivation: String, _ source: Source) {
        switch SimplePredicate.expression(derivation) {
        case .keyPath(let path, .evaluatedObject)?:
            let keys = path.split(separator: ".").map(String.init)
            guard keys.count == 2 else { return }
            if keys[1] == "@count" { addCount(keys[0], source) } else { addValue(keys[0], keys[1], source) }
        case .function("count", _, let arguments)?:
            if case .keyPath(let path, .evaluatedObject)? = arguments.first { addCount(path, source) }
        default: break
        }
    }

    private mutating func add(
        _ kind: String, on table: String, _ event: String, when condition: String = "", _ action: String,
        reporting rows: String, isInsert: Bool, _ source: Source
    ) {
        let name = "Z_DA_\(table)_\(source.entity.name)_\(source.attribute)_\(kind)"
        all.append(
            SchemaStatement(
                name: name, table: table,
                sql: "CREATE TRIGGER \(name) AFTER \(event) ON \(table) FOR EACH ROW\(condition) BEGIN \(action); "
                    + "SELECT NSCoreDataDATrigger\(isInsert ? "Insert" : "")UpdatedAffectedObjectValue('\(source.table)', "
                    + "Z_ENT, Z_PK, '\(source.attribute)', \(source.column)) FROM \(source.table) WHERE \(rows); END"))
    }

    /// Adds the four triggers of a value reached by a to-one relationship.
    private mutating func addValue(_ relationship: String, _ property: String, _ source: Source) {
        guard let cell = source.entity.cell(at: relationship), let key = cell.column,
            let destination = cell.relationship?.destination,
            case (let owner, .cell(let index))? = destination.member(property),
            let value = owner.cells[index].column
        else { return }
        let (s, a, t) = (source.table, source.column, destination.table)
        let look = "UPDATE \(s) SET \(a) = (SELECT \(value) FROM \(t) WHERE Z_PK = NEW.\(key)) WHERE Z_PK = NEW.Z_PK"
        let spread = "UPDATE \(s) SET \(a) = NEW.\(value) WHERE \(key) = NEW.Z_PK"
        func add(_ kind: String, _ table: String, _ event: String, _ action: String, _ rows: String, _ all: inout Self)
        {
            all.add(kind, on: table, event, action, reporting: rows, isInsert: event == "INSERT", source)
        }
        add("SOURCE_INSERT", s, "INSERT", look, "Z_PK = NEW.Z_PK", &self)
        add("SOURCE_UPDATE", s, "UPDATE OF \(key)", look, "Z_PK = NEW.Z_PK", &self)
        add("PARAMETER_INSERT", t, "INSERT", spread, "\(key) = NEW.Z_PK", &self)
        add("PARAMETER_UPDATE", t, "UPDATE OF \(value)", spread, "\(key) = NEW.Z_PK", &self)
    }

    /// Adds the five triggers of a count, which adjust it by one.
    private mutating func addCount(_ name: String, _ source: Source) {
        guard let relationship = source.entity.relationship(name), relationship.isToMany, !relationship.isTransient,
            let inverse = relationship.inverse, let key = inverse.cell?.column
        else { return }
        let (s, a, t) = (source.table, source.column, inverse.owner.table)
        func add(_ kind: String, _ event: String, _ row: String, _ change: String, _ all: inout Self) {
            all.add(
                kind, on: t, event, when: " WHEN (\(row).\(key) NOT NULL)",
                "UPDATE \(s) SET \(a) = \(change) WHERE Z_PK = \(row).\(key)", reporting: "Z_PK = \(row).\(key)",
                isInsert: false, source)
        }
        add("PARAMETER_INSERT", "INSERT", "NEW", "IFNULL(\(a), 0) + 1", &self)
        add("PARAMETER_UPDATE_INCREMENT", "UPDATE OF \(key)", "NEW", "\(a) + 1", &self)
        add("PARAMETER_UPDATE_DECREMENT", "UPDATE OF \(key)", "OLD", "\(a) - 1", &self)
        add("PARAMETER_DELETE", "DELETE", "OLD", "\(a) - 1", &self)
        self.add(
            "SOURCE_INSERT", on: s, "INSERT",
            "UPDATE \(s) SET \(a) = (SELECT IFNULL(COUNT(\(key)), 0) FROM \(t) WHERE \(key) = NEW.Z_PK) "
                + "WHERE Z_PK = NEW.Z_PK",
            reporting: "Z_PK = NEW.Z_PK", isInsert: true, source)
    }
}
