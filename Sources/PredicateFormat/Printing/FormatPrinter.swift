import Foundation

/// Writes trees as format strings.
struct FormatPrinter {
    private(set) var text = ""
    /// True while printing without the parentheses around predicates that Apple writes but the grammar does not need.
    private var isMinimal = false
    private var nesting = 0
    private var deepestNesting = 0
    /// If not nil, constants and paths are written as `%@` and `%K` and collected here: the form used by archives.
    private(set) var arguments: [Any?]?

    init(collectsArguments: Bool = false) {
        arguments = collectsArguments ? [] : nil
    }

    /// Prints a whole predicate, with the parentheses Apple writes unless they would exceed the nesting limit of formats.
    mutating func printWhole(_ node: PredicateNode) {
        let start = self
        print(node)
        guard deepestNesting > Self.maximumNesting else { return }
        self = start
        isMinimal = true
        print(node)
    }

    private static let maximumNesting = Parser.maximumNesting / 4

    // MARK: Predicates

    mutating func print(_ node: PredicateNode) {
        switch node {
        case .constant(let value):
            text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison):
            print(comparison)
        case .and(let nodes):
            print(nodes, " AND ", whenEmpty: "TRUEPREDICATE")
        case .or(let nodes):
            print(nodes, " OR ", whenEmpty: "FALSEPREDICATE")
        case .not(let node):
            text += "NOT "
            printOperand(node)
        case .opaque(let predicate):
            print(opaque: predicate)
        }
    }

    private mutating func print(_ nodes: [PredicateNode], _ separator: String, whenEmpty: String) {
        switch nodes.count {
        case 0:
            text += whenEmpty
        case 1:
            print(nodes[0])
        default:
            for (index, node) in nodes.enumerated() {
                if index > 0 { text += separator }
                if isMinimal, whenEmpty == "FALSEPREDICATE", case .and = node {
                    print(node)
                } else {
                    printOperand(node)
                }
            }
        }
    }

    /// Prints an operand. Compound operands of compounds are parenthesized, including those with one operand.
    private mutating func printOperand(_ node: PredicateNode) {
        switch node {
        case .and(let nodes) where isMinimal && nodes.count == 1, .or(let nodes) where isMinimal && nodes.count == 1:
            printOperand(nodes[0])
        case .not where isMinimal:
            print(node)
        case .and(let nodes) where !nodes.isEmpty, .or(let nodes) where !nodes.isEmpty:
            parenthesize { $0.print(node) }
        case .not:
            parenthesize { $0.print(node) }
        default:
            print(node)
        }
    }

    private mutating func print(_ comparison: ComparisonNode) {
        switch comparison.modifier {
        case .direct: break
        case .any: text += "ANY "
        case .all: text += "ALL "
        }
        print(comparison.left)
        text += " "
        text += comparison.selector?.name ?? comparison.comparison.symbol
        if !comparison.options.letters.isEmpty {
            text += "[\(comparison.options.letters)]"
        }
        text += " "
        print(comparison.right)
    }

    private mutating func print(opaque predicate: NSPredicate) {
        let address = UInt(bitPattern: Unmanaged.passUnretained(predicate).toOpaque())
        text +=
            type(of: predicate) == NSPredicate.self
            ? "BLOCKPREDICATE(0x\(String(address, radix: 16)))"
            : PredicateObjects.format(of: predicate)
    }

    // MARK: Expressions

    mutating func print(_ node: ExpressionNode) {
        switch node {
        case .constant(let value): print(constant: value)
        case .evaluatedObject: text += "SELF"
        case .variable(let name): text += "$\(name)"
        case .keyPath(let keys, of: let base): print(keys, of: base)
        case .function(let function, let arguments): print(function, arguments)
        case .message(let target, .valueForKeyPath, let arguments) where arguments.only?.variableName != nil:
            print(target, minimum: Self.postfixPrecedence)
            text += ".$\(arguments.only?.variableName ?? "")"
        case .message(let target, let message, let arguments):
            text += "FUNCTION("
            print(target)
            text += ", \(Self.quoted(message.rawValue))"
            for argument in arguments {
                text += ", "
                print(argument)
            }
            text += ")"
        case .aggregate(let elements):
            text += "{"
            printList(elements)
            text += "}"
        case .set(let operation, let left, let right):
            printInfix(node, left, operation.rawValue, right)
        case .subquery(let collection, variable: let name, let predicate):
            text += "SUBQUERY("
            print(collection)
            text += ", $\(name), "
            print(predicate)
            text += ")"
        case .conditional(let predicate, let yes, let no):
            text += "TERNARY("
            print(predicate)
            text += ", "
            printList([yes, no])
            text += ")"
        case .assignment(variable: let name, let expression):
            text += "$\(name) := "
            print(expression, minimum: Self.assignmentPrecedence + 1)
        case .fetch(request: let request, context: let context, countOnly: let countOnly):
            text += "FETCH("
            printList([request, context, countOnly])
            text += ")"
        case .symbolicIndex(let index): text += index.rawValue
        case .anyKey: text += "ANYKEY"
        case .block(let block, let arguments):
            text += "BLOCK(0x\(String(UInt(bitPattern: Unmanaged.passUnretained(block).toOpaque()), radix: 16))"
            for argument in arguments {
                text += ", "
                print(argument)
            }
            text += ")"
        }
    }

    private mutating func printList(_ elements: [ExpressionNode]) {
        for (index, element) in elements.enumerated() {
            if index > 0 { text += ", " }
            print(element)
        }
    }

    private mutating func print(_ function: PredicateFunction, _ arguments: [ExpressionNode]) {
        if arguments.count == 2, let symbol = function.infixSymbol {
            printInfix(.function(function, arguments), arguments[0], symbol, arguments[1])
            return
        }
        switch (function, arguments.count) {
        case (.onesComplement, 1):
            text += "~"
            print(arguments[0], minimum: Self.unaryPrecedence)
        case (.index, 2):
            print(arguments[0], minimum: Self.postfixPrecedence)
            text += "["
            print(arguments[1])
            text += "]"
        case (.cast, 2):
            text += "CAST("
            print(arguments[0])
            text += ", "
            if case .constant(let constant) = arguments[1], let type = constant as? String {
                text += Self.quoted(type)
            } else {
                print(arguments[1])
            }
            text += ")"
        default:
            text += "\(function.rawValue)("
            printList(arguments)
            text += ")"
        }
    }

    private mutating func print(_ keys: [String], of base: ExpressionNode) {
        if arguments != nil, base.isEvaluatedObject {
            arguments?.append(keys.joined(separator: "."))
            text += "%K"
            return
        }
        if !base.isEvaluatedObject {
            print(base, minimum: Self.postfixPrecedence)
            text += "."
        }
        for (index, key) in keys.enumerated() {
            if index > 0 { text += "." }
            let isPlainSelf = key == "self" && (index > 0 || !base.isEvaluatedObject)
            if !isPlainSelf, Keyword(key) != nil { text += "#" }
            text += key
        }
    }

    // MARK: Precedence

    private static let assignmentPrecedence = 0
    private static let unaryPrecedence = 10
    private static let postfixPrecedence = 11

    private static func precedence(_ node: ExpressionNode) -> Int {
        switch node {
        case .assignment:
            return assignmentPrecedence
        case .set:
            return Parser.setPrecedence
        case .function(let function, let arguments):
            if arguments.count == 2, let precedence = Parser.precedence(of: function) { return precedence }
            return function == .onesComplement ? unaryPrecedence : postfixPrecedence + 1
        case .constant(let value):
            // The minus sign of a negative number is a prefix operator.
            if let number = PredicateNumber(value), number.double.sign == .minus { return unaryPrecedence }
            return postfixPrecedence + 1
        default:
            return postfixPrecedence + 1
        }
    }

    private mutating func print(_ node: ExpressionNode, minimum: Int) {
        if Self.precedence(node) < minimum {
            parenthesize { $0.print(node) }
        } else {
            print(node)
        }
    }

    /// Prints an infix operator; all are left-associative.
    private mutating func printInfix(
        _ node: ExpressionNode, _ left: ExpressionNode, _ symbol: String, _ right: ExpressionNode
    ) {
        let precedence = Self.precedence(node)
        print(left, minimum: precedence)
        text += " \(symbol) "
        print(right, minimum: precedence + 1)
    }

    private mutating func parenthesize(_ body: (inout FormatPrinter) -> Void) {
        nesting += 1
        deepestNesting = max(deepestNesting, nesting)
        text += "("
        body(&self)
        text += ")"
        nesting -= 1
    }

    // MARK: Constants

    private mutating func print(constant value: Any?) {
        let operand = PredicateValue(value)
        if arguments != nil, value != nil {
            arguments?.append(value)
            text += "%@"
            return
        }
        switch operand {
        case .null: text += value is NSNull ? "<null>" : "nil"
        case .number(let number): text += Self.text(of: number)
        case .string(let string): text += Self.quoted(string)
        case .date(let date): text += "CAST(\(Self.text(ofDate: date)), \"NSDate\")"
        case .other(let other):
            guard let collection = other as? any PredicateCollection else {
                text += "\(other)"
                return
            }
            text += "{"
            for (index, element) in collection.predicateElements.enumerated() {
                if index > 0 { text += ", " }
                print(constant: element)
            }
            text += "}"
        }
    }

    /// Returns the text of a number. Numbers without a fraction are written as integers, whatever their type.
    static func text(of number: PredicateNumber) -> String {
        switch number {
        case .int(let value): return String(value)
        case .unsigned(let value): return String(value)
        case .decimal(let value): return "\(value)"
        case .double(let value):
            let text = value.description
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
    }

    /// Returns the seconds with six decimals, as Apple writes them, or more if needed to parse to the same date.
    private static func text(ofDate seconds: Double) -> String {
        let text = String(format: "%.6f", seconds)
        return Double(text) == seconds ? text : seconds.description
    }

    static func quoted(_ string: String) -> String {
        var result = "\""
        for scalar in string.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}

extension PredicateNode {
    /// The predicate as text; see `NSPredicate.predicateFormat`. Parsing it yields an equal tree, unless it contains blocks or
    /// constants without a literal in the language (objects, data, UUIDs), which are written as their descriptions.
    public var predicateFormat: String {
        var printer = FormatPrinter()
        printer.printWhole(self)
        return printer.text
    }
}

extension [ExpressionNode] {
    fileprivate var only: ExpressionNode? { count == 1 ? self[0] : nil }
}

extension ExpressionNode {
    fileprivate var variableName: String? {
        if case .variable(let name) = self { return name }
        return nil
    }
}

extension ExpressionNode {
    /// The expression as text. See ``PredicateNode/predicateFormat``.
    public var expressionFormat: String {
        var printer = FormatPrinter()
        printer.print(self)
        return printer.text
    }
}

extension PredicateNode: CustomStringConvertible {
    public var description: String { predicateFormat }
}

extension ExpressionNode: CustomStringConvertible {
    public var description: String { expressionFormat }
}
