/// The messages that `FUNCTION(target, "selector:", …)` and `NSExpression(forFunction:selectorName:arguments:)` can send.
///
/// Apple's Foundation sends any Objective-C message. Off Apple's platforms there is no dispatch by selector, and a predicate
/// that can call anything is unsafe, so the list is fixed. The exception are receivers that conform to
/// ``PredicateMessageReceiver``: variables such as `$manager` and `$entityPolicy` in a migration accept any message.
public enum PredicateMessage: Hashable, Sendable, CaseIterable {
    /// The text in upper case.
    case uppercaseString
    /// The text in lower case.
    case lowercaseString
    /// The text with the first letter of each word capitalized.
    case capitalizedString
    case description
    /// The number of UTF-16 units of a text.
    case length
    /// The number of elements of a collection.
    case count
    /// The integer part of a number, or the integer at the start of a text.
    case integerValue
    /// The number, or the number at the start of a text.
    case doubleValue
    /// True for a nonzero number, or a text that `NSString.boolValue` reads as true.
    case boolValue
    /// The concatenation of two texts.
    case stringByAppendingString
    /// The text from a UTF-16 offset to the end.
    case substringFromIndex
    /// The text up to a UTF-16 offset.
    case substringToIndex
    /// True if a text has a prefix.
    case hasPrefix
    /// True if a text has a suffix.
    case hasSuffix
    /// The components of a text between separators.
    case componentsSeparatedByString
    /// The texts of a list joined by a separator.
    case componentsJoinedByString
    /// True if two values are equal.
    case isEqual
    /// True if a collection contains an element.
    case containsObject
    /// The value of a dictionary for a key.
    case objectForKey
    /// The value of a property.
    case valueForKey
    /// The value at a key path.
    case valueForKeyPath
    /// The seconds of a date since 2001.
    case timeIntervalSinceReferenceDate
    /// The seconds of a date since 1970.
    case timeIntervalSince1970
    /// The seconds between two dates.
    case timeIntervalSinceDate
    /// The date that many seconds later.
    case dateByAddingTimeInterval
    /// A message that only a ``PredicateMessageReceiver`` handles.
    case other(String)

    private static let names: [(message: PredicateMessage, name: String)] = [
        (.uppercaseString, "uppercaseString"),
        (.lowercaseString, "lowercaseString"),
        (.capitalizedString, "capitalizedString"),
        (.description, "description"),
        (.length, "length"),
        (.count, "count"),
        (.integerValue, "integerValue"),
        (.doubleValue, "doubleValue"),
        (.boolValue, "boolValue"),
        (.stringByAppendingString, "stringByAppendingString:"),
        (.substringFromIndex, "substringFromIndex:"),
        (.substringToIndex, "substringToIndex:"),
        (.hasPrefix, "hasPrefix:"),
        (.hasSuffix, "hasSuffix:"),
        (.componentsSeparatedByString, "componentsSeparatedByString:"),
        (.componentsJoinedByString, "componentsJoinedByString:"),
        (.isEqual, "isEqual:"),
        (.containsObject, "containsObject:"),
        (.objectForKey, "objectForKey:"),
        (.valueForKey, "valueForKey:"),
        (.valueForKeyPath, "valueForKeyPath:"),
        (.timeIntervalSinceReferenceDate, "timeIntervalSinceReferenceDate"),
        (.timeIntervalSince1970, "timeIntervalSince1970"),
        (.timeIntervalSinceDate, "timeIntervalSinceDate:"),
        (.dateByAddingTimeInterval, "dateByAddingTimeInterval:"),
    ]
    private static let byName = Dictionary(names.map { ($0.name, $0.message) }) { first, _ in first }
    private static let nameByMessage = Dictionary(names.map { ($0.message, $0.name) }) { first, _ in first }

    /// The messages that can be sent to every value.
    public static var allCases: [PredicateMessage] { names.map(\.message) }

    /// Looks up a message by its selector; nil if it is not on the list.
    public init?(rawValue: String) {
        guard let known = Self.byName[rawValue] else { return nil }
        self = known
    }

    /// Looks up a message that a predicate may send to the target. Variables and classes accept any message.
    public init?(_ name: String, to target: ExpressionNode) {
        if let known = Self.byName[name] {
            self = known
            return
        }
        switch target {
        case .variable: self = .other(name)
        case .constant(let value) where value is any PredicateMessageReceiver: self = .other(name)
        case .function(.cast, let arguments) where arguments.count == 2:
            guard case .constant(let type) = arguments[1], type as? String == CastTarget.class.rawValue else {
                return nil
            }
            self = .other(name)
        default: return nil
        }
    }

    /// The selector.
    public var rawValue: String {
        if case .other(let name) = self { return name }
        return Self.nameByMessage[self] ?? ""
    }

    /// The number of arguments of the message: one for each colon.
    public var argumentCount: Int {
        rawValue.reduce(0) { $1 == ":" ? $0 + 1 : $0 }
    }
}
