#if PostgreSQL
import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// Reads the rows of a batch insert, from dictionaries or objects, into a table.
struct BatchRowReader {
    private let layout: EntityLayout
    private let fields: [Field]
    private(set) var table: BatchTable
    /// True if a row that exists keeps the values that are not given.
    private let keepsMissing: Bool
    /// The required attributes that rows leave out, by row, which is valid only if the row already exists.
    private(set) var missing: [Int: String] = [:]

    /// An attribute that can be given.
    private struct Field {
        let name: String
        /// The name as a key for Foundation's dictionaries.
        let key: NSString
        let column: BatchColumn
        let defaultValue: Any?
        /// True if a row without a value needs a check: see ``isMissing(_:hasValue:)``.
        let isRequired: Bool
        /// The keys of a composite attribute's element; empty for other attributes.
        let sources: [ElementSource]

        var cell: EntityLayout.Cell { column.cell }

        init(_ column: BatchColumn, of layout: EntityLayout) {
            let cell = column.cell
            name = cell.compositeName ?? cell.name
            key = name as NSString
            self.column = column
            defaultValue = layout.traits.startingValue(of: cell).object
            isRequired = cell.requiresValue || cell.compositeName != nil && !cell.isOptional
            sources = ElementSource.all(of: cell, in: layout)
        }

        /// Returns the given value without its optionals, or the model's default if the row gives none.
        func value(in given: Any?) -> Any? {
            guard let given else { return defaultValue }
            return OptionalContents.unwrapped(given).flatMap { $0 is NSNull ? nil : $0 }
        }
    }

    init(_ layout: EntityLayout, keepsMissing: Bool, _ engine: PostgreSQLEngine) throws {
        guard !layout.isAbstract else {
            throw UnsupportedQuery.make(
                "Cannot insert objects of the abstract entity \(layout.name)", entity: layout.name)
        }
        self.layout = layout
        self.keepsMissing = keepsMissing
        let places = try engine.tables.columns(of: layout).cells
        fields = try layout.cells.compactMap { cell in
            let place = places[cell.index]
            guard place.column != nil, cell.kind != .reference, !cell.isDerived else { return nil }
            return Field(try BatchColumn(cell, place, of: layout), of: layout)
        }
        table = BatchTable(fields.map(\.column))
    }

    mutating func read(_ rows: BatchRows) throws {
        switch rows {
        case .values(let dictionaries):
            for dictionary in dictionaries {
                try check(dictionary.keys)
                try add { name, _ in dictionary[name] }
            }
        case .filled(let fill):
            while true {
                let dictionary = NSMutableDictionary()
                if fill(dictionary) { break }
                try check(dictionary.allKeys.lazy.map { $0 as? String ?? "\($0)" })
                try add { dictionary.object(forKey: $1) }
            }
        case .objects(let next): while let object = next() { try add(object) }
        }
    }

    /// Checks that the keys are attributes with columns. The errors are those of a batch update.
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

    // MARK: Rows

    /// Adds a row; `value` returns what it gives for a name.
    private mutating func add(_ value: (String, NSString) -> Any?) throws {
        let row = try fields.map { field in
            field.sources.isEmpty
                ? value(field.name, field.key) : try ElementSource.value(of: field.sources, in: layout, value)
        }
        for (index, field) in fields.enumerated() {
            let value = field.value(in: row[index])
            if value == nil, field.isRequired, isMissing(field, hasValue: { fields[$0].value(in: row[$0]) != nil }) {
                try noteMissing(field, isGiven: row[index] != nil)
            }
            try table.add(isGiven: !keepsMissing || row[index] != nil) { try field.column.write(value, to: &$0) }
        }
        table.endRow()
    }

    /// Adds an object's row, which gives every field.
    private mutating func add(_ object: any BatchObject) throws {
        // Calling an accessor may move the row: all values that need accessors are read before the row.
        var values: [Any?] = []
        for field in fields { values.append(Self.liesInRows(field.cell.kind) ? nil : try value(of: field, in: object)) }
        let row = object.batchRow
        if row == nil {
            for (index, field) in fields.enumerated() where Self.liesInRows(field.cell.kind) {
                values[index] = try value(of: field, in: object)
            }
        }
        try withExtendedLifetime(object) { try add(values, row) }
    }

    private func value(of field: Field, in object: any BatchObject) throws -> Any? {
        let whole = object.batchValue(field.name) ?? NSNull()
        return field.value(in: try field.sources.last.map { try $0.element(of: whole, in: layout) } ?? whole)
    }

    private mutating func add(_ values: [Any?], _ row: UnsafeMutableRawPointer?) throws {
        let fields = fields
        func isPresent(_ index: Int) -> Bool {
            guard let row, Self.liesInRows(fields[index].cell.kind) else { return values[index] != nil }
            return EntityLayout.isPresent(row, fields[index].cell.index)
        }
        for (index, field) in fields.enumerated() {
            if field.isRequired, !isPresent(index), isMissing(field, hasValue: isPresent) {
                try noteMissing(field, isGiven: true)
            }
            guard let row, Self.liesInRows(field.cell.kind), isPresent(index) else {
                let value = values[index]
                try table.add(isGiven: true) { try field.column.write(value, to: &$0) }
                continue
            }
            let bits = layout.bits(row, field.cell.index)
            try table.add(isGiven: true) { writer in
                if field.cell.kind.usesHeap {
                    try field.column.write(HeapRange(bits: bits).bytes, to: &writer)
                } else {
                    try field.column.write(bits: bits, to: &writer)
                }
                return true
            }
        }
        table.endRow()
    }

    /// Returns true for values that an object's row has in the form of the column.
    private static func liesInRows(_ kind: CellKind) -> Bool {
        switch kind {
        case .int16, .int32, .int64, .boolean, .double, .float, .date, .string, .uri: true
        default: false
        }
    }

    // MARK: Required values

    /// Returns true if a row lacks a required value. If an optional composite attribute is missing, none of its elements is
    /// required; a required one needs at least one element.
    private func isMissing(_ field: Field, hasValue: (Int) -> Bool) -> Bool {
        guard field.cell.compositeName != nil else { return field.isRequired }
        let hasWhole = fields.indices.contains { fields[$0].name == field.name && hasValue($0) }
        return hasWhole ? field.cell.requiresValue : !field.cell.isOptional
    }

    /// Records a required attribute without a value, if the row may turn out to exist already.
    ///
    /// - Throws: `NSValidationMissingMandatoryPropertyError` unless an existing row may be updated without the attribute.
    private mutating func noteMissing(_ field: Field, isGiven: Bool) throws {
        guard keepsMissing, !isGiven else { throw BatchValueCheck.missing(field.cell.path, of: layout.name) }
        missing[table.count] = field.cell.path
    }
}
#endif
