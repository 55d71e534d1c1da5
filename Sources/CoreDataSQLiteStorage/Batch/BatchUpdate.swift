import CoreDataSQLQueries
import CoreDataRowStorage
import Foundation
import PredicateFormat

/// A batch update: one `UPDATE` of the rows a predicate matches.
struct BatchUpdate {
    private let fetch: StoreFetch
    private let properties: [BatchAssignment]
    private let layout: EntityLayout
    private let engine: SQLiteEngine
    private let connection: SQLiteConnection
    private let files: ExternalFileChanges
    private let values: BatchValue

    /// A constant for an attribute. Constants are bound after the parameters of expressions.
    private struct Constant {
        var value: Any
        var cell: EntityLayout.Cell
        var isExternal: Bool
    }

    init(
        _ fetch: StoreFetch, _ properties: [BatchAssignment], _ engine: SQLiteEngine, _ connection: SQLiteConnection,
        files: ExternalFileChanges
    ) {
        self.fetch = fetch
        self.properties = properties
        layout = fetch.layout
        self.engine = engine
        self.connection = connection
        self.files = files
        values = BatchValue(layout: layout, files: files)
    }

    /// Updates the rows that the predicate matches and returns their references.
    func run() throws -> ContiguousArray<RowReference> {
        guard !properties.isEmpty else {
            throw UnsupportedQuery.make("Invalid batch update: propertiesToUpdate is empty", entity: layout.name)
        }
        let (compiled, constants) = try engine.compiled(fetch, .references)
        let rows = try engine.references(
            engine.prepare(compiled, constants, fetch, connection), number: layout.number,
            isPolymorphic: compiled.selectsEntity)
        guard !rows.isEmpty else { return rows }
        try update(ContiguousArray(rows.map(\.key)))
        return rows
    }

    private func update(_ keys: ContiguousArray<Int64>) throws {
        var query = UpdateQuery(layout, engine)
        var plain: [(column: String, constant: Constant)] = []
        var large: [(column: String, constant: Constant)] = []
        var external: [String] = []
        var computed: [(column: String, cell: EntityLayout.Cell)] = []
        for property in try ColumnAssignment.all(properties, of: layout) {
            let name = property.name
            let (cell, columns) = try place(name)
            guard let column = columns.column else { throw UnsupportedQuery.keyPath(name, in: layout) }
            let isRequired = cell.requiresValue || cell.kind == .reference && !cell.isOptional
            if columns.isExternal { external.append(column) }
            let node: ExpressionNode
            switch property.value {
            case .constant(let constant):
                if isRequired, !property.isOfNil, constant is NSNull {
                    throw BatchValueCheck.missing(name, of: layout.name)
                }
                guard cell.kind != .reference else {
                    node = .constant(constant)
                    break
                }
                let value = (column, Constant(value: constant, cell: cell, isExternal: columns.isExternal))
                if columns.isExternal, ExternalFiles.needsFile(constant) {
                    large.append(value)
                } else {
                    plain.append(value)
                    try query.set(cell, in: column)
                }
                continue
            case .expression(let expression): node = expression
            }
            if columns.isExternal {
                throw UnsupportedQuery.make(
                    "Invalid batch update: \(name) may lie in a file and takes a constant only", key: name)
            }
            if cell.kind == .reference {
                guard try query.relate(cell, in: columns, to: node) else {
                    throw UnsupportedQuery.make(
                        "Invalid batch update: \(name) takes an object, its ID or nil", key: name)
                }
            } else {
                try query.set(cell, in: column, to: node)
                if cell.kind == .int16 || cell.kind == .int32 { computed.append((column, cell)) }
            }
        }
        let sql = try query.statement()
        try noteObsoleteFiles(external, keys)
        let statement = try connection.prepare(sql.text)
        // The parameters of expressions come first, then those of the constants, then that of the keys.
        let expressions = sql.bindings.count - plain.count - 1
        try ConstantBinder(engine: engine).bind(
            Array(sql.bindings.prefix(expressions)), .list(query.constants), to: statement)
        for (offset, (_, constant)) in plain.enumerated() {
            try bind(constant, statement, Int32(expressions + offset + 1))
        }
        try statement.bind(KeyArray(keys: keys), at: Int32(sql.bindings.count))
        try statement.runForBatch(entity: layout.name)
        for (column, cell) in computed { try checkRange(of: column, cell, keys) }
        // An external file belongs to exactly one row.
        for (column, constant) in large {
            let table = try engine.columns(of: layout).table
            let statement = try connection.prepare("UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?")
            for key in keys {
                try bind(constant, statement, 1)
                try statement.bind(key, at: 2)
                try statement.run()
            }
        }
    }

    /// Throws if the attribute cannot hold a computed number; the caller then rolls the transaction back.
    private func checkRange(of column: String, _ cell: EntityLayout.Cell, _ keys: ContiguousArray<Int64>) throws {
        guard let range = cell.kind.integerRange else { return }
        let statement = try connection.prepare(
            "SELECT \(column) FROM \(try engine.columns(of: layout).table) WHERE Z_PK IN (SELECT value FROM CDArray(?1)) "
                + "AND \(column) NOT BETWEEN ?2 AND ?3 LIMIT 1")
        try statement.bind(KeyArray(keys: keys), at: 1)
        try statement.bind(range.lowerBound, at: 2)
        try statement.bind(range.upperBound, at: 3)
        if try statement.step() { throw BatchValueCheck(layout).outOfRange(statement.double(0), cell) }
    }

    private func bind(_ constant: Constant, _ statement: SQLiteStatement, _ index: Int32) throws {
        try values.bind(
            constant.value, for: constant.cell, isExternal: constant.isExternal, to: statement, at: index)
    }

    private func noteObsoleteFiles(_ columns: [String], _ keys: ContiguousArray<Int64>) throws {
        guard !columns.isEmpty else { return }
        let statement = try connection.prepare(
            "SELECT \(columns.joined(separator: ", ")) FROM \(try engine.columns(of: layout).table) "
                + "WHERE Z_PK IN (SELECT value FROM CDArray(?1))")
        try statement.bind(KeyArray(keys: keys), at: 1)
        while try statement.step() {
            for column in columns.indices { statement.bytes(Int32(column)).map(files.noteObsolete) }
        }
    }

    private func place(_ name: String) throws -> (EntityLayout.Cell, CellColumns) {
        let columns = try engine.columns(of: layout)
        if case .cell(let index)? = layout.members[name] { return (layout.cells[index], columns.cells[index]) }
        guard let cell = layout.elements(at: name).first(where: { $0.path == name }) else {
            throw UnsupportedQuery.keyPath(name, in: layout)
        }
        return (cell, columns.cells[cell.index])
    }
}

extension SQLiteStatement {
    /// Runs a statement of a batch request; a violated uniqueness constraint is thrown with Core Data's code.
    func runForBatch(entity: String) throws {
        do {
            try run()
        } catch let error as NSError
            where error.userInfo[SQLiteFailure.extendedCodeKey] as? Int == Int(SQLiteFailure.uniqueConstraint)
        {
            throw CoreDataError.make(
                NSManagedObjectConstraintMergeError,
                description: "The rows of \(entity) violate a uniqueness constraint.",
                reason: error.localizedFailureReason, advice: "Set another merge policy, or make the values unique.",
                entity: entity, underlying: error)
        }
    }
}
