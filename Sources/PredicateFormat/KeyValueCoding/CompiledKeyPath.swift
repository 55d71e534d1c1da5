import Foundation

/// A key path that is split into steps once and evaluated on many objects.
public struct CompiledKeyPath {
    private enum Step {
        case key(String)
        /// A collection operator and the path to its operands.
        case aggregate(CollectionOperator, [String])
    }

    private enum Steps {
        /// A single key, the most frequent form; needs no array.
        case key(String)
        case several([Step])
    }

    private let steps: Steps

    /// Prepares a dotted path such as `account.name` or `items.@sum.price`.
    ///
    /// - Throws: ``PredicateEvaluationError`` for an unknown collection operator, or one without its key.
    public init(_ path: String) throws {
        let isOneKey = !path.utf8.contains(UInt8(ascii: ".")) && !path.isEmpty && path.first != "@"
        try self.init(keys: isOneKey ? [path] : path.split(separator: ".").map(String.init))
    }

    /// Prepares a path given by its components.
    public init(keys: [String]) throws {
        if keys.count == 1, keys[0].first != "@" {
            steps = .key(keys[0])
            return
        }
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
        self.steps = .several(steps)
    }

    /// Follows the path from `object`.
    ///
    /// A path through a collection yields an array (or set) of the values of its elements; one through nil yields nil.
    ///
    /// - Throws: ``PredicateEvaluationError`` when an object does not have a key.
    public func value(of object: Any?) throws -> Any? {
        let steps: [Step]
        switch self.steps {
        case .key(let key):
            guard let object else { return nil }
            return try KeyValueAccess.value(of: object, forKey: key)
        case .several(let several): steps = several
        }
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
