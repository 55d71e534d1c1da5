#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import PredicateFormat

/// A batch update, in two round trips: the rows that a predicate matches are found and locked, then updated by one `UPDATE`.
struct BatchUpdate {
    private let fetch: StoreFetch
    private let engine: PostgreSQLEngine
    private let statement: SQLStatement
    /// The constants of expressions, and those of attributes, in the order of the statement's parameters.
    private let constants: [Any?]
    private let plain: ParameterList
    /// The slots that are assigned.
    private let cells: Set<Int>
    /// The names of the properties that are assigned.
    private let properties: Set<String>

    /// Compiles the update.
    init(_ fetch: StoreFetch, _ assignments: [BatchAssignment], _ engine: PostgreSQLEngine) throws {
        self.fetch = fetch
        self.engine = engine
        let layout = fetch.layout
        guard !assignments.isEmpty else {
            throw UnsupportedQuery.make("Invalid batch update: propertiesToUpdate is empty", entity: layout.name)
        }
        var query = UpdateQuery(layout, engine.tables)
        var plain = ParameterList()
        var cells: Set<Int> = []
        for assignment in try ColumnAssignment.all(assignments, of: layout) {
            cells.insert(try Self.place(assignment.name, layout, engine).0.index)
            try Self.add(assignment, to: &query, &plain, layout, engine)
        }
        statement = try query.statement()
        constants = query.constants
        self.plain = plain
        self.cells = cells
        properties = Set(assignments.map(\.name))
    }

    private static func add(
        _ assignment: ColumnAssignment, to query: inout UpdateQuery, _ plain: inout ParameterList,
        _ layout: EntityLayout, _ engine: PostgreSQLEngine
    ) throws {
        let name = assignment.name
        let (cell, columns) = try place(name, layout, engine)
        guard let column = columns.column else { throw UnsupportedQuery.keyPath(name, in: layout) }
        let node: ExpressionNode
        switch assignment.value {
        case .constant(let constant):
            let isRequired = cell.requiresValue || cell.kind == .reference && !cell.isOptional
            if isRequired, !assignment.isOfNil, constant is NSNull {
                throw BatchValueCheck.missing(name, of: layout.name)
            }
            if cell.kind != .reference {
                try query.set(cell, in: column)
                var writer = BinaryWriter()
                let isPresent = try BatchColumn(cell, columns, of: layout).write(constant, to: &writer)
                if isPresent { plain.add { $0.bytes.append(contentsOf: writer.bytes) } } else { plain.addNull() }
                return
            }
            node = .constant(constant)
        case .expression(let expression): node = expression
        }
        guard cell.kind == .reference else { return try query.set(cell, in: column, to: node) }
        guard try query.relate(cell, in: columns, to: node) else {
            throw UnsupportedQuery.make("Invalid batch update: \(name) takes an object, its ID or nil", key: name)
        }
    }

    private static func place(
        _ name: String, _ layout: EntityLayout, _ engine: PostgreSQLEngine
    ) throws -> (EntityLayout.Cell, CellColumns) {
        let columns = try engine.tables.columns(of: layout)
        if case .cell(let index)? = layout.members[name] { return (layout.cells[index], columns.cells[index]) }
        guard let cell = layout.elements(at: name).first(where: { $0.path == name }) else {
            throw UnsupportedQuery.keyPath(name, in: layout)
        }
        return (cell, columns.cells[cell.index])
    }

    /// Updates the rows that the predicate matches.
    func run(_ transaction: BatchTransaction) throws {
        let rows = try transaction.lock(fetch)
        guard !rows.isEmpty else { return }
        // The parameters of expressions come first, then those of the constants, then that of the keys.
        let expressions = statement.bindings.prefix(statement.bindings.count - plain.count - 1)
        var parameters = try ConstantEncoder(engine).parameters(Array(expressions), constants)
        parameters.add(contentsOf: plain)
        parameters.add(rows.map(\.key))
        var touched = TouchedRows()
        for row in rows {
            touched.updated[row.entityNumber, default: []].append(row.key)
            touched.changedCells[row.entityNumber] = cells
        }
        let request = PipelineRequest(ServerStatement(statement.text, isPrepared: false), parameters)
        try transaction.finish([request], touching: touched, rows: rows, properties: properties)
    }
}
#endif
