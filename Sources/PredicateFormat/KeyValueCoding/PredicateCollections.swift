import Foundation

extension Array: PredicateCollection {
    public var predicateElements: [Any] { self }
    public var predicateCount: Int { count }
    public var isPredicateSet: Bool { false }
}

extension ArraySlice: PredicateCollection {
    public var predicateElements: [Any] { Array(self) }
    public var predicateCount: Int { count }
    public var isPredicateSet: Bool { false }
}

extension ContiguousArray: PredicateCollection {
    public var predicateElements: [Any] { Array(self) }
    public var predicateCount: Int { count }
    public var isPredicateSet: Bool { false }
}

extension Set: PredicateCollection {
    public var predicateElements: [Any] { Array(self) }
    public var predicateCount: Int { count }
    public var isPredicateSet: Bool { true }
}

extension NSArray: PredicateCollection {
    public var predicateElements: [Any] { map { $0 } }
    public var predicateCount: Int { count }
    public var isPredicateSet: Bool { false }
}

extension NSOrderedSet: PredicateCollection {
    public var predicateElements: [Any] { array }
    public var predicateCount: Int { count }
    public var isPredicateSet: Bool { false }
}

extension NSSet: PredicateCollection {
    public var predicateElements: [Any] { allObjects }
    public var predicateCount: Int { count }
    public var isPredicateSet: Bool { true }
}

/// A set of values that cannot be hashed, such as collections.
struct DistinctValues: PredicateCollection {
    let predicateElements: [Any]
    var predicateCount: Int { predicateElements.count }
    var isPredicateSet: Bool { true }
}

/// A dictionary with keys of any type, looked up by string.
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
