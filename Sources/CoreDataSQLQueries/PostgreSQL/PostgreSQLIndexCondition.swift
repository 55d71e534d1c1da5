import CoreDataRowStorage
import PredicateFormat

/// The condition of a partial index: comparisons of an entity's own columns with constants, which become literals.
struct PostgreSQLIndexCondition {
    let layout: EntityLayout
    let columns: EntityColumns

    /// Returns the SQL of a condition; nil for others, for which a full index serves as well.
    func sql(_ node: PredicateNode) -> String? {
        switch node {
        case .and(let nodes) where nodes.count > 1: join(nodes, "AND")
        case .or(let nodes) where nodes.count > 1: join(nodes, "OR")
        case .not(let node): sql(node).map { "NOT (\($0))" }
        case .comparison(let comparison) where comparison.modifier == .direct && comparison.options.isEmpty:
            sql(comparison)
        default: nil
        }
    }

    private func join(_ nodes: [PredicateNode], _ word: String) -> String? {
        let terms = nodes.compactMap { sql($0) }
        return terms.count == nodes.count ? "(\(terms.joined(separator: " \(word) ")))" : nil
    }

    private func sql(_ comparison: ComparisonNode) -> String? {
        guard case .keyPath(let keys, .evaluatedObject) = comparison.left, let cell = cell(at: keys),
            let column = columns[cell.index].column.map(PostgreSQLName.quoted),
            case .constant(let value) = comparison.right
        else { return nil }
        if case .null = PredicateValue(value) {
            switch comparison.comparison {
            case .equalTo: return "\(column) IS NULL"
            case .notEqualTo: return "\(column) IS NOT NULL"
            default: return nil
            }
        }
        guard let literal = literal(value, cell.kind) else { return nil }
        switch comparison.comparison {
        case .equalTo: return "\(column) = \(literal)"
        case .notEqualTo: return "\(column) <> \(literal)"
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            return cell.kind == .boolean ? nil : "\(column) \(comparison.comparison.symbol) \(literal)"
        default: return nil
        }
    }

    private func cell(at keys: [String]) -> EntityLayout.Cell? {
        let path = keys.joined(separator: ".")
        if keys.count == 1, case .cell(let index)? = layout.members[path] { return layout.cells[index] }
        let elements = layout.elements(at: path)
        return elements.count == 1 && elements[0].path == path ? elements[0] : nil
    }

    private func literal(_ value: Any?, _ kind: CellKind) -> String? {
        switch (kind, PredicateValue(value)) {
        case (.boolean, .number(let number)):
            number.isInteger ? (number.double == 0 ? "false" : number.double == 1 ? "true" : nil) : nil
        case (.int16, .number(let number)), (.int32, .number(let number)), (.int64, .number(let number)):
            number.integer.map { "\($0)" }
        case (.double, .number(let number)), (.float, .number(let number)):
            number.double.isFinite ? "'\(number.double)'::double precision" : nil
        case (.decimal, .number(let number)): number.integer.map { "\($0)" }
        case (.string, .string(let text)): text.utf8.contains(0) ? nil : PostgreSQLName.literal(text)
        default: nil
        }
    }
}
