/// The messages `FUNCTION(target, "selector:", …)` and `NSExpression(forFunction:selectorName:arguments:)` may send.
///
/// Apple's Foundation can send any Objective-C message. Off Apple there are no selectors, and a predicate that may
/// call anything is unsafe besides, so the list is fixed.
public enum PredicateMessage: String, Sendable, CaseIterable {
    case uppercaseString
    case lowercaseString
    case capitalizedString
    case description
    case length
    case count
    case integerValue
    case doubleValue
    case boolValue
    case stringByAppendingString = "stringByAppendingString:"
    case substringFromIndex = "substringFromIndex:"
    case substringToIndex = "substringToIndex:"
    case hasPrefix = "hasPrefix:"
    case hasSuffix = "hasSuffix:"
    case componentsSeparatedByString = "componentsSeparatedByString:"
    case componentsJoinedByString = "componentsJoinedByString:"
    case isEqual = "isEqual:"
    case containsObject = "containsObject:"
    case objectForKey = "objectForKey:"
    case valueForKey = "valueForKey:"
    case valueForKeyPath = "valueForKeyPath:"
    case timeIntervalSinceReferenceDate
    case timeIntervalSince1970
    case timeIntervalSinceDate = "timeIntervalSinceDate:"
    case dateByAddingTimeInterval = "dateByAddingTimeInterval:"

    /// How many arguments the message takes: one for each colon.
    public var argumentCount: Int {
        rawValue.hasSuffix(":") ? 1 : 0
    }
}
