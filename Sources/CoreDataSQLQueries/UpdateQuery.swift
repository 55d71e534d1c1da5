import CoreDataRowStorage
import PredicateFormat

/// The `UPDATE` of a batch update, for rows with keys in a list.
///
/// The parameters are those of expressions, bound to ``constants``, then those of constants for attributes, which the engine
/// binds in their stored form, and last the list of keys.
package struct UpdateQuery {
    private let layout: EntityLayout
    private let tables: any TableNames
    private let compiler: SQLCompiler
    private let scope = QueryScope(parent: nil)
    private var writer = ShapeWriter()
    private var computed: [SQLFragment]
    private var plain: [SQLFragment] = []
    private var dialect: any SQLDialect { tables.dialect }

    package init(_ layout: EntityLayout, _ tables: any TableNames) {
        self.layout = layout
        self.tables = tables
        compiler = SQLCompiler(tables)
        scope.setPlace(layout, key: compiler.key("t0"), alias: "t0")
        computed = [tables.dialect.nextVersion]
    }

    /// The constants of expressions, by the slots of their parameters.
    package var constants: [Any?] { writer.constants }

    /// Sets an attribute to a constant.
    package mutating func set(_ cell: EntityLayout.Cell, in column: String) throws {
        let form = try type(of: cell).bound(.value(cell.kind, cell.coder))
        plain.append("\(name(column)) = \(try compiler.parameter(slot: -1, form))")
    }

    /// Sets an attribute to the value of an expression.
    package mutating func set(_ cell: EntityLayout.Cell, in column: String, to node: ExpressionNode) throws {
        let operand = try compiler.operand(writer.numbering(node), scope)
        let type = try type(of: cell)
        let value = try dialect.assigned(
            compiler.sql(operand, as: type), compiler.type(of: operand, beside: type), to: type)
        computed.append("\(name(column)) = \(value)")
    }

    /// Sets a to-one relationship to an object, its ID or nil.
    ///
    /// - Returns: false for any other value.
    package mutating func relate(
        _ cell: EntityLayout.Cell, in columns: CellColumns, to node: ExpressionNode
    ) throws -> Bool {
        let relationship = layout.relationships[cell.relationshipIndex]
        let operand = try compiler.operand(writer.numbering(node), scope)
        guard let column = columns.column, case .constant(let constant) = operand,
            constant.kind == .object || constant.kind == .null,
            let destination = tables.layouts.byNumber[relationship.destinationNumber]
        else { return false }
        if constant.kind == .null {
            computed.append("\(name(column)) = NULL")
            if let entity = columns.entityColumn { computed.append("\(name(entity)) = NULL") }
        } else {
            let key = try compiler.parameter(constant, .key(root: destination.root.number))
            computed.append("\(name(column)) = \(key)")
            if let entity = columns.entityColumn {
                let row = (constant.value as? any RowIdentified)?.rowIdentity
                let layout = row.flatMap { tables.layouts.byName[$0.layout.name] } ?? destination
                computed.append("\(name(entity)) = \(dialect.entity(layout, tables))")
            }
        }
        if let order = columns.order { computed.append("\(name(order)) = NULL") }
        return true
    }

    /// Returns the statement.
    ///
    /// - Throws: an error for an expression that follows a relationship.
    package func statement() throws -> SQLStatement {
        guard scope.joins.isEmpty else {
            throw UnsupportedQuery.make(
                "Invalid batch update: an expression follows a relationship",
                advice: "Use attributes of the row itself.")
        }
        let place = try tables.columns(of: layout)
        let keys = try compiler.parameter(slot: -1, .keys(root: layout.root.number))
        let condition = dialect.membership(of: dialect.keyColumn, in: keys, folding: [])
        let assignments = (computed + plain).joined(separator: ", ")
        let statement: SQLFragment =
            "UPDATE \(name(place.table)) AS t0 SET \(assignments) WHERE \(condition)\(dialect.returningReferences(place))"
        return statement.statement(in: dialect)
    }

    private func type(of cell: EntityLayout.Cell) throws -> ValueType {
        ValueType(cell, try tables.columns(of: layout).cells[cell.index])
    }

    private func name(_ name: String) -> SQLFragment { dialect.identifier(name) }
}
