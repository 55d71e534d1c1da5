import CSQLite
import Foundation

/// A batch insert: rows from dictionaries or scratch objects, without registering any object.
///
/// A row that hits a uniqueness constraint is an error, is left out, or overwrites the row that is there, by the merge
/// policy.
final class BatchInsert {
    private let request: NSBatchInsertRequest
    private let layout: EntityLayout
    private let columns: EntityColumns
    private let engine: SQLiteEngine
    private let connection: SQLiteConnection
    private let policy: NSMergePolicyType
    private let hasConstraints: Bool
    private var statements: [Set<String>: SQLiteStatement] = [:]
    private var nextKey: Int64 = 0
    private var keys: ContiguousArray<Int64> = []
    private let fields: [Field]

    /// An attribute that can be given.
    private struct Field {
        var name: String
        var elementPath: [String]
        var cell: EntityLayout.Cell
        var column: String
        var isExternal: Bool
    }

    init(
        _ request: NSBatchInsertRequest, _ layout: EntityLayout, _ engine: SQLiteEngine, _ connection: SQLiteConnection,
        policy: NSMergePolicyType
    ) throws {
        self.request = request
        self.layout = layout
        self.engine = engine
        self.connection = connection
        self.policy = policy
        let columns = try engine.columns(of: layout)
        self.columns = columns
        hasConstraints = !engine.constraints(of: layout).isEmpty
        guard !layout.entity.isAbstract else {
            throw SQLUnsupported.make(
                "Cannot insert objects of the abstract entity \(layout.name)", entity: layout.name)
        }
        fields = layout.cells.compactMap { cell in
            guard let column = columns.cells[cell.index].column, cell.kind != .reference, !cell.isDerived else {
                return nil
            }
            return Field(
                name: cell.composite?.name ?? cell.name, elementPath: cell.elementPath, cell: cell, column: column,
                isExternal: columns.cells[cell.index].isExternal)
        }
    }

    /// Inserts every row; the keys of the rows inserted or updated.
    func run() throws -> ContiguousArray<Int64> {
        nextKey = try engine.allocator.highest(root: layout.root.number, connection) + 1
        let first = nextKey
        if let dictionaries = request.objectsToInsert {
            keys.reserveCapacity(dictionaries.count)
            for dictionary in dictionaries { try insert(dictionary) }
        } else if let handler = request.dictionaryHandler {
            while true {
                let dictionary = NSMutableDictionary()
                if handler(dictionary) { break }
                var values: [String: Any] = [:]
                for (key, value) in dictionary { values["\(key)"] = value }
                try insert(values)
            }
        } else if let handler = request.managedObjectHandler {
            while true {
                let object = NSManagedObject(entity: layout.entity, insertInto: nil)
                if handler(object) { break }
                var values: [String: Any] = [:]
                for field in fields where values[field.name] == nil {
                    if let value = object.value(forKey: field.name) { values[field.name] = value }
                }
                try insert(values)
            }
        }
        if nextKey > first { try engine.allocator.setHighest(nextKey - 1, root: layout.root.number, connection) }
        return keys
    }

    private func insert(_ values: [String: Any]) throws {
        let statement = try statement(for: values)
        let pointer = statement.pointer
        sqlite3_bind_int64(pointer, 1, nextKey)
        var index: Int32 = 2
        for field in fields {
            let value = value(of: field, in: values)
            if field.isExternal, let data = value as? Data {
                let cell = try data.withUnsafeBytes { try engine.files.store($0) }.cell
                statement.bind(cell, at: index)
            } else if field.cell.kind == .transformable, let value, !(value is Data),
                let attribute = field.cell.attribute
            {
                guard let data = AttributeTransformer.data(from: value, of: attribute) else {
                    throw SQLUnsupported.make("Unacceptable value for \(layout.name).\(field.name)", key: field.name)
                }
                statement.bind(data, at: index)
            } else {
                try bind(SQLValue(value, field.cell.kind), statement, index)
            }
            index += 1
        }
        let result = sqlite3_step(pointer)
        defer { sqlite3_reset(pointer) }
        switch result {
        case SQLITE_ROW:
            let key = sqlite3_column_int64(pointer, 0)
            keys.append(key)
            if key == nextKey { nextKey += 1 }
            // Lets the statement finish.
            while sqlite3_step(pointer) == SQLITE_ROW {}
        case SQLITE_DONE: break
        default: try fail(result, statement)
        }
    }

    private func fail(_ result: Int32, _ statement: SQLiteStatement) throws {
        let error = statement.failure(result)
        guard result == SQLiteFailure.uniqueConstraint else { throw error }
        throw CoreDataError.make(
            NSManagedObjectConstraintMergeError, description: "A row violates a uniqueness constraint.",
            reason: error.localizedFailureReason,
            advice: "Set a merge policy on the context that keeps or overwrites the existing row.", entity: layout.name,
            underlying: error)
    }

    private func bind(_ value: SQLValue, _ statement: SQLiteStatement, _ index: Int32) {
        switch value {
        case .null: statement.bindNull(at: index)
        case .integer(let value): statement.bind(value, at: index)
        case .real(let value): statement.bind(value, at: index)
        case .string(let value): statement.bind(value, at: index)
        case .text(let bytes): bytes.withUnsafeBytes { statement.bindText(copying: $0, at: index) }
        case .blob(let data): statement.bind(data, at: index)
        }
    }

    /// What the dictionary says, or the model's default.
    private func value(of field: Field, in values: [String: Any]) -> Any? {
        guard let given = values[field.name] else {
            return field.elementPath.isEmpty ? field.cell.attribute?.defaultValue : nil
        }
        var value: Any? = given
        for key in field.elementPath { value = (value as? [String: Any])?[key] }
        return value is NSNull ? nil : value
    }

    // MARK: Statement

    /// One statement for each set of given keys, since only these overwrite an existing row.
    private func statement(for values: [String: Any]) throws -> SQLiteStatement {
        let given: Set<String> = hasConstraints && policy != .errorMergePolicyType ? Set(values.keys) : []
        if let known = statements[given] { return known }
        let names = ["Z_PK"] + fields.map(\.column) + ["Z_ENT", "Z_OPT"]
        let marks = (1...fields.count + 1).map { "?\($0)" } + [String(engine.numbering.inFile[layout.number]), "1"]
        let sql =
            "INSERT INTO \(columns.table) (\(names.joined(separator: ", "))) VALUES (\(marks.joined(separator: ", ")))"
            + conflictClause(given) + " RETURNING Z_PK"
        let made = try connection.prepare(sql)
        statements[given] = made
        return made
    }

    private func conflictClause(_ given: Set<String>) -> String {
        guard hasConstraints else { return "" }
        switch policy {
        case .errorMergePolicyType: return ""
        case .rollbackMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType: return " ON CONFLICT DO NOTHING"
        case .overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType:
            let all = policy == .overwriteMergePolicyType
            let assignments = fields.filter { all || given.contains($0.name) }.map {
                "\($0.column) = excluded.\($0.column)"
            }
            return " ON CONFLICT DO UPDATE SET \((["Z_OPT = Z_OPT + 1"] + assignments).joined(separator: ", "))"
        }
    }
}
