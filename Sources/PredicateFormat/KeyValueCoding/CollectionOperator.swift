import Foundation

/// The operators of key paths that compute something from a collection.
enum CollectionOperator: String {
    case count = "@count"
    case sum = "@sum"
    case average = "@avg"
    case minimum = "@min"
    case maximum = "@max"
    case unionOfObjects = "@unionOfObjects"
    case distinctUnionOfObjects = "@distinctUnionOfObjects"
    case unionOfArrays = "@unionOfArrays"
    case distinctUnionOfArrays = "@distinctUnionOfArrays"
    case unionOfSets = "@unionOfSets"
    case distinctUnionOfSets = "@distinctUnionOfSets"

    /// Applies the operator to the values at `keys` in the elements of `collection`. nil counts as empty.
    func value(of collection: Any?, _ keys: [String]) throws -> Any? {
        let elements = try Self.elements(of: collection, rawValue)
        if self == .count { return elements.count }
        let path = try CompiledKeyPath(keys: keys.filter { $0 != "self" && $0 != "SELF" })
        switch self {
        case .count, .sum, .average, .minimum, .maximum:
            let values = try elements.map { try path.value(of: $0) }
            return try Statistics.value(statistic, values)
        case .unionOfObjects, .distinctUnionOfObjects:
            return distinct(try elements.compactMap { try Self.present(path.value(of: $0)) })
        case .unionOfArrays, .distinctUnionOfArrays, .unionOfSets, .distinctUnionOfSets:
            // The path yields a collection for each element; the elements themselves need not be collections.
            let values = try elements.flatMap { element in
                try Self.elements(of: path.value(of: element), rawValue).compactMap(Self.present)
            }
            return distinct(values)
        }
    }

    private var statistic: PredicateFunction {
        switch self {
        case .sum: .sum
        case .average: .average
        case .minimum: .min
        case .maximum: .max
        default: .count
        }
    }

    private func distinct(_ values: [Any]) -> Any {
        switch self {
        case .distinctUnionOfSets, .unionOfSets: KeyValueAccess.set(values)
        case .distinctUnionOfObjects, .distinctUnionOfArrays: KeyValueAccess.withoutDuplicates(values)
        default:
            values
        }
    }

    private static func present(_ value: Any?) -> Any? {
        PredicateValue(value).isNull ? nil : value
    }

    private static func elements(of value: Any?, _ operation: String) throws -> [Any] {
        if PredicateValue(value).isNull { return [] }
        if let collection = value as? any PredicateCollection { return collection.predicateElements }
        if let dictionary = value as? any KeyedByString { return dictionary.allValues }
        throw PredicateEvaluationError(
            code: .operandType,
            message: "\(operation) needs a collection, not \(PredicateEvaluationError.text(value))"
        )
    }
}
