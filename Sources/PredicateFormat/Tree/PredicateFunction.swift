/// The predefined functions of expressions; raw values are the names `NSExpression(forFunction:arguments:)` takes.
public enum PredicateFunction: String, Sendable, CaseIterable {
    case sum = "sum:"
    case count = "count:"
    case min = "min:"
    case max = "max:"
    case average = "average:"
    case median = "median:"
    case mode = "mode:"
    case standardDeviation = "stddev:"
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    case modulus = "modulus:by:"
    case squareRoot = "sqrt:"
    case log10 = "log:"
    case naturalLog = "ln:"
    case exponential = "exp:"
    case raise = "raise:toPower:"
    case floor = "floor:"
    case ceiling = "ceiling:"
    case truncate = "trunc:"
    case absolute = "abs:"
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"
    case canonical = "canonical:"
    case length = "length:"
    case now = "now"
    case random = "random"
    case randomBelow = "randomn:"
    case bitwiseAnd = "bitwiseAnd:with:"
    case bitwiseOr = "bitwiseOr:with:"
    case bitwiseXor = "bitwiseXor:with:"
    case leftShift = "leftshift:by:"
    case rightShift = "rightshift:by:"
    case onesComplement = "onesComplement:"
    case noIndex = "noindex:"
    case cast = "castObject:toType:"
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
