import Foundation

/// A type whose values can be read by name: what predicates, expressions and sort descriptors need to evaluate key
/// paths, since there is no key-value coding off Apple.
///
/// `NSManagedObject` conforms. So can any class or structure of yours; dictionaries, collections, strings, dates and
/// numbers are built in, and the stored properties of other values are found by reflection, which is slow.
public protocol KeyValueCoding {
    /// The value of the property named `key`.
    ///
    /// - Parameter key: one component of a key path, never a path.
    /// - Returns: the value; nil and `NSNull` both mean that there is none.
    func value(forKey key: String) -> Any?

    /// The value of a property for a comparison: what ``value(forKey:)`` gives, without a box round it.
    ///
    /// There is a default. Types that are compared often can read numbers and dates straight from where they lie, and
    /// remember in `key` where that is.
    func predicateValue(forKey key: PredicateKey) -> PredicateValue

    /// The value of the property named `key`; throws where ``value(forKey:)`` may stop the process.
    ///
    /// Predicates, expressions and sort descriptors read through this function. By default it returns what
    /// ``value(forKey:)`` returns.
    ///
    /// - Throws: an error for a key the object does not have; ``PredicateEvaluationError/undefinedKey(_:of:)`` makes one.
    func valueThrowing(forKey key: String) throws -> Any?

    /// The value of a property for a comparison, with the errors of ``valueThrowing(forKey:)``.
    ///
    /// By default it returns what ``predicateValue(forKey:)`` returns.
    func predicateValueThrowing(forKey key: PredicateKey) throws -> PredicateValue
}

extension KeyValueCoding {
    public func predicateValue(forKey key: PredicateKey) -> PredicateValue {
        PredicateValue(value(forKey: key.name))
    }

    public func valueThrowing(forKey key: String) throws -> Any? { value(forKey: key) }

    public func predicateValueThrowing(forKey key: PredicateKey) throws -> PredicateValue {
        predicateValue(forKey: key)
    }
}

/// A collection that predicates can look through. Arrays, sets and Foundation's collections conform.
public protocol PredicateCollection {
    /// The elements, in order if the collection has one.
    var predicateElements: [Any] { get }
    /// How many elements there are.
    var predicateCount: Int { get }
    /// Whether this is a set: a path through it drops nil and merges duplicates.
    var isPredicateSet: Bool { get }
}

/// An object that counts as equal to another object that identifies it, as a managed object does to its object ID.
public protocol PredicateIdentifiable: AnyObject {
    /// What identifies the object.
    var predicateIdentity: AnyHashable { get }
}

/// An object that comes before or after others of its kind, as an object ID does by its key. A ``PredicateIdentifiable``
/// object is ordered as what identifies it.
public protocol PredicateOrdered: AnyObject {
    /// The order in a predicate; nil where there is none, and then no comparison holds.
    func predicateOrder(to other: any PredicateOrdered) -> ComparisonResult?
    /// The order in a sort, which is total and agrees with ``predicateOrder(to:)`` where that has an answer.
    func sortOrder(to other: any PredicateOrdered) -> ComparisonResult
}

/// A class that knows the names of Swift key paths starting at it, as `NSManagedObject` does.
public protocol KeyPathNamed: AnyObject {
    /// The dotted name of a key path whose root is this class or one derived from it, or nil when it has none.
    static func propertyName(of keyPath: AnyKeyPath) -> String?
}

/// A fetch request, which `FETCH(request, context, countOnly)` can run. Core Data's conforms.
public protocol PredicateFetchable: AnyObject {
    /// What the request finds, as an array, or how many results there are.
    ///
    /// - Parameters:
    ///   - context: where to fetch.
    ///   - countOnly: whether to count the results instead.
    /// - Throws: ``PredicateEvaluationError`` when `context` is not what the request is executed in, or what fetching
    ///   throws.
    func predicateFetch(in context: Any?, countOnly: Bool) throws -> Any
}
