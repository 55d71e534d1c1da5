import Foundation

/// A key path cut into steps once and followed on many objects.
public struct CompiledKeyPath {
    private enum Step {
        case key(String)
        /// A collection operator and the path its operands are found by.
        case aggregate(CollectionOperator, [String])
    }

    private let steps: [Step]

    /// Prepares a dotted path such as `account.name` or `items.@sum.price`.
    ///
    /// - Throws: ``PredicateEvaluationError`` for an unknown collection operator, or one without its key.
    public init(_ path: String) throws {
        try self.init(keys: path.split(separator: ".").map(String.init))
    }

    /// Prepares a path given by its components.
    public init(keys: [String]) throws {
        var steps: [Step] = []
        for (index, key) in keys.enumerated() {
            guard key.first == "@" else {
                steps.append(.key(key))
                continue
            }
            guard let aggregate = CollectionOperator(rawValue: key) else {
                throw PredicateEvaluationError.unknownOperator(key)
            }
            let rest = Array(keys[(index + 1)...])
            guard aggregate == .count ? rest.isEmpty : !rest.isEmpty else {
                throw PredicateEvaluationError.unknownOperator(keys[index...].joined(separator: "."))
            }
            steps.append(.aggregate(aggregate, rest))
            break
        }
        self.steps = steps
    }

    /// Follows the path from `object`.
    ///
    /// A path through a collection yields an array (or set) of the values of its elements; one through nil yields nil.
    ///
    /// - Throws: ``PredicateEvaluationError`` when an object does not have a key.
    public func value(of object: Any?) throws -> Any? {
        var current = object
        for step in steps {
            switch step {
            case .key(let key):
                guard let value = current else { return nil }
                current = try KeyValueAccess.value(of: value, forKey: key)
            case .aggregate(let aggregate, let keys):
                return try aggregate.value(of: current, keys)
            }
        }
        return current
    }
}
