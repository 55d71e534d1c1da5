import Foundation

/// `isKindOfClass:` and `isMemberOfClass:`, the selectors supported as custom comparison operators.
enum ClassTest {
    /// Returns whether the left value is of the class on the right. nil is of no class; strings, numbers, dates and collections
    /// count as instances of the corresponding Foundation classes.
    ///
    /// - Throws: ``PredicateEvaluationError`` for any other selector, and for a right side that is not a class.
    static func answer(_ selector: Selector?, _ left: PredicateValue, _ right: PredicateValue) throws -> Bool {
        guard let selector, selector == isKind || selector == isMember else {
            throw PredicateEvaluationError.badSelector(selector)
        }
        guard let wanted = givenClass(right) else { throw PredicateEvaluationError.notAClass(right.value, selector) }
        guard var current = givenClass(of: left) else { return false }
        if selector == isMember { return current == wanted }
        while current != wanted {
            guard let next = _getSuperclass(current) else { return false }
            current = next
        }
        return true
    }

    private static let isKind = Selector("isKindOfClass:")
    private static let isMember = Selector("isMemberOfClass:")

    private static func givenClass(_ value: PredicateValue) -> AnyClass? {
        guard case .other(let other) = value else { return nil }
        if let reference = other as? ClassReference { return NSClassFromString("Foundation.\(reference.name)") }
        return other as? AnyClass
    }

    private static func givenClass(of value: PredicateValue) -> AnyClass? {
        switch value {
        case .null: return nil
        case .string: return NSString.self
        case .number(let number): return number.isDecimal ? NSDecimalNumber.self : NSNumber.self
        case .date: return NSDate.self
        case .other(let other):
            if type(of: other) is AnyClass { return type(of: other as AnyObject) }
            switch other {
            case is UUID: return NSUUID.self
            case is Data: return NSData.self
            case is URL: return NSURL.self
            case let collection as any PredicateCollection: return collection.isPredicateSet ? NSSet.self : NSArray.self
            case is any KeyedByString: return NSDictionary.self
            default: return nil
            }
        }
    }
}
