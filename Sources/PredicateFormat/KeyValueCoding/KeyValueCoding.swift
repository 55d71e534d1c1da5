import Foundation

/// A type with values that can be read by name. Predicates, expressions and sort descriptors evaluate key paths through it,
/// since there is no key-value coding off Apple's platforms.
///
/// `NSManagedObject` conforms; any class or structure can. Dictionaries, collections, strings, dates and numbers are built in,
/// and the stored properties of other values are found by reflection, which is slow.
public protocol KeyValueCoding {
    /// Returns the value of the property named `key`.
    ///
    /// - Parameter key: one component of a key path, never a path.
    /// - Returns: the value; nil and `NSNull` both mean that there is none.
    func value(forKey key: String) -> Any?

    /// Returns the value of a property for a comparison: that of ``value(forKey:)``, without boxing.
    ///
    /// The default implementation calls ``value(forKey:)``. Types that are compared often can read numbers and dates directly
    /// from storage and cache the location in `key`.
    func predicateValue(forKey key: PredicateKey) -> PredicateValue

    /// Returns the value of the property named `key`; throws where ``value(forKey:)`` may raise a fatal error.
    ///
    /// Predicates, expressions and sort descriptors read through this function. By default it returns what
    /// ``value(forKey:)`` returns.
    ///
    /// - Throws: the error for an unknown key, created by ``PredicateEvaluationError/undefinedKey(_:of:)``.
    func valueThrowing(forKey key: String) throws -> Any?

    /// Returns the value of a property for a comparison, with the errors of ``valueThrowing(forKey:)``.
    ///
    /// By default it returns what ``predicateValue(forKey:)`` returns.
    func predicateValueThrowing(forKey key: PredicateKey) throws -> PredicateValue
}

extension KeyValueCoding {
    /// Returns ``value(forKey:)`` as a predicate value.
    public func predicateValue(forKey key: PredicateKey) -> PredicateValue {
        PredicateValue(value(forKey: key.name))
    }

    /// Returns ``value(forKey:)``; never throws.
    public func valueThrowing(forKey key: String) throws -> Any? { value(forKey: key) }

    /// Returns ``predicateValue(forKey:)``; never throws.
    public func predicateValueThrowing(forKey key: PredicateKey) throws -> PredicateValue {
        predicateValue(forKey: key)
    }
}

/// A collection that predicates can search. Arrays, sets and Foundation's collections conform.
public protocol PredicateCollection {
    /// The elements, in order if the collection has one.
    var predicateElements: [Any] { get }
    /// The number of elements.
    var predicateCount: Int { get }
    /// True if this is a set: a path through it drops nil and merges duplicates.
    var isPredicateSet: Bool { get }
}

/// An object that equals the object that identifies it, as a managed object equals its object ID.
public protocol PredicateIdentifiable: AnyObject {
    /// The object by which this one is identified.
    var predicateIdentity: AnyHashable { get }
}

/// An object that is ordered relative to others of its kind, as an object ID is by its primary key. A ``PredicateIdentifiable``
/// object has the order of its identity.
public protocol PredicateOrdered: AnyObject {
    /// Compares the objects in a predicate; nil if they have no order, and then no comparison holds.
    func predicateOrder(to other: any PredicateOrdered) -> ComparisonResult?
    /// Compares the objects for sorting. The order is total and agrees with ``predicateOrder(to:)`` where that is not nil.
    func sortOrder(to other: any PredicateOrdered) -> ComparisonResult
}

/// A class that knows the names of Swift key paths rooted at it, as `NSManagedObject` does.
public protocol KeyPathNamed: AnyObject {
    /// Returns the dotted name of a key path rooted at this class or a subclass, or nil if it has none.
    static func propertyName(of keyPath: AnyKeyPath) -> String?
}

/// A fetch request that `FETCH(request, context, countOnly)` can execute. Core Data's conforms.
public protocol PredicateFetchable: AnyObject {
    /// Executes the request and returns its results as an array, or their count.
    ///
    /// - Parameters:
    ///   - context: the context to fetch in.
    ///   - countOnly: true to count the results instead.
    /// - Throws: ``PredicateEvaluationError`` if `context` is not a context that can execute the request, or the error of the
    ///   fetch.
    func predicateFetch(in context: Any?, countOnly: Bool) throws -> Any
}
