#if canImport(CoreDataSQLiteStorage)
import CoreDataSQLiteStorage

/// The row that a query has reached. Its values are read when they are asked for, without copies where that is possible.
///
/// Valid until the closure that received it returns.
package struct CurrentRow {
    /// A value in the form that is written fastest.
    package enum Value {
        /// A text in valid UTF-8.
        case text(UnsafeRawBufferPointer)
        /// An object: the beginning of its URI, without characters that need escapes in JSON or CSV, and its key.
        case object(prefix: String, key: Int64)
        /// A decimal number with the digits of a floating-point number.
        case decimal(Double)
        case other(StoreQuery.Value)
    }

    private enum Source {
        case statement(SQLiteStatement, [QueryPlan.Column], OpenStore)
        case row(StoreQuery.Row)
    }

    private let source: Source
    /// The name of the row's entity.
    package let entity: String
    /// The primary key.
    package let key: Int64
    /// The key paths of the values, equal in all rows of a result.
    package let columns: [String]
    /// The beginning of the row's URI; nil if it needs escapes, or is not known.
    private let prefix: String?

    init(_ statement: SQLiteStatement, _ plan: QueryPlan, _ store: OpenStore, entity number: Int, key: Int64) {
        source = .statement(statement, plan.columns, store)
        entity = store.names[number]
        self.key = key
        columns = plan.names
        prefix = store.plainPrefixes[number]
    }

    /// Creates the current row from a row with all values.
    ///
    /// - Parameter prefix: the beginning of the row's URI, if it needs no escapes.
    package init(_ row: StoreQuery.Row, prefix: String? = nil) {
        source = .row(row)
        (entity, key, columns) = (row.entity, row.key, row.columns)
        self.prefix = prefix
    }

    /// The row with all values.
    package var row: StoreQuery.Row {
        switch source {
        case .row(let row): return row
        case .statement(let statement, let cells, let store):
            let values = [StoreQuery.Value](unsafeUninitializedCapacity: cells.count) { buffer, count in
                for cell in cells {
                    (buffer.baseAddress! + count).initialize(to: cell.value(statement, store))
                    count += 1
                }
            }
            return StoreQuery.Row(
                entity: entity, key: key, columns: columns, values: values, storeUUID: store.identifier)
        }
    }

    /// The row's own object.
    package var object: Value {
        prefix.map { .object(prefix: $0, key: key) } ?? .other(.object(uri: row.uri, entity: entity))
    }

    /// Returns the value of a column.
    package subscript(index: Int) -> Value {
        switch source {
        case .row(let row): .other(row.values[index])
        case .statement(let statement, let cells, let store): cells[index].current(statement, store)
        }
    }
}
#endif
