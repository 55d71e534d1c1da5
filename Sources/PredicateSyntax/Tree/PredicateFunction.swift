/// The predefined functions of expressions; raw values are the names `NSExpression(forFunction:arguments:)` takes.
public enum PredicateFunction: String, Sendable, CaseIterable {
    /// The sum of a collection's numbers.
    case sum = "sum:"
    /// How many elements a collection has.
    case count = "count:"
    /// The smallest of a collection.
    case min = "min:"
    /// The largest of a collection.
    case max = "max:"
    /// The mean of a collection's numbers.
    case average = "average:"
    /// The middle one of a collection's numbers.
    case median = "median:"
    /// The most frequent ones of a collection, as an array.
    case mode = "mode:"
    /// The standard deviation of a collection's numbers.
    case standardDeviation = "stddev:"
    /// `a + b`
    case add = "add:to:"
    /// `a - b`
    case subtract = "from:subtract:"
    /// `a * b`
    case multiply = "multiply:by:"
    /// `a / b`
    case divide = "divide:by:"
    /// The remainder of a division of whole numbers.
    case modulus = "modulus:by:"
    /// The square root.
    case squareRoot = "sqrt:"
    /// The logarithm to base 10.
    case log10 = "log:"
    /// The logarithm to base e.
    case naturalLog = "ln:"
    /// e to that power.
    case exponential = "exp:"
    /// `a ** b`
    case raise = "raise:toPower:"
    /// The next whole number below.
    case floor = "floor:"
    /// The next whole number above.
    case ceiling = "ceiling:"
    /// The number without its fraction.
    case truncate = "trunc:"
    /// The number without its sign.
    case absolute = "abs:"
    /// The text in capital letters.
    case uppercase = "uppercase:"
    /// The text in small letters.
    case lowercase = "lowercase:"
    /// The text without case and diacritics.
    case canonical = "canonical:"
    /// How many UTF-16 units a text has, or bytes a datum.
    case length = "length:"
    /// The present date.
    case now = "now"
    /// A random whole number from 0 to 2³¹ − 1.
    case random = "random"
    /// A random whole number below the argument.
    case randomBelow = "randomn:"
    /// `a & b`
    case bitwiseAnd = "bitwiseAnd:with:"
    /// `a | b`
    case bitwiseOr = "bitwiseOr:with:"
    /// `a ^ b`
    case bitwiseXor = "bitwiseXor:with:"
    /// `a << b`
    case leftShift = "leftshift:by:"
    /// `a >> b`
    case rightShift = "rightshift:by:"
    /// `~a`
    case onesComplement = "onesComplement:"
    /// The value; tells a store not to use an index.
    case noIndex = "noindex:"
    /// `CAST(value, "type")`
    case cast = "castObject:toType:"
    /// `collection[index]`: by number, by key, `FIRST`, `LAST` or `SIZE`.
    case index = "objectFrom:withIndex:"

    /// How many arguments the function takes. The statistical functions take one collection or any list of numbers.
    public var argumentCounts: ClosedRange<Int> {
        switch self {
        case .now, .random: 0...0
        case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation: 1...Int.max
        case .add, .subtract, .multiply, .divide, .modulus, .raise, .cast, .index,
            .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift:
            2...2
        case .squareRoot, .log10, .naturalLog, .exponential, .floor, .ceiling, .truncate, .absolute,
            .uppercase, .lowercase, .canonical, .length, .randomBelow, .onesComplement, .noIndex:
            1...1
        }
    }

    /// The infix symbol the format language has for a two-argument function.
    public var infixSymbol: String? {
        switch self {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        case .divide: "/"
        case .raise: "**"
        case .bitwiseAnd: "&"
        case .bitwiseOr: "|"
        case .bitwiseXor: "^"
        case .leftShift: "<<"
        case .rightShift: ">>"
        default: nil
        }
    }

    /// The function called `name`: the exact name, or one written without its colons (`sum`, `modulus`).
    public init?(named name: String) {
        guard let function = Self.byName[name] else { return nil }
        self = function
    }

    private static let byName: [String: PredicateFunction] = {
        var names: [String: PredicateFunction] = [:]
        for function in allCases {
            names[function.rawValue] = function
            names[function.rawValue.prefix { $0 != ":" }.description] = function
        }
        return names
    }()
}
