/// The messages `FUNCTION(target, "selector:", …)` and `NSExpression(forFunction:selectorName:arguments:)` may send.
///
/// Apple's Foundation can send any Objective-C message. Off Apple there are no selectors, and a predicate that may
/// call anything is unsafe besides, so the list is fixed. The exception are objects that ask for messages by conforming
/// to ``PredicateMessageReceiver``: variables such as the `$manager` and `$entityPolicy` of a migration may be sent any.
public enum PredicateMessage: Hashable, Sendable, CaseIterable {
    /// The text in capital letters.
    case uppercaseString
    /// The text in small letters.
    case lowercaseString
    /// The text with its words' first letters as capitals.
    case capitalizedString
    case description
    /// How many UTF-16 units a text has.
    case length
    /// How many elements a collection has.
    case count
    /// The number without its fraction, or the one a text begins with.
    case integerValue
    /// The number, or the one a text begins with.
    case doubleValue
    /// Whether a number is not zero, or a text says yes.
    case boolValue
    /// Two texts joined.
    case stringByAppendingString
    /// The text from that UTF-16 unit on.
    case substringFromIndex
    /// The text before that UTF-16 unit.
    case substringToIndex
    /// Whether a text begins so.
    case hasPrefix
    /// Whether a text ends so.
    case hasSuffix
    /// The parts of a text.
    case componentsSeparatedByString
    /// A list's texts joined.
    case componentsJoinedByString
    /// Whether two values are equal.
    case isEqual
    /// Whether a collection has an element.
    case containsObject
    /// A dictionary's value.
    case objectForKey
    /// The value of a property.
    case valueForKey
    /// The value at a key path.
    case valueForKeyPath
    /// A date's seconds since 2001.
    case timeIntervalSinceReferenceDate
    /// A date's seconds since 1970.
    case timeIntervalSince1970
    /// The seconds between two dates.
    case timeIntervalSinceDate
    /// A date so many seconds later.
    case dateByAddingTimeInterval
    /// A message only a ``PredicateMessageReceiver`` understands.
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

    /// The messages every value may be sent.
    public static var allCases: [PredicateMessage] { names.map(\.message) }

    /// The message of that selector; nil for one that is not on the list.
    public init?(rawValue: String) {
        guard let known = Self.byName[rawValue] else { return nil }
        self = known
    }

    /// The message of that selector, where a predicate may send it to that target: any message to variables and classes.
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

    /// How many arguments the message takes: one for each colon.
    public var argumentCount: Int {
        rawValue.reduce(0) { $1 == ":" ? $0 + 1 : $0 }
    }
}
