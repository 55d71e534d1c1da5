import CoreDataRuntimeSupport
import Foundation

/// Builds a tree from tokens, by recursive descent.
///
/// A parenthesis may contain a predicate or an expression, so most functions return a ``Term`` and the caller requires one or
/// the other; nothing is parsed twice, and parsing takes time linear in the length.
package struct Parser {
    /// The result of parsing a part of a format: a predicate or an expression.
    package enum Term {
        case predicate(PredicateNode)
        case expression(ExpressionNode)
    }

    /// A tree and its depth.
    typealias Sized = (term: Term, depth: Int)

    /// The maximum nesting of parentheses, brackets and prefix operators.
    package static let maximumNesting = 200
    /// The maximum depth of a tree. Evaluation, printing and deallocation are recursive.
    static let maximumDepth = 1000

    /// True if a compound at the start of a compound of the same kind is merged into it.
    var flattens = true
    let format: String
    private let tokens: [Token]
    private var position = 0
    private var nesting = 0
    let arguments: any FormatValues
    private var nextArgument = 0

    init(
        _ format: String, _ arguments: any FormatValues, maximumLength: Int = Lexer.maximumLength
    ) throws {
        self.format = format
        self.arguments = arguments
        tokens = try Lexer.tokens(of: format, upTo: maximumLength)
    }

    mutating func parseWholePredicate() throws -> PredicateNode {
        let node = try parsePredicate().node
        try requireEnd()
        return node
    }

    mutating func parseWholeExpression() throws -> ExpressionNode {
        let node = try parseExpression().node
        try requireEnd()
        return node
    }

    private func requireEnd() throws {
        guard token.kind == .end else {
            throw error("this cannot stand here\(hint(for: token))")
        }
    }

    // MARK: Tokens

    var token: Token { tokens[position] }

    mutating func advance() {
        if position < tokens.count - 1 { position += 1 }
    }

    mutating func accept(_ symbol: Symbol) -> Bool {
        guard case .symbol(symbol) = token.kind else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: Symbol, _ place: String) throws {
        guard accept(symbol) else { throw error("\"\(symbol.rawValue)\" is missing \(place)\(hint(for: token))") }
    }

    func error(
        _ reason: String, at offset: Int? = nil, _ code: PredicateFormatError.Code = .syntax
    ) -> PredicateFormatError {
        PredicateFormatError(code: code, format: format, utf8Offset: offset ?? token.offset, reason: reason)
    }

    /// Returns advice for common errors, to append to a message.
    private func hint(for token: Token) -> String {
        switch token.kind {
        case .keyword(.not): "; write NOT (x IN y) for \"not in\""
        case .keyword(.first), .keyword(.last), .keyword(.size):
            "; write #\(token.text) for a key with the name of a reserved word"
        default: ""
        }
    }

    /// Runs `body` one level deeper.
    mutating func nested<Result>(_ body: (inout Parser) throws -> Result) throws -> Result {
        guard nesting < Self.maximumNesting else {
            throw error("it is nested more than \(Self.maximumNesting) levels deep", .tooComplex)
        }
        nesting += 1
        defer { nesting -= 1 }
        return try body(&self)
    }

    func checked(_ depth: Int) throws -> Int {
        guard depth <= Self.maximumDepth else {
            throw error("its tree is more than \(Self.maximumDepth) levels deep", .tooComplex)
        }
        return depth
    }

    // MARK: Predicates

    mutating func parsePredicate() throws -> (node: PredicateNode, depth: Int) {
        let offset = token.offset
        let (term, depth) = try parseDisjunction()
        return (try predicate(term, offset), depth)
    }

    private func predicate(_ term: Term, _ offset: Int) throws -> PredicateNode {
        if case .predicate(let node) = term { return node }
        if case .end = token.kind {
            throw error("a comparison is missing: an expression alone is not a predicate (write \"x == YES\")")
        }
        throw error("a comparison operator is missing here\(hint(for: token))")
    }

    mutating func parseTerm() throws -> Sized {
        try parseDisjunction()
    }

    private mutating func parseDisjunction() throws -> Sized {
        try parseChain(.or, .or, PredicateNode.disjunction) { try $0.parseConjunction() }
    }

    private mutating func parseConjunction() throws -> Sized {
        try parseChain(.and, .and, PredicateNode.conjunction) { try $0.parseNegation() }
    }

    private mutating func parseChain(
        _ keyword: Keyword, _ symbol: Symbol, _ make: ([PredicateNode]) -> PredicateNode,
        _ operand: (inout Parser) throws -> Sized
    ) throws -> Sized {
        let offset = token.offset
        let first = try operand(&self)
        guard token.kind == .keyword(keyword) || token.kind == .symbol(symbol) else { return first }
        var nodes = operands(of: try predicate(first.term, offset), keyword)
        var depth = first.depth
        while token.kind == .keyword(keyword) || token.kind == .symbol(symbol) {
            advance()
            let offset = token.offset
            let next = try operand(&self)
            nodes.append(try predicate(next.term, offset))
            depth = max(depth, next.depth)
        }
        return (.predicate(make(nodes)), try checked(depth + 1))
    }

    /// Returns the operands at the start of a chain. As in Apple's parser, `(a AND b) AND c` is one compound of three, and `a
    /// AND (b AND c)` is not.
    private func operands(of first: PredicateNode, _ keyword: Keyword) -> [PredicateNode] {
        guard flattens else { return [first] }
        return switch first {
        case .and(let nodes) where keyword == .and && nodes.count > 1: nodes
        case .or(let nodes) where keyword == .or && nodes.count > 1: nodes
        default: [first]
        }
    }

    private mutating func parseNegation() throws -> Sized {
        var negations = 0
        while token.kind == .keyword(.not) || token.kind == .symbol(.not) {
            negations += 1
            advance()
        }
        let offset = token.offset
        var (term, depth) = try parseComparison()
        for _ in 0..<negations {
            term = .predicate(.negation(try predicate(term, offset)))
            depth = try checked(depth + 1)
        }
        return (term, depth)
    }

    private mutating func parseComparison() throws -> Sized {
        let quantifier = acceptQuantifier()
        let left = try parseOperand()
        guard let (comparison, selector) = try acceptOperator() else {
            if quantifier != nil { throw error("a comparison operator is missing here") }
            return left
        }
        guard case .expression(let leftNode) = left.term else {
            throw error("the left side of a comparison must be an expression, not a predicate")
        }
        let options = try parseOptions()
        let right = try parseOperandExpression()
        let node = PredicateNode.comparison(
            ComparisonNode(
                leftNode, comparison, right.node, modifier: quantifier?.modifier ?? .direct, options: options,
                selector: selector))
        let depth = try checked(max(left.depth, right.depth) + 1)
        return (.predicate(quantifier?.isNegated == true ? .not(node) : node), depth)
    }

    private mutating func acceptQuantifier() -> (modifier: ComparisonModifier, isNegated: Bool)? {
        guard case .keyword(let keyword) = token.kind else { return nil }
        let quantifier: (ComparisonModifier, Bool)? =
            switch keyword {
            case .any, .some: (.any, false)
            case .all: (.all, false)
            case .none: (.any, true)
            default: nil
            }
        if quantifier != nil { advance() }
        return quantifier
    }

    private mutating func acceptOperator() throws -> (ComparisonOperator, Selector?)? {
        if case .selector(let name) = token.kind {
            guard name.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1 else {
                throw error("a selector that compares takes one argument, and so has one colon", .unknownName)
            }
            advance()
            return (.customSelector, Selector(name))
        }
        let comparison: ComparisonOperator? =
            switch token.kind {
            case .symbol(.equal): .equalTo
            case .symbol(.notEqual): .notEqualTo
            case .symbol(.less): .lessThan
            case .symbol(.lessOrEqual): .lessThanOrEqualTo
            case .symbol(.greater): .greaterThan
            case .symbol(.greaterOrEqual): .greaterThanOrEqualTo
            case .keyword(.in): .in
            case .keyword(.contains): .contains
            case .keyword(.beginswith): .beginsWith
            case .keyword(.endswith): .endsWith
            case .keyword(.like): .like
            case .keyword(.matches): .matches
            case .keyword(.between): .between
            default: nil
            }
        guard let comparison else { return nil }
        advance()
        return (comparison, nil)
    }

    private mutating func parseOptions() throws -> StringComparisonOptions {
        guard accept(.leftBracket) else { return [] }
        guard case .identifier(let letters) = token.kind else {
            throw error("the letters c, d, n or l are missing between the brackets")
        }
        var options: StringComparisonOptions = []
        for letter in letters {
            switch letter {
            case "c", "C": options.insert(.caseInsensitive)
            case "d", "D": options.insert(.diacriticInsensitive)
            case "n", "N": options.insert(.normalized)
            case "l", "L": options.insert(.localeSensitive)
            default: throw error("string options are the letters c, d, n and l, not \"\(letter)\"")
            }
        }
        advance()
        try expect(.rightBracket, "after the string options")
        return options
    }

    // MARK: Expressions

    mutating func parseExpression() throws -> (node: ExpressionNode, depth: Int) {
        let (term, depth) = try nested { try $0.parseDisjunction() }
        guard case .expression(let node) = term else {
            throw error("an expression is needed here, not a predicate")
        }
        return (node, depth)
    }

    mutating func parseOperandExpression() throws -> (node: ExpressionNode, depth: Int) {
        let (term, depth) = try parseOperand()
        guard case .expression(let node) = term else {
            throw error("an expression is needed here, not a predicate")
        }
        return (node, depth)
    }

    private mutating func parseOperand() throws -> Sized {
        try parseBinary(minimum: 1)
    }

    private mutating func parseBinary(minimum: Int) throws -> Sized {
        var left = try parseUnary()
        while let infix = infix, infix.precedence >= minimum {
            let name = token
            guard case .expression(let leftNode) = left.term else {
                throw error("a predicate cannot be an operand here", at: name.offset)
            }
            advance()
            let right = try nested { try $0.parseBinary(minimum: infix.precedence + 1) }
            guard case .expression(let rightNode) = right.term else {
                throw error("a predicate cannot be an operand here", at: name.offset)
            }
            let node: ExpressionNode =
                switch infix.operation {
                case .function(let function): .function(function, [leftNode, rightNode])
                case .set(let operation): .set(operation, leftNode, rightNode)
                }
            left = (.expression(node), try checked(max(left.depth, right.depth) + 1))
        }
        return left
    }

    private enum InfixOperation {
        case function(PredicateFunction)
        case set(SetOperation)
    }

    /// The infix operator of the current token. The names of set operations are not reserved words: they are operators only
    /// where an operator may occur.
    private var infix: (precedence: Int, operation: InfixOperation)? {
        switch token.kind {
        case .symbol(let symbol):
            guard let function = Self.function(of: symbol), let precedence = Self.precedence(of: function) else {
                return nil
            }
            return (precedence, .function(function))
        case .identifier(let name):
            guard let operation = SetOperation(rawValue: name.uppercased()) else { return nil }
            return (Self.setPrecedence, .set(operation))
        default:
            return nil
        }
    }

    private static func function(of symbol: Symbol) -> PredicateFunction? {
        switch symbol {
        case .bitOr: .bitwiseOr
        case .bitXor: .bitwiseXor
        case .bitAnd: .bitwiseAnd
        case .shiftLeft: .leftShift
        case .shiftRight: .rightShift
        case .plus: .add
        case .minus: .subtract
        case .times: .multiply
        case .divide: .divide
        case .power: .raise
        default: nil
        }
    }

    package static let setPrecedence = 1

    /// Returns the precedence of an infix operator; nil for other functions. All are left-associative.
    package static func precedence(of function: PredicateFunction) -> Int? {
        switch function {
        case .bitwiseOr, .bitwiseXor, .bitwiseAnd: 2
        case .leftShift, .rightShift: 3
        case .add, .subtract: 4
        case .multiply, .divide: 5
        case .raise: 6
        default: nil
        }
    }

    private mutating func parseUnary() throws -> Sized {
        guard token.kind == .symbol(.minus) || token.kind == .symbol(.bitNot) else { return try parsePostfix() }
        let isMinus = accept(.minus)
        if !isMinus { advance() }
        let (term, depth) = try nested { try $0.parseUnary() }
        guard case .expression(let node) = term else { throw error("a predicate cannot be negated with - or ~") }
        guard isMinus else { return (.expression(.function(.onesComplement, [node])), try checked(depth + 1)) }
        if case .constant(let value) = node {
            try requireValue(value)
            guard let negated = Self.negated(value) else {
                return (.expression(.function(.multiply, [node, .constant(-1)])), try checked(depth + 1))
            }
            return (.expression(.constant(negated)), depth)
        }
        return (.expression(.function(.multiply, [node, .constant(-1)])), try checked(depth + 1))
    }

    /// Returns the negation of a number literal; nil if it is not representable.
    private static func negated(_ value: Any?) -> Any? {
        switch value {
        case let value as Int: return value == .min ? nil : -value
        case let value as UInt64: return value == 1 << 63 ? Int.min : -Double(value)
        case let value as Double: return -value
        default: return nil
        }
    }

    private mutating func parsePostfix() throws -> Sized {
        var (term, depth) = try parseAtom()
        while true {
            if case .symbol(.dot) = token.kind {
                guard case .expression(let base) = term else { throw error("a predicate has no properties") }
                term = .expression(try parseComponents(of: base))
                depth = try checked(depth + 1)
            } else if case .symbol(.leftBracket) = token.kind {
                guard case .expression(let base) = term else { throw error("a predicate has no elements") }
                advance()
                let index = try parseIndex()
                try expect(.rightBracket, "after the index")
                term = .expression(.function(.index, [base, index.node]))
                depth = try checked(max(depth, index.depth) + 1)
            } else {
                return (term, depth)
            }
        }
    }

    /// Parses the components after a dot: keys, and expressions that evaluate to key paths.
    private mutating func parseComponents(of base: ExpressionNode) throws -> ExpressionNode {
        var keys: [String] = []
        while accept(.dot) {
            let path: ExpressionNode
            switch token.kind {
            case .variable(let name): path = .variable(name)
            case .specifier(.object):
                guard case .expression(let argument) = try objectArgument() else {
                    throw error("a key path is needed after the dot, not a predicate", .argument)
                }
                path = argument
            default:
                keys += try parseComponent()
                continue
            }
            if case .constant(let value) = path { try requireValue(value) }
            advance()
            return try .path(.path(keys, of: base), followedBy: path, arguments.text) {
                error("%@ after a dot takes a key path as a string, not \(Self.describe($0))", .argument)
            }
        }
        return .path(keys, of: base)
    }

    private mutating func parseComponent() throws -> [String] {
        defer { advance() }
        switch token.kind {
        case .identifier(let name), .escapedName(let name): return [name]
        case .collectionOperator(let name): return ["@" + name]
        case .keyword: return [token.text]
        case .specifier(.keyPath): return try keyPathArgument()
        default: throw error("a key is missing after the dot")
        }
    }

    private mutating func parseIndex() throws -> (node: ExpressionNode, depth: Int) {
        let symbol: SymbolicIndex? =
            switch token.kind {
            case .keyword(.first): .first
            case .keyword(.last): .last
            case .keyword(.size): .size
            default: nil
            }
        guard let symbol else { return try parseExpression() }
        advance()
        return (.symbolicIndex(symbol), 1)
    }

    // MARK: Arguments

    private mutating func takeArgument(_ specifier: String) throws -> Any? {
        guard nextArgument < arguments.count else {
            throw error(
                "there is no argument for this \(specifier): \(arguments.count) given, one is needed for each",
                .argument)
        }
        defer { nextArgument += 1 }
        return arguments[nextArgument].flatMap(OptionalContents.unwrapped)
    }

    /// Throws if the constant is a placeholder, to prevent a template where the tree depends on the value of an argument.
    func requireValue(_ constant: Any?) throws {
        if constant is ArgumentPlace { throw error("the value of this argument decides on the tree", .argument) }
    }

    mutating func keyPathArgument() throws -> [String] {
        let argument = try takeArgument("%K")
        let text: String
        switch argument {
        case let string as String: text = string
        case let string as NSString: text = String(describing: string)
        case let keyPath as AnyKeyPath:
            guard let name = arguments.name(of: keyPath) else {
                throw error("the key path \(keyPath) has no name off Apple; pass a string for %K", .argument)
            }
            text = name
        default:
            throw error("%K takes a key path as a string, not \(Self.describe(argument))", .argument)
        }
        let keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard keys.allSatisfy({ !$0.isEmpty }) else {
            throw error("\"\(text)\" is not a key path", .argument)
        }
        return keys
    }

    mutating func objectArgument() throws -> Term { arguments.term(try takeArgument("%@")) }

    mutating func scalarArgument(_ specifier: FormatSpecifier) throws -> ExpressionNode {
        let argument = try takeArgument("specifier")
        switch specifier {
        case .cString:
            if let pointer = argument as? UnsafePointer<CChar> { return .constant(String(cString: pointer)) }
            if let pointer = argument as? UnsafeMutablePointer<CChar> { return .constant(String(cString: pointer)) }
        case .pointer:
            if let pointer = argument as? UnsafeRawPointer { return .constant(Int(bitPattern: pointer)) }
            if let pointer = argument as? UnsafeMutableRawPointer { return .constant(Int(bitPattern: pointer)) }
            return .constant(argument)
        case .integer, .real, .character:
            if Self.isText(argument), specifier != .character {
                throw error("a number is needed for this specifier, not \(Self.describe(argument))", .argument)
            }
        case .object, .keyPath:
            break
        }
        return .constant(argument)
    }

    /// Returns whether an argument is a string. Tests the class of objects only: casting other values would try all bridging
    /// conversions.
    private static func isText(_ argument: Any?) -> Bool {
        guard let argument else { return false }
        return type(of: argument) is NSString.Type || argument is String
    }

    private static func describe(_ argument: Any?) -> String {
        argument.map { "\(type(of: $0))" } ?? "nil"
    }
}
