import CoreDataRowStorage
import PredicateFormat

/// The SQL of a derived attribute's value, and what it depends on.
package struct DerivedValue {
    package enum Source: @unchecked Sendable {
        /// The moment of the change.
        case now
        /// An attribute of the row itself.
        case own(cell: Int)
        /// An attribute of a to-one destination.
        case toOne(cell: Int, column: String, destination: EntityLayout, value: Int)
        /// An aggregate of an attribute of the members of a to-many relationship; of their number if there is no attribute.
        case toMany(EntityLayout.Relationship, ToManyColumns, destination: EntityLayout, value: Int?)
    }

    private let cell: EntityLayout.Cell
    private let layout: EntityLayout
    private let tables: PostgreSQLTables
    /// True if the value is a date in seconds.
    private let isInSeconds: Bool

    package init(_ cell: EntityLayout.Cell, _ place: CellColumns, _ layout: EntityLayout, _ tables: PostgreSQLTables) {
        self.cell = cell
        self.layout = layout
        self.tables = tables
        isInSeconds = place.isInSeconds
    }

    /// Returns the value for the row `t`.
    package func make() throws -> (sql: String, source: Source) {
        guard let node = layout.traits.derivation(of: cell) else { throw unsupported("no expression") }
        switch node {
        case .function(.now, _): return (isInSeconds ? Self.seconds(of: "now()") : "now()", .now)
        case .function(let function, let arguments) where arguments.count == 1:
            guard let wrapped = Self.wrapper(function), case .keyPath(let keys, .evaluatedObject) = arguments[0] else {
                return try aggregate(function, arguments[0])
            }
            return try path(keys, wrapped)
        case .keyPath(let keys, .evaluatedObject):
            if let split = keys.firstIndex(where: { $0.hasPrefix("@") }) {
                return try aggregate(keys[split], Array(keys[..<split]), Array(keys[(split + 1)...]))
            }
            return try path(keys) { $0 }
        default: throw unsupported("\(node)")
        }
    }

    private static func wrapper(_ function: PredicateFunction) -> ((String) -> String)? {
        switch function {
        case .canonical: { "coredata_fold(\($0), 3)" }
        case .uppercase: { "\(CaseFunction.upper.name)(\($0))" }
        case .lowercase: { "\(CaseFunction.lower.name)(\($0))" }
        default: nil
        }
    }

    package func unsupported(_ expression: String) -> NSError {
        CoreDataError.make(
            NSPersistentStoreIncompatibleSchemaError,
            description: "A derived attribute cannot be computed by the store.",
            reason: "\(layout.name).\(cell.name): \(expression)",
            advice:
                "Derive from a to-one key path, canonical:, uppercase: or lowercase: of one, now(), or an aggregate of a "
                + "to-many relationship.",
            entity: layout.name, key: cell.name)
    }

    private func place(_ key: String, of layout: EntityLayout) throws -> (EntityLayout.Cell, String)? {
        guard case .cell(let index)? = layout.members[key],
            let column = try tables.columns(of: layout).cells[index].column
        else { return nil }
        return (layout.cells[index], PostgreSQLName.quoted(column))
    }

    /// Returns the value of a column in the form of the derived attribute.
    private func fitting(_ sql: String, _ source: EntityLayout.Cell, of owner: EntityLayout) throws -> String {
        let given = try tables.columns(of: owner).cells[source.index]
        guard source.kind == .date, cell.kind == .date, given.isInSeconds != isInSeconds else { return sql }
        guard isInSeconds else {
            throw unsupported(
                "\(owner.name).\(source.path) has the type \(DatabaseTraits.wholeDateType), which "
                    + "\(layout.name).\(cell.path) would round")
        }
        return Self.seconds(of: sql)
    }

    private static func seconds(of sql: String) -> String {
        let dialect = PostgreSQLDialect()
        return dialect.seconds(of: SQLFragment(raw: sql), .of(.date)).statement(in: dialect).text
    }

    private func path(_ keys: [String], _ wrapped: (String) -> String) throws -> (sql: String, source: Source) {
        guard let first = keys.first, let (own, column) = try place(first, of: layout) else {
            throw unsupported(keys.joined(separator: "."))
        }
        if keys.count == 1, own.kind != .reference {
            return (try fitting(wrapped("t.\(column)"), own, of: layout), .own(cell: own.index))
        }
        guard keys.count == 2, own.kind == .reference,
            let destination = tables.layouts.byNumber[layout.relationships[own.relationshipIndex].destinationNumber],
            let (target, value) = try place(keys[1], of: destination), target.kind != .reference
        else { throw unsupported(keys.joined(separator: ".")) }
        let table = PostgreSQLName.quoted(try tables.columns(of: destination).table)
        let result = try fitting(wrapped("d.\(value)"), target, of: destination)
        return (
            "SELECT \(result) FROM \(table) d WHERE d.id = t.\(column)",
            .toOne(cell: own.index, column: column, destination: destination, value: target.index)
        )
    }

    // MARK: Aggregates

    private func aggregate(
        _ function: PredicateFunction, _ argument: ExpressionNode
    ) throws -> (sql: String, source: Source) {
        let names: [PredicateFunction: String] = [
            .count: "@count", .sum: "@sum", .min: "@min", .max: "@max", .average: "@avg",
        ]
        guard let name = names[function], case .keyPath(let keys, .evaluatedObject) = argument, let first = keys.first
        else { throw unsupported(function.rawValue) }
        return try aggregate(name, [first], Array(keys.dropFirst()))
    }

    private func aggregate(
        _ name: String, _ keys: [String], _ tail: [String]
    ) throws -> (sql: String, source: Source) {
        let text = (keys + [name] + tail).joined(separator: ".")
        guard keys.count == 1, case .toMany(let index)? = layout.members[keys[0]],
            let columns = tables.columns(of: layout.relationships[index], in: layout),
            let destination = tables.layouts.byNumber[layout.relationships[index].destinationNumber]
        else { throw unsupported(text) }
        let functions = ["@count": "count", "@sum": "sum", "@min": "min", "@max": "max", "@avg": "avg"]
        guard let function = functions[name] else { throw unsupported(text) }
        var value: (EntityLayout.Cell, String)?
        if name != "@count" {
            guard tail.count == 1, let found = try place(tail[0], of: destination) else { throw unsupported(text) }
            value = found
        }
        let argument = try value.map { try fitting("m.\($0.1)", $0.0, of: destination) } ?? "*"
        let members: String
        switch columns {
        case .foreignKey(let table, let column, _, _), .owned(let table, let column, _):
            members = "\(PostgreSQLName.quoted(table)) m WHERE m.\(PostgreSQLName.quoted(column)) = t.id"
        case .join(let join, let own, let target, _, _, _):
            let table = PostgreSQLName.quoted(try tables.columns(of: destination).table)
            members =
                "\(PostgreSQLName.quoted(join)) j JOIN \(table) m ON m.id = j.\(PostgreSQLName.quoted(target)) "
                + "WHERE j.\(PostgreSQLName.quoted(own)) = t.id"
        }
        let result = "SELECT \(function)(\(argument)) FROM \(members)"
        return (
            function == "sum" ? "coalesce((\(result)), 0)" : result,
            .toMany(layout.relationships[index], columns, destination: destination, value: value?.0.index)
        )
    }
}
