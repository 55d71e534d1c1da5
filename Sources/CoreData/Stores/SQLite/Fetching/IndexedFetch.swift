import PredicateFormat

extension StoreFetch {
    /// Whether an index alone tells which rows are wanted, and in which order: the fetch compares one attribute that is a
    /// number or a date with a value, and sorts by nothing else.
    ///
    /// Such a fetch is best written in two steps, from the index to keys and from keys to rows. Where SQLite takes both at
    /// once, it reads the key of each entry of the index twice, and the attribute from there instead of from the row it
    /// reads anyway. Only where rows are left out first does it read fewer of them at once.
    func isAnsweredByIndex(of engine: SQLiteEngine) throws -> Bool {
        guard offset == 0, case .comparison(let comparison)? = predicate?.node, comparison.modifier == .direct,
            comparison.comparison.isOfRange, let key = comparison.left.plainKeyPath,
            case .constant = comparison.right, case .cell(let cell)? = layout.members[key],
            sortDescriptors.allSatisfy({ $0.sortKey.key == key })
        else { return false }
        switch layout.cells[cell].kind {
        case .int16, .int32, .int64, .double, .float, .date: break
        default: return false
        }
        let columns = try engine.columns(of: layout)
        guard !columns.sharesTable, let column = columns.cells[cell].column else { return false }
        return engine.schema.indexes(ofTable: columns.table, engine.layouts).contains {
            $0.condition == nil && ($0.columns == column || $0.columns.hasPrefix(column + " "))
        }
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
