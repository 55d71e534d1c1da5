import CSQLite
import Foundation

/// A batch insert: rows from dictionaries or scratch objects, without registering any object.
///
/// A row that hits a uniqueness constraint is an error, is left out, or overwrites the row that is there, by the merge
/// policy.
final class BatchInsert {
    /// The rows a batch insert wrote, in the order they were given.
    struct Written {
        var keys: ContiguousArray<Int64> = []
        /// Those among them that were there before and were overwritten.
        var overwritten: Set<Int64> = []
    }

    private let request: NSBatchInsertRequest
    private let layout: EntityLayout
    private let columns: EntityColumns
    private let engine: SQLiteEngine
    private let connection: SQLiteConnection
    private let policy: NSMergePolicyType
    private let hasConstraints: Bool
    private var statements: [Set<String>: SQLiteStatement] = [:]
    private var nextKey: Int64 = 0
    private var written = Written()
    private let fields: [Field]
    private let values: BatchValue
    private let files: ExternalFileChanges
    /// Files of the rows that may be overwritten, by key.
    private var oldFiles: [Int64: [String]] = [:]

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
        policy: NSMergePolicyType, files: ExternalFileChanges
    ) throws {
        self.request = request
        self.layout = layout
        self.engine = engine
        self.connection = connection
        self.policy = policy
        self.files = files
        values = BatchValue(entity: layout.name, files: files)
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

    /// Inserts every row.
    func run() throws -> Written {
        nextKey = try engine.allocator.highest(root: layout.root.number, connection) + 1
        let first = nextKey
        try noteOldFiles()
        if let dictionaries = request.objectsToInsert {
            written.keys.reserveCapacity(dictionaries.count)
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
                let object = layout.entity.managedObjectClass.init(_source: .entity(layout.entity, nil))
                if handler(object) { break }
                var values: [String: Any] = [:]
                for field in fields where values[field.name] == nil {
                    values[field.name] = object.value(forKey: field.name) ?? NSNull()
                }
                try insert(values)
            }
        }
        if nextKey > first { try engine.allocator.setHighest(nextKey - 1, root: layout.root.number, connection) }
        try dropOldFiles()
        return written
    }

    private func insert(_ values: [String: Any]) throws {
        let statement = try statement(for: values)
        let pointer = statement.pointer
        let filesBefore = files.count
        sqlite3_bind_int64(pointer, 1, nextKey)
        var index: Int32 = 2
        for field in fields {
            try self.values.bind(
                value(of: field, in: values), for: field.cell, isExternal: field.isExternal, to: statement, at: index)
            index += 1
        }
        let result = sqlite3_step(pointer)
        defer { sqlite3_reset(pointer) }
        switch result {
        case SQLITE_ROW:
            let key = sqlite3_column_int64(pointer, 0)
            written.keys.append(key)
            if key == nextKey { nextKey += 1 } else { written.overwritten.insert(key) }
            // Lets the statement finish.
            while sqlite3_step(pointer) == SQLITE_ROW {}
        case SQLITE_DONE: files.takeBack(to: filesBefore)
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

    /// What the dictionary says, or the model's default.
    private func value(of field: Field, in values: [String: Any]) -> Any? {
        guard let given = values[field.name] else { return field.cell.attribute?.defaultValue }
        var value: Any? = given
        for key in field.elementPath { value = (value as? [String: Any])?[key] }
        return value is NSNull ? nil : value
    }

    // MARK: External files

    private var externalColumns: [String] { fields.filter(\.isExternal).map(\.column) }

    /// Only rows that are overwritten can lose a file, and which these are shows afterwards.
    private func noteOldFiles() throws {
        let columns = externalColumns
        guard overwrites, !columns.isEmpty else { return }
        let condition = columns.map { "length(\($0)) = 38" }.joined(separator: " OR ")
        for (key, names) in try fileNames(where: condition) { oldFiles[key] = names }
    }

    private func dropOldFiles() throws {
        let candidates = written.overwritten.filter { oldFiles[$0] != nil }
        guard !candidates.isEmpty else { return }
        let kept = try fileNames(where: "Z_PK IN (\(candidates.map(String.init).joined(separator: ", ")))")
        for key in candidates {
            files.noteObsolete(Set(oldFiles[key] ?? []).subtracting(kept[key] ?? []))
        }
    }

    private func fileNames(where condition: String) throws -> [Int64: [String]] {
        let columns = externalColumns
        let statement = try connection.prepare(
            "SELECT Z_PK, \(columns.joined(separator: ", ")) FROM \(self.columns.table) WHERE \(condition)")
        var names: [Int64: [String]] = [:]
        while try statement.step() {
            for column in columns.indices {
                guard let bytes = statement.bytes(Int32(column + 1)), let name = ExternalFiles.fileName(in: bytes)
                else { continue }
                names[statement.integer(0), default: []].append(name)
            }
        }
        return names
    }

    // MARK: Statement

    private var overwrites: Bool {
        hasConstraints
            && (policy == .overwriteMergePolicyType || policy == .mergeByPropertyObjectTrumpMergePolicyType)
    }

    /// One statement for each set of given keys, since only these overwrite an existing row.
    private func statement(for values: [String: Any]) throws -> SQLiteStatement {
        let given: Set<String> = overwrites ? Set(values.keys) : []
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
        guard hasConstraints, policy != .errorMergePolicyType else { return "" }
        guard overwrites else { return " ON CONFLICT DO NOTHING" }
        let all = policy == .overwriteMergePolicyType
        let assignments = fields.filter { all || given.contains($0.name) }.map {
            "\($0.column) = excluded.\($0.column)"
        }
        return " ON CONFLICT DO UPDATE SET \((["Z_OPT = Z_OPT + 1"] + assignments).joined(separator: ", "))"
    }
}
