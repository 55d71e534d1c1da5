import CoreDataRowStorage
import Foundation
import PredicateFormat

/// A condition that an attribute equals one of several values, for a ``PendingIndex``.
struct PendingLookup {
    /// The name of the attribute.
    let name: String
    /// The hashes of the values.
    let hashes: [Int]
}

/// The index lookups that a fetch makes among objects with unsaved changes, instead of evaluating its predicate for each.
struct PendingSearch {
    /// The predicate, resolved for evaluation.
    let predicate: NSPredicate
    private let lookups: [PendingLookup]
    private let layout: EntityLayout

    /// The number of candidates below which no other lookup is tried.
    private static let fewCandidates = 32

    /// Creates the search, or nil if no lookup gives the same result, errors included, as evaluation for all objects.
    init?(_ given: NSPredicate, _ layout: EntityLayout, in context: NSManagedObjectContext) {
        guard let resolved = try? ConditionResolver.resolve(given, for: layout, context.layouts, isStrict: false) else {
            // The evaluation reports the error.
            return nil
        }
        var finder = LookupFinder(layout, mostValues: context.changes.objects.count)
        finder.add(resolved.node)
        guard !finder.found.isEmpty else { return nil }
        predicate = resolved
        lookups = finder.found
        self.layout = layout
    }

    /// Counts the changed objects of the entity; nil if the index cannot be used.
    func members(in context: NSManagedObjectContext) -> PendingColumn.Members? {
        let index = context.changes.makeIndex()
        for lookup in lookups {
            if let column = index.column(for: lookup, of: layout, in: context) { return column.members }
        }
        return nil
    }

    /// Returns the objects for which the predicate may hold, in the order of their first change; nil if the index cannot be
    /// used.
    func candidates(in context: NSManagedObjectContext) -> [NSManagedObject]? {
        guard let index = context.changes.index else { return nil }
        var fewest: [Int]?
        for lookup in lookups {
            guard let column = index.column(for: lookup, of: layout, in: context) else { continue }
            let positions = column.candidates(lookup)
            if positions.count < fewest?.count ?? .max { fewest = positions }
            if positions.count <= Self.fewCandidates { break }
        }
        guard context.changes.index === index else { return nil }
        return fewest?.map { context.changes.objects[$0] }
    }
}

/// Finds the conditions of a conjunction that can be looked up.
///
/// Evaluation stops at the first operand that is false. So an operand may be looked up if those before it cannot throw: for all
/// objects other than the candidates, they or it are false, and nothing after it is evaluated.
private struct LookupFinder {
    private(set) var found: [PendingLookup] = []
    private var isAtEnd = false
    private let layout: EntityLayout
    private let mostValues: Int

    init(_ layout: EntityLayout, mostValues: Int) {
        self.layout = layout
        self.mostValues = mostValues
    }

    mutating func add(_ node: PredicateNode) {
        guard !isAtEnd else { return }
        if case .and(let nodes) = node {
            for node in nodes { add(node) }
        } else if case .comparison(let comparison) = node, let lookup = lookup(comparison) {
            found.append(lookup)
        } else if !isHarmless(node) {
            isAtEnd = true
        }
    }

    // MARK: Lookups

    private func lookup(_ comparison: ComparisonNode) -> PendingLookup? {
        guard comparison.modifier == .direct, comparison.options.isEmpty else { return nil }
        switch comparison.comparison {
        case .equalTo:
            if let cell = cell(of: comparison.left), let value = comparison.right.constant {
                return lookup(cell, [value.value])
            }
            if let cell = cell(of: comparison.right), let value = comparison.left.constant {
                return lookup(cell, [value.value])
            }
            return nil
        case .in:
            guard let cell = cell(of: comparison.left),
                let list = comparison.right.constant?.value as? any PredicateCollection,
                list.predicateCount <= mostValues
            else { return nil }
            return lookup(cell, list.predicateElements)
        default: return nil
        }
    }

    private func lookup(_ cell: EntityLayout.Cell, _ values: [Any?]) -> PendingLookup? {
        var hashes: [Int] = []
        hashes.reserveCapacity(values.count)
        for value in values {
            let value = PredicateValue(value)
            guard Self.isLookedUp(value, in: cell.kind), let hash = PendingLookup.hash(value) else { return nil }
            hashes.append(hash)
        }
        return PendingLookup(name: cell.name, hashes: hashes)
    }

    /// Returns the cell of a stored property if the expression is one.
    private func cell(of node: ExpressionNode) -> EntityLayout.Cell? {
        guard case .keyPath(let keys, of: .evaluatedObject) = node, keys.count == 1,
            case .cell(let index)? = layout.members[keys[0]]
        else { return nil }
        let cell = layout.cells[index]
        return cell.isTransient || cell.isDerived ? nil : cell
    }

    /// Returns true if an attribute can have the value, and the value equals none of another kind.
    private static func isLookedUp(_ value: PredicateValue, in kind: CellKind) -> Bool {
        switch (kind, value) {
        case (.int16, .number), (.int32, .number), (.int64, .number), (.boolean, .number): true
        case (.double, .number), (.float, .number), (.decimal, .number): true
        case (.string, .string), (.date, .date): true
        case (.uuid, .other(let value)): value is UUID
        case (.int16, .null), (.int32, .null), (.int64, .null), (.boolean, .null): true
        case (.double, .null), (.float, .null), (.decimal, .null): true
        case (.string, .null), (.date, .null), (.uuid, .null): true
        default: false
        }
    }

    // MARK: Operands before a lookup

    /// Returns true if evaluating a predicate cannot throw.
    private func isHarmless(_ node: PredicateNode) -> Bool {
        switch node {
        case .constant: true
        case .and(let nodes), .or(let nodes): nodes.allSatisfy(isHarmless)
        case .not(let node): isHarmless(node)
        case .comparison(let comparison): isHarmless(comparison)
        case .opaque: false
        }
    }

    private func isHarmless(_ comparison: ComparisonNode) -> Bool {
        guard comparison.modifier == .direct, let cell = cell(of: comparison.left),
            let constant = comparison.right.constant
        else { return false }
        let right = PredicateValue(constant.value)
        switch comparison.comparison {
        case .equalTo, .notEqualTo: return cell.kind != .boxed && cell.kind != .transformable
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            return cell.kind != .reference && cell.kind != .uuid && Self.isLookedUp(right, in: cell.kind)
        case .beginsWith, .endsWith, .contains:
            guard cell.kind == .string, case .string = right else { return false }
            return true
        case .in:
            guard let list = constant.value as? any PredicateCollection else { return false }
            return lookup(cell, list.predicateElements) != nil
        case .between, .like, .matches, .customSelector: return false
        }
    }
}
