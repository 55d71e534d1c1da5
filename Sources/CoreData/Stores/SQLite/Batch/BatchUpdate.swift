import Foundation
import PredicateFormat

/// A batch update: one `UPDATE` of the rows a predicate matches.
struct BatchUpdate {
    private let request: NSBatchUpdateRequest
    private let layout: EntityLayout
    private let engine: SQLiteEngine
    private let connection: SQLiteConnection

    init(
        _ request: NSBatchUpdateRequest, _ layout: EntityLayout, _ engine: SQLiteEngine, _ connection: SQLiteConnection
    ) {
        self.request = request
        self.layout = layout
        self.engine = engine
        self.connection = connection
    }

    /// The rows that were updated.
    func run() throws -> ContiguousArray<RowReference> {
        guard let properties = request.propertiesToUpdate, !properties.isEmpty else {
            throw SQLUnsupported.make("Invalid batch update: propertiesToUpdate is empty", entity: layout.name)
        }
        var fetch = StoreFetch(layout: layout)
        fetch.predicate = request.predicate
        fetch.includesSubentities = request.includesSubentities
        let (compiled, constants) = try engine.compiled(fetch, .references)
        let rows = try engine.references(
            engine.prepare(compiled, constants, fetch, connection), number: layout.number,
            isPolymorphic: compiled.selectsEntity)
        guard !rows.isEmpty else { return rows }
        try update(ContiguousArray(rows.map(\.key)), properties)
        return rows
    }

    private func update(_ keys: ContiguousArray<Int64>, _ properties: [AnyHashable: Any]) throws {
        let compiler = SQLCompiler(engine)
        let scope = QueryScope(parent: nil)
        scope.setPlace(layout, key: "t0.Z_PK", alias: "t0")
        var numbering = NumberedConstants()
        var writer = ShapeWriter()
        var assignments = ["Z_OPT = Z_OPT + 1"]
        for (key, value) in properties {
            let name = (key.base as? NSPropertyDescription)?.name ?? (key.base as? String) ?? "\(key.base)"
            let (cell, columns) = try place(name)
            guard let column = columns.column else { throw SQLUnsupported.keyPath(name, in: layout) }
            let node: ExpressionNode
            if let expression = value as? NSExpression {
                node = expression.node
            } else {
                node = .constant(value)
            }
            writer.add(node)
            let operand = try compiler.operand(numbering.number(node), scope)
            if cell.kind == .reference {
                assignments += try relate(name, cell, columns, column, operand, value, compiler)
            } else {
                let type = ValueType(kind: cell.kind, isExternal: columns.isExternal, attribute: cell.attribute)
                assignments.append("\(column) = \(try compiler.sql(operand, as: type))")
            }
        }
        guard scope.joins.isEmpty else {
            throw SQLUnsupported.make(
                "Invalid batch update: an expression follows a relationship",
                advice: "Use attributes of the row itself.")
        }
        let table = try engine.columns(of: layout).table
        let keyParameter = compiler.bindings.count + 1
        let statement = try connection.prepare(
            "UPDATE \(table) AS t0 SET \(assignments.joined(separator: ", ")) "
                + "WHERE Z_PK IN (SELECT value FROM CDArray(?\(keyParameter)))")
        try ConstantBinder(engine: engine).bind(compiler.bindings, writer.constants, to: statement)
        statement.bind(KeyArray(keys: keys), at: Int32(keyParameter))
        try statement.runForBatch(entity: layout.name)
    }

    private func place(_ name: String) throws -> (EntityLayout.Cell, CellColumns) {
        let columns = try engine.columns(of: layout)
        if case .cell(let index)? = layout.members[name] { return (layout.cells[index], columns.cells[index]) }
        guard let cell = layout.cells.first(where: { $0.composite != nil && $0.compositePath == name }) else {
            throw SQLUnsupported.keyPath(name, in: layout)
        }
        return (cell, columns.cells[cell.index])
    }

    private func relate(
        _ name: String, _ cell: EntityLayout.Cell, _ columns: CellColumns, _ column: String, _ operand: Operand,
        _ value: Any, _ compiler: SQLCompiler
    ) throws -> [String] {
        guard case .constant(let constant) = operand, constant.kind == .object || constant.kind == .null,
            let destination = engine.layouts.byNumber[layout.relationships[cell.relationshipIndex].destinationNumber]
        else { throw SQLUnsupported.make("Invalid batch update: \(name) takes an object, its ID or nil", key: name) }
        var assignments: [String] = []
        if constant.kind == .null {
            assignments.append("\(column) = NULL")
            if let entity = columns.entityColumn { assignments.append("\(entity) = NULL") }
        } else {
            let key = compiler.parameter(constant.slot, .key(root: destination.root.number))
            assignments.append("\(column) = \(key)")
            if let entity = columns.entityColumn {
                let id = (value as? NSManagedObjectID) ?? (value as? NSManagedObject)?.objectID
                let number = id.flatMap { engine.layouts.byName[$0.entity.name ?? ""]?.number } ?? destination.number
                assignments.append("\(entity) = \(engine.numbering.inFile[number])")
            }
        }
        if let order = columns.order { assignments.append("\(order) = NULL") }
        return assignments
    }
}

extension SQLiteStatement {
    /// Runs a statement of a batch request; a violated uniqueness constraint has Core Data's code.
    func runForBatch(entity: String) throws {
        do {
            try run()
        } catch let error as NSError
            where error.userInfo[SQLiteFailure.extendedCodeKey] as? Int == Int(SQLiteFailure.uniqueConstraint)
        {
            throw CoreDataError.make(
                NSManagedObjectConstraintMergeError, description: "The rows violate a uniqueness constraint.",
                reason: error.localizedFailureReason, advice: "Set another merge policy, or make the values unique.",
                entity: entity, underlying: error)
        }
    }
}
