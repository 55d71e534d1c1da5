import Foundation

/// Equality and order of values in predicates and sort descriptors.
public enum ValueComparison {
    /// Returns whether two values are equal: numbers by value, strings by code unit, dates by time, collections element by
    /// element, objects by `isEqual`. Values of different kinds are unequal. nil, `NSNull` and empty optionals are equal.
    public static func equal(_ left: Any?, _ right: Any?) -> Bool {
        equal(PredicateValue(left), PredicateValue(right))
    }

    static func equal(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.number(let a), .number(let b)): a == b
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.date(let a), .date(let b)): a == b
        case (.other(let a), .other(let b)): equalOther(a, b)
        default: false
        }
    }

    private static func equalOther(_ left: Any, _ right: Any) -> Bool {
        if type(of: left) is AnyClass, type(of: right) is AnyClass {
            let (a, b) = (left as AnyObject, right as AnyObject)
            if a === b { return true }
            if let identity = (a as? any PredicateIdentifiable)?.predicateIdentity {
                return identity == (b as? any PredicateIdentifiable)?.predicateIdentity
                    || identity == (b as? NSObject).map(AnyHashable.init)
            }
            if let identity = (b as? any PredicateIdentifiable)?.predicateIdentity {
                return identity == (a as? NSObject).map(AnyHashable.init)
            }
        }
        if let a = left as? any PredicateCollection, let b = right as? any PredicateCollection {
            return equalCollections(a, b)
        }
        if let a = left as? any KeyedByString, let b = right as? any KeyedByString {
            return NSDictionary.normalized(a) == NSDictionary.normalized(b)
        }
        if let a = left as? any Equatable { return equalEquatable(a, right) }
        return false
    }

    private static func equalEquatable<T: Equatable>(_ left: T, _ right: Any) -> Bool {
        right as? T == left
    }

    private static func equalCollections(_ a: any PredicateCollection, _ b: any PredicateCollection) -> Bool {
        guard a.predicateCount == b.predicateCount, a.isPredicateSet == b.isPredicateSet else { return false }
        let (left, right) = (a.predicateElements, b.predicateElements)
        guard a.isPredicateSet else { return zip(left, right).allSatisfy { equal($0, $1) } }
        let lookup = ValueSet(right)
        return left.allSatisfy { lookup.contains(PredicateValue($0)) }
    }

    // MARK: Order

    /// Compares two values in a predicate; nil if one of them is missing or NaN, if their kinds differ, or if they are objects
    /// without an order between them.
    ///
    /// UUIDs are ordered by their bytes, as `NSUUID.compare(_:)` orders them.
    ///
    /// - Throws: ``PredicateEvaluationError`` for values that have no order, such as data, and for a managed object compared
    ///   with a value of another kind.
    static func order(
        _ left: PredicateValue, _ right: PredicateValue, _ options: StringComparisonOptions
    ) throws -> ComparisonResult? {
        switch (left, right) {
        case (.number(let a), .number(let b)): a.compare(b)
        case (.string(let a), .string(let b)): StringCollation(options: options).compare(a, b)
        case (.date(let a), .date(let b)): a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
        case (.other(let a), .other(let b)): try orderOther(a, b)
        case (.null, _), (_, .null): nil
        case (.other(let object), _) where ordered(object) != nil, (_, .other(let object)) where ordered(object) != nil:
            throw PredicateEvaluationError.objectAndOther(left.value, right.value)
        default: nil
        }
    }

    private static func orderOther(_ left: Any, _ right: Any) throws -> ComparisonResult? {
        if let left = ordered(left), let right = ordered(right) { return left.predicateOrder(to: right) }
        if let left = left as? UUID, let right = right as? UUID { return order(left, right) }
        guard !(left is UUID), let left = left as? any Comparable, let result = orderComparable(left, right) else {
            throw PredicateEvaluationError.notOrdered(left, right)
        }
        return result
    }

    private static func order(_ left: UUID, _ right: UUID) -> ComparisonResult {
        withUnsafeBytes(of: left.uuid) { left in
            withUnsafeBytes(of: right.uuid) { right in
                StringCollation.compareBytes(left.bindMemory(to: UInt8.self), right.bindMemory(to: UInt8.self))
            }
        }
    }

    /// Returns the object that defines the order of `value`; nil if it has none.
    private static func ordered(_ value: Any) -> (any PredicateOrdered)? {
        guard type(of: value) is AnyClass else { return nil }
        if let identity = (value as? any PredicateIdentifiable)?.predicateIdentity {
            return identity.base as? any PredicateOrdered
        }
        return value as? any PredicateOrdered
    }

    private static func orderComparable<T: Comparable>(_ left: T, _ right: Any) -> ComparisonResult? {
        guard let right = right as? T else { return nil }
        return left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
    }

    /// Compares two values for sorting. The order is total: nil comes first, then numbers, dates, strings, and the rest (UUIDs
    /// and data by their bytes, as in SQLite, and managed objects by their keys).
    public static func sortOrder(
        _ left: Any?, _ right: Any?, _ collation: StringCollation = .binary
    ) -> ComparisonResult {
        let (left, right) = (PredicateValue(left), PredicateValue(right))
        switch (left, right) {
        case (.number(let a), .number(let b)):
            return a.compare(b) ?? .orderedSame
        case (.string(let a), .string(let b)):
            return collation.compare(a, b)
        case (.date(let a), .date(let b)):
            return a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
        case (.other(let a), .other(let b)):
            return sortOther(a, b)
        default:
            let (a, b) = (left.sortRank, right.sortRank)
            return a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
        }
    }

    private static func sortOther(_ left: Any, _ right: Any) -> ComparisonResult {
        if let left = ordered(left), let right = ordered(right) { return left.sortOrder(to: right) }
        switch (left, right) {
        case (let a as UUID, let b as UUID): return order(a, b)
        case (let a as Data, let b as Data):
            return a.withUnsafeBytes { a in
                b.withUnsafeBytes { b in
                    StringCollation.compareBytes(a.bindMemory(to: UInt8.self), b.bindMemory(to: UInt8.self))
                }
            }
        case (let a as URL, let b as URL):
            return StringCollation.binary.compare(a.absoluteString, b.absoluteString)
        default:
            guard let left = left as? any Comparable else { return .orderedSame }
            return orderComparable(left, right) ?? .orderedSame
        }
    }
}

extension PredicateValue {
    fileprivate var sortRank: Int {
        switch self {
        case .null: 0
        case .number: 1
        case .date: 2
        case .string: 3
        case .other: 4
        }
    }
}

extension NSDictionary {
    fileprivate static func normalized(_ dictionary: any KeyedByString) -> NSDictionary {
        if let dictionary = dictionary as? NSDictionary { return dictionary }
        guard let keyed = dictionary as? [AnyHashable: Any] else { return NSDictionary() }
        let result = NSMutableDictionary()
        for (key, value) in keyed { result[key.base as? NSObject ?? NSString(string: "\(key.base)")] = value }
        return result
    }
}
