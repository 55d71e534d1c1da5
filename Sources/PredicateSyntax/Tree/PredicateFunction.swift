/// The predefined functions of expressions; raw values are the names that `NSExpression(forFunction:arguments:)` accepts.
public enum PredicateFunction: String, Sendable, CaseIterable {
    /// The sum of the numbers of a collection.
    case sum = "sum:"
    /// The number of elements of a collection.
    case count = "count:"
    /// The minimum of a collection.
    case min = "min:"
    /// The maximum of a collection.
    case max = "max:"
    /// The mean of the numbers of a collection.
    case average = "average:"
    /// The median of the numbers of a collection.
    case median = "median:"
    /// The most frequent elements of a collection, as an array.
    case mode = "mode:"
    /// The standard deviation of the numbers of a collection.
    case standardDeviation = "stddev:"
    /// `a + b`
    case add = "add:to:"
    /// `a - b`
    case subtract = "from:subtract:"
    /// `a * b`
    case multiply = "multiply:by:"
    /// `a / b`
    case divide = "divide:by:"
    /// The remainder of an integer division.
    case modulus = "modulus:by:"
    /// The square root.
    case squareRoot = "sqrt:"
    /// The logarithm to base 10.
    case log10 = "log:"
    /// The logarithm to base e.
    case naturalLog = "ln:"
    /// The exponential function, base e.
    case exponential = "exp:"
    /// `a ** b`
    case raise = "raise:toPower:"
    /// The largest integer not greater than the argument.
    case floor = "floor:"
    /// The smallest integer not less than the argument.
    case ceiling = "ceiling:"
    /// The integer part of the number.
    case truncate = "trunc:"
    /// The absolute value of the number.
    case absolute = "abs:"
    /// The text in upper case.
    case uppercase = "uppercase:"
    /// The text in lower case.
    case lowercase = "lowercase:"
    /// The text folded for case and diacritics.
    case canonical = "canonical:"
    /// The number of UTF-16 units of a text, or of bytes of data.
    case length = "length:"
    /// The current date.
    case now = "now"
    /// A random integer from 0 to 2³¹ − 1.
    case random = "random"
    /// A random integer below the argument.
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
    /// The value itself; tells a store not to use an index.
    case noIndex = "noindex:"
    /// `CAST(value, "type")`
    case cast = "castObject:toType:"
    /// `collection[index]`: by position, by key, `FIRST`, `LAST` or `SIZE`.
    case index = "objectFrom:withIndex:"

    /// The number of arguments that the function accepts. The statistical functions take one collection or any number of
    /// values.
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

    /// The infix symbol of a two-argument function in the format language; nil if it has none.
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

    /// Looks up a function by its exact name, or by one without colons (`sum`, `modulus`).
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
