import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataRuntimeSupport
import Foundation

/// A batch insert: rows from dictionaries or scratch objects, without registering any object.
///
/// A row that violates a uniqueness constraint throws, is skipped, or overwrites the existing row, by the
/// ``BatchConflictRule``.
final class BatchInsert {
    /// The number of rows a batch insert wrote and, on request, their keys.
    struct Written {
        var count = 0
        /// The rows in the order they were given, if their keys were requested. Rows that existed before are not new and may
        /// belong to another entity that shares the table and the constraint with the request's entity.
        var rows: ContiguousArray<(reference: RowReference, isNew: Bool)> = []
    }

    private let layout: EntityLayout
    private let columns: EntityColumns
    private let engine: SQLiteEngine
    private let connection: SQLiteConnection
    private let rule: BatchConflictRule
    private let hasConstraints: Bool
    private let wantsKeys: Bool
    /// The values of the current row by field; nil for a field that the row leaves out.
    @exclusivity(unchecked) private var row: [Any?]
    /// A bit per field that the current row gives, if only given fields overwrite an existing row.
    @exclusivity(unchecked) private var given: ContiguousArray<UInt64>
    private var statements: [ContiguousArray<UInt64>: SQLiteStatement] = [:]
    @exclusivity(unchecked) private var lastStatement: (given: ContiguousArray<UInt64>, statement: SQLiteStatement)?
    @exclusivity(unchecked) private var nextKey: Int64 = 0
    @exclusivity(unchecked) private var written = Written()
    /// The statement for rows that give every field.
    @exclusivity(unchecked) private var wholeStatement: SQLiteStatement?
    /// The fields in the order they are read. Fields read through accessors come first: calling an accessor may change the
    /// object's class, and with it the place of its text.
    private let fields: ContiguousArray<Field>
    /// The index of the first field that is read straight from row memory.
    private let firstInRow: Int
    private let values: BatchValue
    private let files: ExternalFileChanges
    /// The external files, by key, that a row had before or got from this request and may have lost when it was overwritten.
    private var oldFiles: [Int64: [String]] = [:]

    /// An attribute that can be given. A class, because it is read for every value.
    private final class Field {
        let name: String
        /// The name as a key for Foundation's dictionaries.
        let key: NSString
        let cell: EntityLayout.Cell
        let kind: CellKind
        let column: String
        let isExternal: Bool
        let defaultValue: Any?
        /// Whether a row without a value needs a check: see ``isMissing(_:hasValue:)``.
        let isRequired: Bool
        /// The keys of a composite attribute's element; empty for other attributes.
        let sources: [ElementSource]

        init(_ cell: EntityLayout.Cell, of layout: EntityLayout, column: String, isExternal: Bool) {
            name = cell.compositeName ?? cell.name
            key = name as NSString
            self.cell = cell
            kind = cell.kind
            self.column = column
            self.isExternal = isExternal
            defaultValue = layout.traits.startingValue(of: cell).object
            isRequired = cell.requiresValue || cell.compositeName != nil && !cell.isOptional
            sources = ElementSource.all(of: cell, in: layout)
        }
    }

    /// A required attribute that the current row leaves out, which is valid only if the row already exists.
    @exclusivity(unchecked) private var missing: Field?

    init(
        _ layout: EntityLayout, _ engine: SQLiteEngine, _ connection: SQLiteConnection, rule: BatchConflictRule,
        wantsKeys: Bool, files: ExternalFileChanges
    ) throws {
        self.layout = layout
        self.engine = engine
        self.connection = connection
        self.rule = rule
        self.files = files
        values = BatchValue(layout: layout, files: files)
        let columns = try engine.columns(of: layout)
        self.columns = columns
        hasConstraints = !engine.constraints(of: layout).isEmpty
        guard !layout.isAbstract else {
            throw UnsupportedQuery.make(
                "Cannot insert objects of the abstract entity \(layout.name)", entity: layout.name)
        }
        let all = layout.cells.compactMap { cell -> Field? in
            guard let column = columns.cells[cell.index].column, cell.kind != .reference, !cell.isDerived else {
                return nil
            }
            return Field(cell, of: layout, column: column, isExternal: columns.cells[cell.index].isExternal)
        }
        let asked = all.filter { !Self.liesInRows($0.kind) }
        fields = ContiguousArray(asked + all.filter { Self.liesInRows($0.kind) })
        firstInRow = asked.count
        // The files of overwritten rows are found by key.
        self.wantsKeys = wantsKeys || fields.contains(where: \.isExternal)
        row = Array(repeating: nil, count: fields.count)
        given = ContiguousArray(repeating: 0, count: (fields.count + 63) / 64)
    }

