/// The comparison operators, with the raw values of Apple's `NSComparisonPredicate.Operator` (off Apple's platforms Foundation
/// numbers `contains` and `between` differently).
public enum ComparisonOperator: UInt, Sendable, CaseIterable {
    /// `<`
    case lessThan = 0
    /// `<=`
    case lessThanOrEqualTo = 1
    /// `>`
    case greaterThan = 2
    /// `>=`
    case greaterThanOrEqualTo = 3
    /// `==`; the string options apply to text.
    case equalTo = 4
    /// `!=`
    case notEqualTo = 5
    /// `MATCHES`: a regular expression matches the whole string.
    case matches = 6
    /// `LIKE`: a pattern with `?` and `*` matches the whole string.
    case like = 7
    /// `BEGINSWITH`
    case beginsWith = 8
    /// `ENDSWITH`
    case endsWith = 9
    /// `IN`: the right side contains the left one, as an element or a substring.
    case `in` = 10
    /// A method of the left side that takes the right one, such as `isKindOfClass:`, named by ``ComparisonNode/selector``.
    case customSelector = 11
    /// `CONTAINS`: the left side contains the right one, as an element or a substring.
    case contains = 99
    /// `BETWEEN`: an inclusive range.
    case between = 100

    /// The operator as `predicateFormat` writes it.
    public var symbol: String {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqualTo: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqualTo: ">="
        case .equalTo: "=="
        case .notEqualTo: "!="
        case .matches: "MATCHES"
        case .like: "LIKE"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .in: "IN"
        case .customSelector: "a selector"
        case .contains: "CONTAINS"
        case .between: "BETWEEN"
        }
    }
}

/// The quantifier over the left side of a comparison: its value as a whole, or its elements.
public enum ComparisonModifier: UInt, Sendable {
    /// The value itself.
    case direct = 0
    /// Every element.
    case all = 1
    /// At least one element.
    case any = 2
}

/// The string options of a comparison. The raw values are Apple's.
public struct StringComparisonOptions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// `[c]`: case is ignored.
    public static let caseInsensitive = StringComparisonOptions(rawValue: 1)
    /// `[d]`: accents and other combining marks are ignored.
    public static let diacriticInsensitive = StringComparisonOptions(rawValue: 2)
    /// `[n]`: both sides are already normalized; they are compared literally whatever the other options are.
    public static let normalized = StringComparisonOptions(rawValue: 4)
    /// `[l]`: by the rules of the current locale.
    public static let localeSensitive = StringComparisonOptions(rawValue: 8)

    /// The options as written between brackets, in the order `c d n l`; empty when there are none.
    public var letters: String {
        var text = ""
        if contains(.caseInsensitive) { text += "c" }
        if contains(.diacriticInsensitive) { text += "d" }
        if contains(.normalized) { text += "n" }
        if contains(.localeSensitive) { text += "l" }
        return text
    }
}
