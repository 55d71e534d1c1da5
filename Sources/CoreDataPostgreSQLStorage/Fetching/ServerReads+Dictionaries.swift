#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// Fetches that return dictionaries: columns, computed values, groups. One statement each.
extension ServerReads {
    /// Returns rows as dictionaries; nil values are omitted.
    ///
    /// - Parameter object: Creates the object that represents a row among the values.
    func dictionaries(_ fetch: StoreFetch, object: (RowReference) -> Any) throws -> [[String: Any]] {
        try fetch.interruption?.check()
        let (compiled, constants) = try engine.compiledDictionaries(fetch)
        let parameters = try compiled.parameters(fetch, constants, engine)
        var dictionaries: [[String: Any]] = []
        try withoutActuallyEscaping(object) { object in
            let request = PipelineRequest(compiled.statement, parameters) { rows in
                let decoder = DictionaryDecoder(compiled.columns, rows, fetch.layout, engine, object: object)
                dictionaries.reserveCapacity(rows.count)
                for row in 0..<rows.count {
                    if row & 255 == 0 { try fetch.interruption?.check() }
                    dictionaries.append(try decoder.dictionary(row))
                }
            }
            try connection.run(
                [request], until: Deadline(after: engine.options.statementTimeout), checking: fetch.interruption)
        }
        return dictionaries
    }
}

/// Decodes the rows of one result as dictionaries.
private struct DictionaryDecoder {
    private let columns: [DictionaryQuery.Column]
    private let rows: ServerRows
    private let layout: EntityLayout
    private let engine: PostgreSQLEngine
    private let object: (RowReference) -> Any
    /// The types of the result's columns.
    private let types: [UInt32]

    init(
        _ columns: [DictionaryQuery.Column], _ rows: ServerRows, _ layout: EntityLayout, _ engine: PostgreSQLEngine,
        object: @escaping (RowReference) -> Any
    ) {
        self.columns = columns
        self.rows = rows
        self.layout = layout
        self.engine = engine
        self.object = object
        types = (0..<rows.columnCount).map(rows.type)
    }

    func dictionary(_ row: Int) throws -> [String: Any] {
        var dictionary: [String: Any] = [:]
        dictionary.reserveCapacity(columns.count)
        var index = 0
        for column in columns {
            switch column.result {
            case .value(let type): dictionary[column.name] = try value(row, index, type, column)
            case .object(let layout, let selectsEntity):
                dictionary[column.name] = try reference(row, index, layout, selectsEntity).map(object)
            case .composite(let elements):
                var whole: [String: Any] = [:]
                for (offset, element) in elements.enumerated() {
                    let value = try decoded(row, index + offset, element.type)
                    if let value { CompositeValue.set(value, at: element.path[...], of: &whole) }
                }
                if !whole.isEmpty { dictionary[column.name] = whole }
            }
            index += column.sql.count
        }
        return dictionary
    }

    private func decoded(_ row: Int, _ index: Int, _ type: ValueType) throws -> Any? {
        guard !rows.isNull(row, index) else { return nil }
        return try ResultValue.decode(rows.bytes(row, index), as: type, from: types[index])
    }

    private func value(_ row: Int, _ index: Int, _ type: ValueType, _ column: DictionaryQuery.Column) throws -> Any? {
        guard let value = try decoded(row, index, type) else { return nil }
        guard let declared = column.declared else { return value }
        return try DeclaredValue.of(value, as: declared, column: column.name, of: layout)
    }

    private func reference(
        _ row: Int, _ index: Int, _ layout: EntityLayout, _ selectsEntity: Bool
    ) throws -> RowReference? {
        // A destination that was deleted has no entity.
        guard !rows.isNull(row, index), !selectsEntity || !rows.isNull(row, index + 1) else { return nil }
        try ColumnType.requireKeys(rows, index)
        return try rows.reference(
            row, key: index, entity: selectsEntity ? index + 1 : nil, of: layout, engine.layouts)
    }
}
#endif