    /// Inserts every row.
    func run(_ rows: BatchRows) throws -> Written {
        nextKey = try engine.allocator.highest(root: layout.root.number, connection) + 1
        let first = nextKey
        try noteOldFiles()
        // SQLite's last row ID tells which rows were inserted; reset it so that an earlier insert is not taken for one of
        // these. No handler can write in between, because a transaction is open.
        sqlite3_set_last_insert_rowid(connection.handle, 0)
        switch rows {
        case .values(let dictionaries):
            if wantsKeys { written.rows.reserveCapacity(dictionaries.count) }
            for dictionary in dictionaries {
                try check(dictionary.keys)
                try insert { name, _ in dictionary[name] }
            }
        case .filled(let fill):
            while true {
                let dictionary = NSMutableDictionary()
                if fill(dictionary) { break }
                try check(dictionary.allKeys.lazy.map { $0 as? String ?? "\($0)" })
                try insert { dictionary.object(forKey: $1) }
            }
        case .objects(let next): while let object = next() { try insert(object) }
        }
        if nextKey > first { try engine.allocator.setHighest(nextKey - 1, root: layout.root.number, connection) }
        try dropOldFiles()
        return written
    }

    /// Throws if a key names no attribute with a column: an unknown key, a relationship, or a transient or derived attribute.
    /// The errors are those of a batch update.
    private func check(_ given: some Sequence<String>) throws {
        for key in given {
            switch layout.members[key] {
            case .cell(let index)? where layout.cells[index].kind != .reference: continue
            case .composite?: continue
            case .cell?, .toMany?:
                throw UnsupportedQuery.make(
                    "Invalid batch insert: \(key) is a relationship",
                    advice:
                        "Batch inserts set attributes only. Set to-one relationships by a batch update, or insert objects.",
                    entity: layout.name, key: key)
            case .fetched?, nil:
                if layout.elements(at: key).isEmpty { throw UnsupportedQuery.keyPath(key, in: layout) }
            }
        }
    }

    /// Records a required attribute without a value, if the row may turn out to exist already.
    ///
    /// - Throws: `NSValidationMissingMandatoryPropertyError` unless an existing row may be updated without the attribute.
    private func noteMissing(_ field: Field, isGiven: Bool) throws {
        guard overwritesGiven, !isGiven else { throw BatchValueCheck.missing(field.cell.path, of: layout.name) }
        missing = field
    }

    /// Returns true if a row lacks a required value. If an optional composite attribute is missing, none of its elements is
    /// required; a required one needs at least one element.
    private func isMissing(_ field: Field, hasValue: (Int) -> Bool) -> Bool {
        guard field.cell.compositeName != nil else { return field.isRequired }
        let hasWhole = fields.indices.contains { fields[$0].name == field.name && hasValue($0) }
        return hasWhole ? field.cell.requiresValue : !field.cell.isOptional
    }

    /// Inserts the row; `value` returns what it gives for a name.
    @inline(__always)
    private func insert(_ value: (String, NSString) -> Any?) throws {
        for index in fields.indices {
            let field = fields[index]
            row[index] =
                field.sources.isEmpty
                ? value(field.name, field.key) : try ElementSource.value(of: field.sources, in: layout, value)
        }
        let statement = try statement()
        let filesBefore = files.count
        for index in fields.indices {
            let field = fields[index]
            let value = Self.value(of: field, in: row[index])
            if field.isRequired, value == nil || value is NSNull, isMissing(field, hasValue: rowHasValue) {
                try noteMissing(field, isGiven: row[index] != nil)
            }
            try values.bind(value, for: field.cell, isExternal: field.isExternal, to: statement, at: Int32(index + 2))
        }
        try write(statement, filesBefore)
    }

