/// The operators of comparisons, numbered as Apple numbers `NSComparisonPredicate.Operator` (Foundation off Apple
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
    /// `==`; with options also of text.
    case equalTo = 4
    /// `!=`
    case notEqualTo = 5
    /// `MATCHES`: a regular expression fits the whole text.
    case matches = 6
    /// `LIKE`: a pattern with `?` and `*` fits the whole text.
    case like = 7
    /// `BEGINSWITH`
    case beginsWith = 8
    /// `ENDSWITH`
    case endsWith = 9
    /// `IN`: the right side has the left one, as an element or part of the text.
    case `in` = 10
    /// A method of the left side that takes the right one, such as `isKindOfClass:`; ``ComparisonNode/selector`` names it.
    case customSelector = 11
    /// `CONTAINS`: the left side has the right one.
    case contains = 99
    /// `BETWEEN`: two bounds, both included.
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

/// Whether a comparison applies to its left side as a whole or to its elements.
public enum ComparisonModifier: UInt, Sendable {
    /// The value itself.
    case direct = 0
    /// Every element.
    case all = 1
    /// At least one element.
    case any = 2
}

/// How a comparison treats strings. The raw values are Apple's.
public struct StringComparisonOptions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// `[c]`: upper and lower case are equal.
    public static let caseInsensitive = StringComparisonOptions(rawValue: 1)
    /// `[d]`: accents and other combining marks are ignored.
    public static let diacriticInsensitive = StringComparisonOptions(rawValue: 2)
    /// `[n]`: both sides are already prepared; compare them literally whatever the other options say.
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
