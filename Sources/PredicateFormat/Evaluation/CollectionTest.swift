import Foundation

/// `IN` and `CONTAINS`.
enum CollectionTest {
    /// Returns whether `collection` contains `element`; for a string, whether `element` is a substring of it.
    ///
    /// - Throws: ``PredicateEvaluationError`` if `collection` is neither a collection nor a string, or if `element` is not a
    ///   string while `collection` is one.
    static func contains(
        _ collection: PredicateValue, _ element: PredicateValue, _ options: StringComparisonOptions
    ) throws -> Bool {
        switch collection {
        case .null:
            return false
        case .string(let string):
            switch element {
            case .null: return false
            case .string(let needle):
                return try StringMatcher(.contains, needle: needle, options: options).matches(string)
            case .number, .date, .other:
                throw PredicateEvaluationError.needleNotAString(element.value, in: string)
            }
        case .other(let value):
            guard let elements = elements(of: value) else { throw PredicateEvaluationError.notACollection(value) }
            return containsElement(elements, element, options)
        case .number, .date:
            throw PredicateEvaluationError.notACollection(collection.value)
        }
    }

    /// Returns the elements of a collection, or the values of a dictionary; nil for other values.
    static func elements(of value: Any?) -> [Any]? {
        if let collection = value as? any PredicateCollection { return collection.predicateElements }
        if let dictionary = value as? any KeyedByString { return dictionary.allValues }
        return nil
    }

    private static func containsElement(
        _ elements: [Any], _ element: PredicateValue, _ options: StringComparisonOptions
    ) -> Bool {
        guard case .string(let string) = element, !options.folding.isEmpty else {
            return elements.contains { ValueComparison.equal(PredicateValue($0), element) }
        }
        let wanted = StringFolding.fold(string, options)
        return elements.contains {
            guard case .string(let candidate) = PredicateValue($0) else { return false }
            return StringFolding.fold(candidate, options) == wanted
        }
    }
}
