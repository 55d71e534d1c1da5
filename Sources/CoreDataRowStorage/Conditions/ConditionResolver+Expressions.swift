import Foundation
import PredicateFormat

/// Resolution of expressions against the model.
extension ConditionResolver {
    package mutating func operand(_ node: ExpressionNode, _ variables: Variables) throws -> Term {
        let node = node.withKnownValue
        switch node {
        case .constant, .fetch, .symbolicIndex, .anyKey: return Term(node)
        case .evaluatedObject: return Term(node, .object, layout: start)
        case .variable(let name):
            return variables[name].map { Term(node, .object, layout: $0) } ?? Term(node)
        case .keyPath(let keys, let base): return try path(keys, from: operand(base, variables))
        case .function(let function, let arguments):
            let operands = try arguments.map { try operand($0, variables) }
            return Term(.function(function, operands.map(\.node)), Self.type(of: function, operands))
        case .aggregate(let elements):
            return Term(.aggregate(try elements.map { try operand($0, variables).node }))
        case .subquery(let collection, let variable, let predicate):
            let objects = try operand(collection, variables)
            var inner = variables
            inner[variable] = objects.layout
            let result = ExpressionNode.subquery(
                objects.node, variable: variable, try nested(predicate, inner))
            return Term(result, .object, objects: result, layout: objects.layout)
        case .conditional(let predicate, let yes, let no):
            let condition = try nested(predicate, variables)
            let (first, second) = (try operand(yes, variables), try operand(no, variables))
            return Term(
                .conditional(condition, first.node, second.node), first.type == .unknown ? second.type : first.type)
        case .message(let target, let message, let arguments):
            let target = try operand(target, variables)
            if isStrict, message == .valueForKey || message == .valueForKeyPath,
                case .constant(let key as String)? = arguments.first
            {
                _ = try path(key.split(separator: ".").map(String.init), from: target)
            }
            return Term(
                .message(target.node, message, try arguments.map { try operand($0, variables).node }))
        case .set(let operation, let left, let right):
            return Term(.set(operation, try operand(left, variables).node, try operand(right, variables).node))
        case .assignment(let variable, let value):
            return Term(.assignment(variable: variable, try operand(value, variables).node))
        case .block(let block, let arguments):
            return Term(.block(block, try arguments.map { try operand($0, variables).node }))
        }
    }

    // MARK: Functions

    private static func type(of function: PredicateFunction, _ arguments: [Term]) -> ConditionType {
        let common = arguments.first { $0.type != .unknown }?.type ?? .unknown
        switch function {
        case .uppercase, .lowercase, .canonical: return .text
        case .length, .count, .onesComplement, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift,
            .squareRoot,
            .log10, .naturalLog, .exponential, .floor, .ceiling, .truncate, .raise, .average:
            return .number
        case .add, .subtract, .multiply, .divide, .modulus, .absolute, .sum, .min, .max, .noIndex: return common
        case .now: return .date
        case .cast:
            guard case .constant(let target as String)? = arguments.last?.node else { return .unknown }
            return switch target {
            case "NSDate": .date
            case "NSNumber", "NSDecimalNumber": .number
            case "NSString": .text
            default: .unknown
            }
        default: return .unknown
        }
    }

    // MARK: Key paths

    private mutating func path(_ keys: [String], from base: Term) throws -> Term {
        let node = ExpressionNode.path(keys, of: base.node)
        guard var layout = base.layout else { return Term(node) }
        var objects = base.objects
        // The object with the path's first to-many relationship, if to-one relationships lead to it.
        var owner: ExpressionNode?
        for (index, key) in keys.enumerated() {
            let rest = Array(keys[(index + 1)...])
            if key.hasPrefix("@") {
                var total = try aggregate(key, rest, node, objects, layout, keys)
                if let owner, ["@count", "@sum", "@avg"].contains(key) {
                    // As in SQL, a to-one relationship that is nil has no related objects.
                    hasChanged = true
                    let isMissing = PredicateNode.comparison(ComparisonNode(owner, .equalTo, .constant(nil)))
                    total.node = .conditional(isMissing, .constant(0), total.node)
                }
                return total
            }
            guard let holder = holder(of: key, from: layout) else {
                switch key {
                case "self", "SELF", "objectID": continue
                case "entity" where rest.isEmpty: return Term(node, .entity, objects: objects)
                default:
                    guard isStrict else { return Term(node, objects: objects) }
                    throw UnsupportedQuery.keyPath(keys.joined(separator: "."), in: base.layout ?? start)
                }
            }
            switch holder.members[key] {
            case .cell(let cell):
                if isStrict, holder.cells[cell].isTransient {
                    throw UnsupportedQuery.transient(key, keys.joined(separator: "."), in: base.layout ?? start)
                }
                guard holder.cells[cell].kind == .reference else {
                    return Term(node, type(of: holder.cells[cell], rest), objects: objects)
                }
                let relationship = holder.relationships[holder.cells[cell].relationshipIndex]
                guard let next = layouts.byNumber[relationship.destinationNumber] else { return Term(node) }
                layout = next
            case .toMany(let number):
                let relationship = holder.relationships[number]
                if isStrict, relationship.isTransient {
                    throw UnsupportedQuery.transient(key, keys.joined(separator: "."), in: base.layout ?? start)
                }
                guard let next = layouts.byNumber[relationship.destinationNumber] else { return Term(node) }
                layout = next
                if objects == nil, index > 0 { owner = .path(Array(keys[..<index]), of: base.node) }
                objects = .path(Array(keys[...index]), of: base.node)
            case .composite(_, let cells):
                if let cell = cells.first(where: { rest.starts(with: holder.cells[$0].elementPath) }) {
                    let below = rest.dropFirst(holder.cells[cell].elementPath.count)
                    return Term(node, type(of: holder.cells[cell], Array(below)), objects: objects)
                }
                if isStrict, !cells.contains(where: { holder.cells[$0].elementPath.starts(with: rest) }) {
                    throw UnsupportedQuery.keyPath(keys.joined(separator: "."), in: base.layout ?? start)
                }
                return Term(node, objects: objects)
            case .fetched, nil: return Term(node, objects: objects)
            }
        }
        return Term(node, .object, objects: objects, layout: layout)
    }

    /// Returns the type of an attribute, or of a property of its value.
    private func type(of cell: EntityLayout.Cell, _ rest: [String]) -> ConditionType {
        if rest.isEmpty { return ConditionType(cell.kind) }
        return rest == ["length"] && cell.kind == .string ? .number : .unknown
    }

    private mutating func aggregate(
        _ name: String, _ rest: [String], _ node: ExpressionNode, _ objects: ExpressionNode?, _ layout: EntityLayout,
        _ keys: [String]
    ) throws -> Term {
        if name == "@count" { return Term(node, .number) }
        let element = try path(rest, from: Term(objects ?? .evaluatedObject, .object, layout: layout))
        switch name {
        case "@sum", "@min", "@max": return Term(node, element.type)
        case "@avg": return Term(node, .number)
        default: return Term(node)
        }
    }

    /// Returns the entity, or the first of its subentities, that has the property.
    private func holder(of key: String, from layout: EntityLayout) -> EntityLayout? {
        if layout.members[key] != nil { return layout }
        return layout.familyNumbers.lazy.compactMap { layouts.byNumber[$0] }.first { $0.members[key] != nil }
    }
}