    private func rowHasValue(_ index: Int) -> Bool {
        Self.value(of: fields[index], in: row[index]).map { !($0 is NSNull) } ?? false
    }

    /// Inserts an object's row, which gives every field.
    private func insert(_ object: any BatchObject) throws {
        let statement = try wholeStatement ?? prepareWhole()
        let filesBefore = files.count
        for index in 0..<firstInRow { try bindAsked(fields[index], of: object, to: statement, at: Int32(index + 2)) }
        if let row = object.batchRow {
            for index in firstInRow..<fields.count {
                try bind(fields[index], in: row, to: statement, at: Int32(index + 2))
            }
        } else {
            for index in firstInRow..<fields.count {
                try bindAsked(fields[index], of: object, to: statement, at: Int32(index + 2))
            }
        }
        try withExtendedLifetime(object) { try write(statement, filesBefore) }
    }

    private func prepareWhole() throws -> SQLiteStatement {
        let statement = try statement(giving: ContiguousArray(repeating: .max, count: given.count))
        wholeStatement = statement
        return statement
    }

    private func bindAsked(
        _ field: Field, of object: any BatchObject, to statement: SQLiteStatement, at index: Int32
    ) throws {
        let whole = object.batchValue(field.name)
        let given = try field.sources.last.map { try $0.element(of: whole ?? NSNull(), in: layout) } ?? whole
        let value = Self.value(of: field, in: given ?? NSNull())
        if field.isRequired, value == nil || value is NSNull {
            // A composite attribute counts as given if one of its elements is.
            if isMissing(field, hasValue: { _ in whole.map { !($0 is NSNull) } ?? false }) {
                try noteMissing(field, isGiven: true)
            }
        }
        try values.bind(value, for: field.cell, isExternal: field.isExternal, to: statement, at: index)
    }

    /// Binds a value straight from a row that stores it in the column's form. Text is not copied: its memory is valid until
    /// the row is written, and the next row binds every parameter again.
    private func bind(
        _ field: Field, in row: UnsafeMutableRawPointer, to statement: SQLiteStatement, at index: Int32
    ) throws {
        guard EntityLayout.isPresent(row, field.cell.index) else {
            if field.isRequired,
                isMissing(field, hasValue: { EntityLayout.isPresent(row, fields[$0].cell.index) })
            {
                try noteMissing(field, isGiven: true)
            }
            return try statement.bindNull(at: index)
        }
        let bits = layout.bits(row, field.cell.index)
        switch field.kind {
        case .double, .float, .date: try statement.bind(Double(bitPattern: bits), at: index)
        case .string, .uri:
            let bytes = HeapRange(bits: bits).bytes
            let result = SQLiteStatement.bindText(statement.pointer, index, bytes, SQLiteStatement.unmoved)
            guard result == SQLITE_OK else {
                throw statement.bindingFailure(
                    result, bytes: bytes.count, entity: layout.name, attribute: field.name)
            }
        default: try statement.bind(Int64(bitPattern: bits), at: index)
        }
    }

    private static func liesInRows(_ kind: CellKind) -> Bool {
        switch kind {
        case .int16, .int32, .int64, .boolean, .double, .float, .date, .string, .uri: true
        default: false
        }
    }

    private func write(_ statement: SQLiteStatement, _ filesBefore: Int) throws {
        defer { missing = nil }
        let pointer = statement.pointer
        try statement.bind(nextKey, at: 1)
        statement.reportBeginning()
        var result = sqlite3_step(pointer)
        var existing: RowReference?
        if result == SQLITE_ROW {
            let number = engine.numbering.inModel(Int(sqlite3_column_int64(pointer, 1)))
            existing = RowReference(
                entityNumber: number ?? layout.number, key: try engine.checkedKey(statement, 0, of: layout.number))
            // Steps to the end, so that the statement finishes.
            repeat { result = sqlite3_step(pointer) } while result == SQLITE_ROW
        }
        guard result == SQLITE_DONE else { throw failure(result, statement) }
        statement.reset()
        if sqlite3_last_insert_rowid(connection.handle) == nextKey {
            if let missing { throw BatchValueCheck.missing(missing.cell.path, of: layout.name) }
            note(RowReference(entityNumber: layout.number, key: nextKey), isNew: true, filesBefore)
            nextKey += 1
        } else if overwrites {
            note(existing, isNew: false, filesBefore)
        } else {
            files.takeBack(to: filesBefore)
        }
    }

