import CoreDataSQLQueries
import CoreDataRowStorage
import PredicateFormat

extension StoreFetch {
    /// Returns true if an index alone determines the matching rows and their order: the fetch compares one numeric or date
    /// attribute with a constant, and sorts by nothing else.
    ///
    /// Such a fetch is faster in two steps, from the index to keys and from keys to rows. In one step, SQLite reads the key
    /// of each index entry twice, and the attribute from the index instead of from the row that it reads anyway. With an
    /// offset, the one step reads fewer rows at a time. For a few rows, checking the file for the index and preparing the
    /// longer query costs more than it saves.
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
    /// Whether the matching values are contiguous in an index.
    fileprivate var isOfRange: Bool {
        switch self {
        case .equalTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .between: true
        default: false
        }
    }
}
