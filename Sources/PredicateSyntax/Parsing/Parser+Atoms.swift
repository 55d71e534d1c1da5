import Foundation

/// The smallest parts of expressions: literals, names, arguments, function calls.
extension Parser {
    mutating func parseAtom() throws -> Sized {
        let start = token
        advance()
        switch start.kind {
        case .integer(let value): return constant(Int(value))
        case .unsigned(let value): return constant(value)
        case .real(let value): return constant(value)
        case .string(let value): return constant(value)
        case .identifier(let name):
            if case .symbol(.leftParenthesis) = token.kind { return try parseCall(name, start.offset) }
            return (.expression(.path([name])), 1)
        case .selector(let name): return try parseCall(name, start.offset)
        case .escapedName(let name): return (.expression(.path([name])), 1)
        case .collectionOperator(let name): return (.expression(.path(["@" + name])), 1)
        case .variable(let name): return try parseVariable(name)
        case .specifier(.keyPath): return (.expression(.path(try keyPathArgument())), 1)
        case .specifier(.object):
            let term = try objectArgument()
            return (term, try checked(term.depth))
        case .specifier(let specifier): return (.expression(try scalarArgument(specifier)), 1)
        case .symbol(.leftParenthesis): return try parseParenthesis()
        case .symbol(.leftBrace): return try parseAggregate()
        case .symbol(.less): return try parseNull(start)
        case .keyword(let keyword): return try parseKeyword(keyword, start)
        case .symbol(let symbol):
            throw error("an expression is missing before \"\(symbol.rawValue)\"", at: start.offset)
        case .end:
            throw error("an expression is missing at the end", at: start.offset)
        }
    }

    /// Parses `<null>`, the printed form of a constant `NSNull`.
    private mutating func parseNull(_ start: Token) throws -> Sized {
        guard case .keyword(.null) = token.kind else {
            throw error("an expression is missing before \"<\"", at: start.offset)
        }
        advance()
        try expect(.greater, "after <null")
        return constant(NSNull())
    }

    private func constant(_ value: Any?) -> Sized {
        (.expression(.constant(value)), 1)
    }

    private mutating func parseVariable(_ name: String) throws -> Sized {
        guard accept(.assign) else { return (.expression(.variable(name)), 1) }
        let (value, depth) = try nested { try $0.parseOperandExpression() }
        return (.expression(.assignment(variable: name, value)), try checked(depth + 1))
    }

    private mutating func parseParenthesis() throws -> Sized {
        let term = try nested { try $0.parseTerm() }
        try expect(.rightParenthesis, "after the parenthesis")
        return term
    }

    private mutating func parseAggregate() throws -> Sized {
        var elements: [ExpressionNode] = []
        var depth = 1
        if !accept(.rightBrace) {
            repeat {
                let element = try parseExpression()
                elements.append(element.node)
                depth = max(depth, element.depth + 1)
            } while accept(.comma)
            try expect(.rightBrace, "after the list")
        }
        return (.expression(.aggregate(elements)), try checked(depth))
    }

    private mutating func parseKeyword(_ keyword: Keyword, _ start: Token) throws -> Sized {
        switch keyword {
        case .true, .yes: return constant(true)
        case .false, .no: return constant(false)
        case .null, .nil: return constant(nil)
        case .self: return (.expression(.evaluatedObject), 1)
        case .anykey: return (.expression(.anyKey), 1)
        case .truepredicate: return (.predicate(.constant(true)), 1)
        case .falsepredicate: return (.predicate(.constant(false)), 1)
        case .subquery: return try parseSubquery()
        case .ternary: return try parseTernary()
        case .cast: return try parseCast()
        case .function: return try parseMessage()
        case .fetch: return try parseFetch()
        case .caseinsensitive, .ci, .utiConformsTo, .utiEquals:
            throw error("\(start.text.uppercased()) is reserved and has no meaning off Apple", at: start.offset)
        case .first, .last, .size, .and, .or, .not, .in, .between, .contains, .beginswith, .endswith, .like, .matches,
            .any, .all, .some, .none:
            throw error(
                "an expression is missing before \(start.text); a key of that name is written #\(start.text)",
                at: start.offset)
        }
    }

    // MARK: Calls