    private func note(_ reference: RowReference?, isNew: Bool, _ filesBefore: Int) {
        written.count += 1
        guard wantsKeys, let reference else { return }
        written.rows.append((reference, isNew))
        // A later row of the request may overwrite this one.
        guard overwrites, files.count > filesBefore else { return }
        oldFiles[reference.key, default: []] += files.made(since: filesBefore)
    }

    private func failure(_ result: Int32, _ statement: SQLiteStatement) -> NSError {
        let error = statement.failure(result)
        guard result == SQLiteFailure.uniqueConstraint else { return error }
        return CoreDataError.make(
            NSManagedObjectConstraintMergeError,
            description: "A row of \(layout.name) violates a uniqueness constraint.",
            reason: error.localizedFailureReason,
            advice: "Set a merge policy on the context that keeps or overwrites the existing row.", entity: layout.name,
            underlying: error)
    }

    /// Returns the given value without its optionals, or the model's default if the row gives none.
    private static func value(of field: Field, in given: Any?) -> Any? {
        guard let given else { return field.defaultValue }
        return OptionalContents.unwrapped(given)
    }

    // MARK: External files

    private var externalColumns: [String] { fields.filter(\.isExternal).map(\.column) }

    /// Records the files of all rows that can be overwritten. Which rows lose a file is known only after the insert.
    private func noteOldFiles() throws {
        let columns = externalColumns
        guard overwrites, !columns.isEmpty else { return }
        let condition = columns.map { "length(\($0)) = 38" }.joined(separator: " OR ")
        for (key, names) in try fileNames(where: condition) { oldFiles[key] = names }
    }

    private func dropOldFiles() throws {
        let candidates = Set(
            written.rows.lazy.filter { !$0.isNew && self.oldFiles[$0.reference.key] != nil }.map(\.reference.key))
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
            && (rule == .overwrite || rule == .overwriteGiven)
    }

    private var overwritesGiven: Bool { overwrites && rule == .overwriteGiven }

    /// Returns the statement for the current row.
    private func statement() throws -> SQLiteStatement {
        guard overwritesGiven else { return try statement(giving: given) }
        for word in given.indices { given[word] = 0 }
        for index in row.indices where row[index] != nil { given[index >> 6] |= 1 << UInt64(index & 63) }
        return try statement(giving: given)
    }

    /// Returns the statement for a set of given fields, prepared once per set, if only these overwrite an existing row.
    private func statement(giving given: ContiguousArray<UInt64>) throws -> SQLiteStatement {
        if let lastStatement, lastStatement.given == given { return lastStatement.statement }
        let statement = try statements[given] ?? prepare(given)
        statements[given] = statement
        lastStatement = (given, statement)
        return statement
    }

    private func prepare(_ given: ContiguousArray<UInt64>) throws -> SQLiteStatement {
        let names = ["Z_PK"] + fields.map(\.column) + ["Z_ENT", "Z_OPT"]
        let marks = (1...fields.count + 1).map { "?\($0)" } + [String(engine.numbering.inFile[layout.number]), "1"]
        // RETURNING costs several times the insert itself: use it only where a row may be overwritten.
        let telling = overwrites && wantsKeys ? " RETURNING Z_PK, Z_ENT" : ""
        return try connection.prepare(
            "INSERT INTO \(columns.table) (\(names.joined(separator: ", "))) VALUES (\(marks.joined(separator: ", ")))"
                + conflictClause(given) + telling)
    }

    private func conflictClause(_ given: ContiguousArray<UInt64>) -> String {
        guard hasConstraints, rule != .fail else { return "" }
        guard overwrites else { return " ON CONFLICT DO NOTHING" }
        let assigned = fields.indices.filter { !overwritesGiven || given[$0 >> 6] & 1 << UInt64($0 & 63) != 0 }
        let assignments = assigned.map { "\(fields[$0].column) = excluded.\(fields[$0].column)" }
        return " ON CONFLICT DO UPDATE SET \((["Z_OPT = IFNULL(Z_OPT, 0) + 1"] + assignments).joined(separator: ", "))"
    }
}
