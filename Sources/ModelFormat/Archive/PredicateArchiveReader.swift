import Foundation

/// Decodes archived predicates and expressions to trees.
struct PredicateArchiveReader {
    private static let depthLimit = 64
    /// The remaining number of nodes; shared subexpressions could expand a small archive to a huge tree.
    private var budget: Int

    /// Creates a reader.
    ///
    /// - Parameter objectCount: the number of objects in the archive, which bounds the size of valid trees.
    init(objectCount: Int) {
        budget = 20_000 + 4 * objectCount
    }

    mutating func predicate(_ object: ArchivedObject, depth: Int = 0) throws(ModelFormatError) -> ArchivedPredicate {
        try enter(depth)
        let className = object.className ?? ""
        switch className {
        case "NSTruePredicate": return .constant(true)
        case "NSFalsePredicate": return .constant(false)
        case "NSCompoundPredicate":
            var parts: [ArchivedPredicate] = []
            for part in object.array("NSSubpredicates") ?? [] { parts.append(try predicate(part, depth: depth + 1)) }
            switch object.integer("NSCompoundPredicateType") ?? 0 {
            case 0:
                guard parts.count == 1 else { throw malformed("a NOT without its predicate") }
                return .not(parts[0])
            case 1: return .and(parts)
            case 2: return .or(parts)
            case let type: throw malformed("a compound predicate of type \(type)")
            }
        default:
            guard className.hasSuffix("ComparisonPredicate") else { throw unsupported(className) }
            return .comparison(try comparison(object, depth: depth))
        }
    }

    private mutating func comparison(
        _ object: ArchivedObject, depth: Int
    ) throws(ModelFormatError) -> ArchivedComparison {
        guard let left = object.object("NSLeftExpression"), let right = object.object("NSRightExpression"),
            let symbol = object.object("NSPredicateOperator")
        else { throw malformed("a comparison with parts missing") }
        let type = symbol.integer("NSOperatorType") ?? 0
        guard let comparison = ArchivedComparison.Operator(rawValue: UInt(clamping: type)) else {
            throw malformed("a comparison of type \(type)")
        }
        let modifier =
            ArchivedComparison.Modifier(rawValue: UInt(clamping: symbol.integer("NSModifier") ?? 0)) ?? .direct
        let options = symbol.integer("NSFlags") ?? symbol.integer("NSOptions") ?? 0
        return ArchivedComparison(
            try expression(left, depth: depth + 1), comparison, try expression(right, depth: depth + 1),
            modifier: modifier, options: UInt(clamping: options) & 0xF, selector: symbol.string("NSSelectorName"))
    }

    mutating func expression(_ object: ArchivedObject, depth: Int = 0) throws(ModelFormatError) -> ArchivedExpression {
        try enter(depth)
        let className = object.className ?? ""
        switch className {
        case "NSSelfExpression": return .evaluatedObject
        case "NSVariableExpression": return .variable(object.string("NSVariable") ?? "")
        case "NSConstantValueExpression":
            if let name = object.string("NSConstantValueClassName") { return .constant(.string(name)) }
            guard let value = object.object("NSConstantValue") else { return .constant(nil) }
            return .constant(try ArchivedValue.read(value))
        case "NSKeyPathSpecifierExpression": return .keyPath(object.string("NSKeyPath") ?? "")
        case "NSKeyPathExpression":
            guard let specifier = object.array("NSArguments")?.first, let path = specifier.string("NSKeyPath") else {
                throw malformed("a key path without its path")
            }
            guard let operand = object.object("NSOperand") else { return .keyPath(path) }
            return .keyPath(path, of: try expression(operand, depth: depth + 1))
        case "NSFunctionExpression":
            guard let selector = object.string("NSSelectorName") else { throw malformed("a function without a name") }
            var arguments: [ArchivedExpression] = []
            for part in object.array("NSArguments") ?? [] { arguments.append(try expression(part, depth: depth + 1)) }
            var target: ArchivedExpression?
            if let operand = object.object("NSOperand"), !isBuiltIn(operand) {
                target = try expression(operand, depth: depth + 1)
            }
            return .function(selector, target: target, arguments: arguments)
        case "NSAggregateExpression":
            var items: [ArchivedExpression] = []
            for part in object.array("NSCollection") ?? [] { items.append(try expression(part, depth: depth + 1)) }
            return .aggregate(items)
        case "NSSetExpression":
            guard let left = object.object("NSLeftExpression"), let right = object.object("NSRightExpression"),
                let operation = ArchivedExpression.SetOperation(
                    rawValue: UInt(clamping: object.integer("NSExpressionType") ?? 0))
            else { throw malformed("a set operation with parts missing") }
            return .set(operation, try expression(left, depth: depth + 1), try expression(right, depth: depth + 1))
        case "NSSubqueryExpression":
            guard let collection = object.object("NSExpression"), let test = object.object("NSPredicate") else {
                throw malformed("a subquery with parts missing")
            }
            let variable = object.string("NSVariable") ?? object.object("NSVariable")?.string("NSVariable") ?? "x"
            return .subquery(
                try expression(collection, depth: depth + 1), variable: variable, try predicate(test, depth: depth + 1))
        case "NSTernaryExpression":
            guard let test = object.object("NSPredicate"), let yes = object.object("NSTrueExpression"),
                let no = object.object("NSFalseExpression")
            else { throw malformed("a conditional with parts missing") }
            return .conditional(
                try predicate(test, depth: depth + 1), try expression(yes, depth: depth + 1),
                try expression(no, depth: depth + 1))
        case "NSFetchRequestExpression":
            guard let request = object.object("NSFRExpression"), let context = object.object("NSMOCExpression") else {
                throw malformed("a fetch expression with parts missing")
            }
            return .fetch(
                request: try expression(request, depth: depth + 1), context: try expression(context, depth: depth + 1),
                countOnly: object.flag("NSCountOnlyFlag"))
        default: throw unsupported(className)
        }
    }

    /// Returns whether the operand is the target of a built-in function: a class, archived as a constant.
    private func isBuiltIn(_ operand: ArchivedObject) -> Bool {
        operand.className == "NSConstantValueExpression"
            && (operand.string("NSConstantValueClassName") ?? operand.string("NSConstantValue"))
                == "_NSPredicateUtilities"
    }

    private mutating func enter(_ depth: Int) throws(ModelFormatError) {
        budget -= 1
        guard depth < Self.depthLimit, budget > 0 else {
            throw ModelFormatError(.limitExceeded, "an archived predicate is nested too deeply, or contains itself")
        }
    }

    private func malformed(_ what: String) -> ModelFormatError {
        ModelFormatError(.malformed, "an archived predicate has \(what)")
    }

    private func unsupported(_ className: String) -> ModelFormatError {
        ModelFormatError(.unsupported, "an archived predicate has a part of class \(className), which is unknown here")
    }
}