    /// Parses `name(a, b, …)`, a predefined function.
    private mutating func parseCall(_ name: String, _ offset: Int) throws -> Sized {
        guard let function = PredicateFunction(named: name) else {
            throw error(
                "Unable to parse function name '\(name)' into supported selector (\(name))", at: offset, .unknownName)
        }
        try expect(.leftParenthesis, "after the function name")
        var arguments: [ExpressionNode] = []
        var depth = 1
        if !accept(.rightParenthesis) {
            repeat {
                let argument = try parseExpression()
                arguments.append(argument.node)
                depth = max(depth, argument.depth + 1)
            } while accept(.comma)
            try expect(.rightParenthesis, "after the arguments")
        }
        guard function.argumentCounts.contains(arguments.count) else {
            throw error(
                "\(function.rawValue) takes \(function.argumentCounts.lowerBound) arguments, not \(arguments.count)",
                at: offset, .unknownName)
        }
        if function == .cast {
            return (.expression(try cast(arguments[0], arguments[1], offset)), try checked(depth))
        }
        return (.expression(.function(function, arguments)), try checked(depth))
    }

    private mutating func parseCast() throws -> Sized {
        let offset = token.offset
        try expect(.leftParenthesis, "after CAST")
        let (value, depth) = try parseExpression()
        try expect(.comma, "after the value to cast")
        let type = try parseExpression()
        try expect(.rightParenthesis, "after the type")
        return (.expression(try cast(value, type.node, offset)), try checked(depth + 1))
    }

    /// Creates a cast. The date literal `CAST(number, 'NSDate')` becomes a constant immediately, so that dates survive
    /// printing.
    private func cast(_ value: ExpressionNode, _ type: ExpressionNode, _ offset: Int) throws -> ExpressionNode {
        guard case .constant(let constant) = type, let name = constant as? String,
            let target = CastTarget(rawValue: name)
        else {
            let known = CastTarget.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            throw error("the type of a cast must be one of \(known)", at: offset, .unknownName)
        }
        if target == .date, case .constant(let constant) = value {
            try requireValue(constant)
            if let seconds = arguments.number(constant) {
                return .constant(Date(timeIntervalSinceReferenceDate: seconds))
            }
        }
        return .function(.cast, [value, .constant(name)])
    }

    private mutating func parseMessage() throws -> Sized {
        try expect(.leftParenthesis, "after FUNCTION")
        let target = try parseExpression()
        try expect(.comma, "after the target")
        let offset = token.offset
        guard case .constant(let constant) = try parseExpression().node, let name = constant as? String else {
            throw error("the selector of FUNCTION must be a string", at: offset)
        }
        var arguments: [ExpressionNode] = []
        var depth = target.depth
        while accept(.comma) {
            let argument = try parseExpression()
            arguments.append(argument.node)
            depth = max(depth, argument.depth)
        }
        try expect(.rightParenthesis, "after the arguments")
        guard let message = PredicateMessage(name, to: target.node) else {
            throw error("'\(name)' is not one of the messages a predicate may send", at: offset, .unknownName)
        }
        guard message.argumentCount == arguments.count else {
            throw error(
                "'\(name)' takes \(message.argumentCount) arguments, not \(arguments.count)", at: offset, .unknownName)
        }
        return (.expression(.message(target.node, message, arguments)), try checked(depth + 1))
    }

    private mutating func parseSubquery() throws -> Sized {
        try expect(.leftParenthesis, "after SUBQUERY")
        let collection = try parseExpression()
        try expect(.comma, "after the collection")
        guard case .variable(let name) = token.kind else { throw error("a variable such as $x is missing here") }
        advance()
        try expect(.comma, "after the variable")
        let predicate = try nested { try $0.parsePredicate() }
        try expect(.rightParenthesis, "after the predicate")
        let depth = try checked(max(collection.depth, predicate.depth) + 1)
        return (.expression(.subquery(collection.node, variable: name, predicate.node)), depth)
    }

    private mutating func parseTernary() throws -> Sized {
        try expect(.leftParenthesis, "after TERNARY")
        let predicate = try nested { try $0.parsePredicate() }
        try expect(.comma, "after the predicate")
        let yes = try parseExpression()
        try expect(.comma, "after the second argument")
        let no = try parseExpression()
        try expect(.rightParenthesis, "after the third argument")
        let depth = try checked(max(predicate.depth, yes.depth, no.depth) + 1)
        return (.expression(.conditional(predicate.node, yes.node, no.node)), depth)
    }

    private mutating func parseFetch() throws -> Sized {
        try expect(.leftParenthesis, "after FETCH")
        let request = try parseExpression()
        try expect(.comma, "after the request")
        let context = try parseExpression()
        var countOnly: (node: ExpressionNode, depth: Int) = (.constant(false), 1)
        if accept(.comma) { countOnly = try parseExpression() }
        try expect(.rightParenthesis, "after the arguments")
        let depth = try checked(max(request.depth, context.depth, countOnly.depth) + 1)
        return (
            .expression(.fetch(request: request.node, context: context.node, countOnly: countOnly.node)), depth
        )
    }
}

extension Parser.Term {
    /// The number of levels of the tree.
    var depth: Int {
        switch self {
        case .predicate(let node): node.depth
        case .expression(let node): node.depth
        }
    }
}
