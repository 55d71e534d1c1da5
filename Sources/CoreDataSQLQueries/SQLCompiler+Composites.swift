import CoreDataRowStorage
import Foundation
import PredicateFormat

/// A composite attribute as a whole: one value of the query, with a column for each element that is not itself composite.
package struct CompositeOperand {
    package struct Element {
        /// The names on the path from the composite attribute.
        package let path: [String]
        package let sql: SQLFragment
        package let type: ValueType
    }

    package let elements: [Element]
    /// The key path, for messages.
    package let text: String

    /// The SQL condition that the composite has a value: one element is sufficient.
    var presence: SQLFragment { "(\(elements.map { "\($0.sql) IS NOT NULL" }.joined(separator: " OR ")))" }
    var absence: SQLFragment { "(\(elements.map { "\($0.sql) IS NULL" }.joined(separator: " AND ")))" }

    /// Returns the error for a use that needs a single value.
    package func unusable() -> NSError {
        UnsupportedQuery.make(
            "\(text) is a composite attribute, and no single value",
            advice:
                "Compare it with nil, a dictionary or another composite attribute by == or !=, or use its elements, such "
                + "as \(text).\(elements[0].path.joined(separator: ".")).", key: text)
    }
}

extension SQLCompiler {
    /// Returns an element of a composite attribute, or the whole attribute or composite element if the path ends there.
    func element(
        _ key: String, _ rest: [String], of owner: EntityLayout, _ cells: [Int], at place: QueryScope.Place,
        path: [String], _ start: EntityLayout
    ) throws -> Operand {
        if let cell = cells.first(where: { rest.starts(with: owner.cells[$0].elementPath) }) {
            let column = try columns(key, cell, of: owner, at: place, path: path, start)
            let below = Array(rest.dropFirst(owner.cells[cell].elementPath.count))
            return try value(column, owner.cells[cell], owner, rest: below, path: path, start)
        }
        let parts = cells.filter { owner.cells[$0].elementPath.starts(with: rest) }
        guard !parts.isEmpty else { throw UnsupportedQuery.keyPath(path.joined(separator: "."), in: start) }
        for (other, member) in siblings(key, of: owner, in: place.layout) {
            guard case .composite(_, let cells) = member,
                cells.count(where: { other.cells[$0].elementPath.starts(with: rest) }) == parts.count
            else { throw UnsupportedQuery.severalProperties(key, path.joined(separator: "."), in: place.layout) }
        }
        let elements = try parts.map { cell in
            return CompositeOperand.Element(
                path: Array(owner.cells[cell].elementPath.dropFirst(rest.count)),
                sql: try columns(key, cell, of: owner, at: place, path: path, start),
                type: ValueType(owner.cells[cell], try tables.columns(of: owner).cells[cell]))
        }
        return .composite(CompositeOperand(elements: elements, text: path.joined(separator: ".")))
    }

    /// Returns the slot of another entity's property of the same name that corresponds to a slot; nil if there is none.
    static func counterpart(
        of cell: EntityLayout.Cell, _ other: EntityLayout, _ member: EntityLayout.Member
    ) -> Int? {
        switch member {
        case .cell(let index): cell.elementPath.isEmpty ? index : nil
        case .composite(_, let cells): cells.first { other.cells[$0].elementPath == cell.elementPath }
        case .toMany, .fetched: nil
        }
    }

    /// Compares two composite values element by element for equality or inequality; nil equals nil.
    func equality(
        _ whole: CompositeOperand, _ comparison: ComparisonOperator, _ other: Operand, _ node: ComparisonNode
    ) throws -> SQLFragment {
        var terms: [SQLFragment]
        switch other {
        case .constant(let constant) where constant.kind == .value:
            terms = [try parameter(constant, .isComposite(whole.elements.map { $0.path[...] }))]
            terms += try whole.elements.map { element in
                let form: ParameterBinding.Form =
                    element.type.isExternal
                    ? .external : element.type.bound(.value(element.type.kind, element.type.coder))
                return dialect.sameness(
                    element.sql, try parameter(constant, .member(element.path, form)), negated: false)
            }
        case .composite(let other):
            terms = isTwoValued ? [] : [whole.presence]
            for element in whole.elements {
                guard let match = other.elements.first(where: { $0.path == element.path }),
                    other.elements.count == whole.elements.count
                else { throw UnsupportedQuery.predicate(.comparison(node), " (different elements)") }
                try ConditionType.check(
                    ConditionType(element.type.kind), comparison, ConditionType(match.type.kind))
                let (a, b) = try dialect.aligned(element.sql, element.type, match.sql, match.type, isOrdering: false)
                terms.append(dialect.sameness(a, b, negated: false))
            }
        default: throw whole.unusable()
        }
        let isEqual: SQLFragment = "(\(terms.joined(separator: " AND ")))"
        if comparison == .equalTo { return isEqual }
        return isTwoValued ? "NOT \(isEqual)" : "(\(whole.presence) AND NOT \(isEqual))"
    }
}
