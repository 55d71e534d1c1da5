import CoreDataSQLQueries
import CoreDataRowStorage
import PredicateFormat

extension StoreFetch {
    /// Whether an index alone tells which rows are wanted, and in which order: the fetch compares one attribute that is a
    /// number or a date with a value, and sorts by nothing else.
    ///
    /// Such a fetch is best written in two steps, from the index to keys and from keys to rows. Where SQLite takes both at
    /// once, it reads the key of each entry of the index twice, and the attribute from there instead of from the row it
    /// reads anyway. Only where rows are left out first does it read fewer of them at once. And for a few rows it is not
    /// worth asking the file for the index, and preparing the longer query.
    func isAnsweredByIndex(of engine: SQLiteEngine) -> Bool {
        guard offset == 0, !isShortPage, case .comparison(let comparison)? = predicate?.node,
            comparison.modifier == .direct, comparison.comparison.isOfRange,
            case .keyPath(let keys, .evaluatedObject) = comparison.left, keys.count == 1,
            case .constant = comparison.right, case .cell(let cell)? = layout.members[keys[0]],
            sortDescriptors.allSatisfy({ $0.sortKey.key == keys[0] })
        else { return false }
        switch layout.cells[cell].kind {
        case .int16, .int32, .int64, .double, .float, .date: break
        default: return false
        }
        guard let columns = engine.schema.entities[layout.number], !columns.sharesTable,
            let column = columns.cells[cell].column, engine.schema.wantsIndex(led: layout.cells[cell], of: layout)
        else { return false }
        return engine.hasIndex(ledBy: column, of: columns.table)
    }
}

extension ComparisonOperator {
    /// Whether the values that fit lie side by side in an index.
    fileprivate var isOfRange: Bool {
        switch self {
        case .equalTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .between: true
        default: false
        }
    }
}
