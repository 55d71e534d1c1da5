import Foundation

extension PredicateNode: Hashable {
    /// Structural equality. AND and OR of one operand equal that operand, and of none the constant they evaluate to,
    /// since they print alike.
    public static func == (left: PredicateNode, right: PredicateNode) -> Bool {
        switch (left.simplified, right.simplified) {
        case (.constant(let a), .constant(let b)): a == b
        case (.comparison(let a), .comparison(let b)): a == b
        case (.and(let a), .and(let b)), (.or(let a), .or(let b)): a == b
        case (.not(let a), .not(let b)): a == b
        case (.opaque(let a), .opaque(let b)): a.identity == b.identity
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch simplified {
        case .constant(let value): hasher.combine(value)
        case .comparison(let comparison): hasher.combine(comparison)
        case .and(let nodes), .or(let nodes): hasher.combine(nodes)
        case .not(let node): hasher.combine(node)
        case .opaque(let predicate): hasher.combine(predicate.identity)
        }
    }

    private var simplified: PredicateNode {
        switch self {
        case .and(let nodes) where nodes.isEmpty: .constant(true)
        case .or(let nodes) where nodes.isEmpty: .constant(false)
        case .and(let nodes) where nodes.count == 1, .or(let nodes) where nodes.count == 1: nodes[0].simplified
        default: self
        }
    }
}

extension ComparisonNode: Hashable {
    public static func == (left: ComparisonNode, right: ComparisonNode) -> Bool {
        left.comparison == right.comparison && left.modifier == right.modifier && left.options == right.options
            && left.selector == right.selector && left.left == right.left && left.right == right.right
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(left)
        hasher.combine(right)
        hasher.combine(comparison)
        hasher.combine(modifier)
        hasher.combine(options)
        hasher.combine(selector)
    }
}

extension ExpressionNode: Hashable {
    /// Structural equality. A constant collection equals a list of the same constants, since they print alike.
    public static func == (left: ExpressionNode, right: ExpressionNode) -> Bool {
        switch (left, right) {
        case (.constant(let a), .constant(let b)):
            return Constants.equal(a, b)
        case (.aggregate(let a), .aggregate(let b)):
            return a == b
        case (.constant, .aggregate), (.aggregate, .constant):
            guard let a = left.constant, let b = right.constant else { return false }
            return Constants.equal(a.value, b.value)
        case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey):
            return true
        case (.variable(let a), .variable(let b)):
            return a == b
        case (.keyPath(let a, of: let x), .keyPath(let b, of: let y)):
            return a == b && x == y
        case (.function(let a, let x), .function(let b, let y)):
            return a == b && x == y
        case (.message(let a, let f, let x), .message(let b, let g, let y)):
            return f == g && a == b && x == y
        case (.set(let a, let x, let v), .set(let b, let y, let w)):
            return a == b && x == y && v == w
        case (.subquery(let a, variable: let n, let p), .subquery(let b, variable: let m, let q)):
            return n == m && a == b && p == q
        case (.conditional(let p, let x, let v), .conditional(let q, let y, let w)):
            return p == q && x == y && v == w
        case (.assignment(variable: let n, let x), .assignment(variable: let m, let y)):
            return n == m && x == y
        case (.fetch(let r, let c, let n), .fetch(let s, let d, let m)):
            return r == s && c == d && n == m
        case (.symbolicIndex(let a), .symbolicIndex(let b)):
            return a == b
        case (.block(let a, let x), .block(let b, let y)):
            return a === b && x == y
        default:
            return false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .constant, .aggregate:
            if let constant {
                Constants.hash(constant.value, into: &hasher)
            } else if case .aggregate(let elements) = self {
                hasher.combine(elements)
            }
        case .evaluatedObject: hasher.combine(1)
        case .anyKey: hasher.combine(2)
        case .variable(let name): hasher.combine(name)
        case .keyPath(let keys, of: let base):
            hasher.combine(keys)
            hasher.combine(base)
        case .function(let function, let arguments):
            hasher.combine(function)
            hasher.combine(arguments)
        case .message(let target, let message, let arguments):
            hasher.combine(target)
            hasher.combine(message)
            hasher.combine(arguments)
        case .set(let operation, let left, let right):
            hasher.combine(operation)
            hasher.combine(left)
            hasher.combine(right)
        case .subquery(let collection, variable: let name, let predicate):
            hasher.combine(collection)
            hasher.combine(name)
            hasher.combine(predicate)
        case .conditional(let predicate, let yes, let no):
            hasher.combine(predicate)
            hasher.combine(yes)
            hasher.combine(no)
        case .assignment(variable: let name, let expression):
            hasher.combine(name)
            hasher.combine(expression)
        case .fetch(let request, let context, let countOnly):
            hasher.combine(request)
            hasher.combine(context)
            hasher.combine(countOnly)
        case .symbolicIndex(let index): hasher.combine(index)
        case .block(let block, let arguments):
            hasher.combine(ObjectIdentifier(block))
            hasher.combine(arguments)
        }
    }
}

/// Equality of constants in trees: by value; a set equals an array of the same elements in any order.
private enum Constants {
    static func equal(_ left: Any?, _ right: Any?) -> Bool {
        guard let a = left as? any PredicateCollection, let b = right as? any PredicateCollection else {
            return ValueComparison.equal(left, right)
        }
        guard a.predicateCount == b.predicateCount else { return false }
        if a.isPredicateSet || b.isPredicateSet {
            let others = b.predicateElements
            return a.predicateElements.allSatisfy { element in others.contains { equal(element, $0) } }
        }
        return zip(a.predicateElements, b.predicateElements).allSatisfy { equal($0, $1) }
    }

    static func hash(_ value: Any?, into hasher: inout Hasher) {
        switch PredicateValue(value) {
        case .null: hasher.combine(0)
        case .number(let number): hasher.combine(number)
        case .string(let string): hasher.combine(string)
        case .date(let date): hasher.combine(date)
        case .other(let other):
            if let collection = other as? any PredicateCollection {
                hasher.combine(collection.predicateCount)
            } else if let identity = (other as? any PredicateIdentifiable)?.predicateIdentity {
                hasher.combine(identity)
            } else if !(other is any KeyedByString), let hashable = other as? any Hashable {
                hasher.combine(AnyHashable(hashable))
            }
        }
    }
}
