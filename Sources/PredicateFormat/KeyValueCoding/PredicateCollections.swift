import Foundation

extension Array: PredicateCollection {
    /// The elements, in order.
    public var predicateElements: [Any] { self }
    /// The number of elements.
    public var predicateCount: Int { count }
    /// False: arrays keep order and duplicates.
    public var isPredicateSet: Bool { false }
}

extension ArraySlice: PredicateCollection {
    /// The elements, in order.
    public var predicateElements: [Any] { Array(self) }
    /// The number of elements.
    public var predicateCount: Int { count }
    /// False: slices keep order and duplicates.
    public var isPredicateSet: Bool { false }
}

extension ContiguousArray: PredicateCollection {
    /// The elements, in order.
    public var predicateElements: [Any] { Array(self) }
    /// The number of elements.
    public var predicateCount: Int { count }
    /// False: arrays keep order and duplicates.
    public var isPredicateSet: Bool { false }
}

extension Set: PredicateCollection {
    /// The elements, in no particular order.
    public var predicateElements: [Any] { Array(self) }
    /// The number of elements.
    public var predicateCount: Int { count }
    /// True: a path through a set drops nil and merges duplicates.
    public var isPredicateSet: Bool { true }
}

extension NSArray: PredicateCollection {
    /// The elements, in order.
    public var predicateElements: [Any] { map { $0 } }
    /// The number of elements.
    public var predicateCount: Int { count }
    /// False: arrays keep order and duplicates.
    public var isPredicateSet: Bool { false }
}

extension NSOrderedSet: PredicateCollection {
    /// The elements, in order.
    public var predicateElements: [Any] { array }
    /// The number of elements.
    public var predicateCount: Int { count }
    /// False: a path through an ordered set keeps order and duplicates.
    public var isPredicateSet: Bool { false }
}

extension NSSet: PredicateCollection {
    /// The elements, in no particular order.
    public var predicateElements: [Any] { allObjects }
    /// The number of elements.
    public var predicateCount: Int { count }
    /// True: a path through a set drops nil and merges duplicates.
    public var isPredicateSet: Bool { true }
}

/// A set of values that are not hashable, such as collections.
struct DistinctValues: PredicateCollection {
    let predicateElements: [Any]
    var predicateCount: Int { predicateElements.count }
    var isPredicateSet: Bool { true }
}

/// A dictionary with keys of any type that supports lookup by string.
protocol KeyedByString {
    func lookUp(_ key: String) -> Any?
    var allValues: [Any] { get }
    var entries: [(key: Any, value: Any)] { get }
    var entryCount: Int { get }
}

extension Dictionary: KeyedByString {
    func lookUp(_ key: String) -> Any? {
        guard let key = key as? Key else { return nil }
        return self[key].map { $0 as Any }
    }
    var allValues: [Any] { Array(values) }
    var entries: [(key: Any, value: Any)] { map { ($0.key, $0.value) } }
    var entryCount: Int { count }
}

extension NSDictionary: KeyedByString {
    func lookUp(_ key: String) -> Any? { object(forKey: NSString(string: key)) }
    var entries: [(key: Any, value: Any)] { map { ($0.key, $0.value) } }
    var entryCount: Int { count }
}
