import Foundation

extension ArchivedPredicate {
    /// The predicate as text, in the format of `NSPredicate`.
    public var text: String {
        switch self {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): comparison.text
        case .not(let predicate): "NOT " + predicate.operand
        case .and(let predicates): Self.joined(predicates, by: " AND ", empty: "TRUEPREDICATE")
        case .or(let predicates): Self.joined(predicates, by: " OR ", empty: "FALSEPREDICATE")
        }
    }

    private static func joined(_ predicates: [ArchivedPredicate], by separator: String, empty: String) -> String {
        guard predicates.count != 1 else { return predicates[0].text }
        return predicates.isEmpty ? empty : predicates.map(\.operand).joined(separator: separator)
    }

    /// The text as part of a larger predicate, with compounds in parentheses.
    private var operand: String {
        switch self {
        case .and(let parts), .or(let parts): parts.count == 1 ? parts[0].operand : "(\(text))"
        case .constant, .comparison, .not: text
        }
    }
}

extension ArchivedComparison {
    var text: String {
        let quantifier =
            switch modifier {
            case .direct: ""
            case .all: "ALL "
            case .any: "ANY "
            }
        return "\(quantifier)\(left.text) \(symbol)\(flags) \(right.text)"
    }

    private var symbol: String {
        switch comparison {
        case .lessThan: "<"
        case .lessThanOrEqual: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqual: ">="
        case .equal: "=="
        case .notEqual: "!="
        case .matches: "MATCHES"
        case .like: "LIKE"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .in: "IN"
        case .contains: "CONTAINS"
        case .between: "BETWEEN"
        case .customSelector: selector ?? "=="
        }
    }

    private var flags: String {
        let letters = [(UInt(1), "c"), (2, "d"), (4, "n"), (8, "l")].filter { options & $0.0 != 0 }.map(\.1)
        return letters.isEmpty ? "" : "[\(letters.joined())]"
    }
}

extension ArchivedExpression {
    /// The expression as text, in the format of `NSExpression`.
    public var text: String {
        switch self {
        case .constant(let value): value.map(Self.constant) ?? "nil"
        case .evaluatedObject: "SELF"
        case .variable(let name): "$" + name
        case .keyPath(let path, of: .evaluatedObject): PredicateText.keyPath(path)
        case .keyPath(let path, let operand): "\(operand.text).\(path)"
        case .function(let selector, let target, let arguments): Self.call(selector, target, arguments)
        case .aggregate(let items): "{\(items.map(\.text).joined(separator: ", "))}"
        case .subquery(let collection, let variable, let predicate):
            "SUBQUERY(\(collection.text), $\(variable), \(predicate.text))"
        case .set(let operation, let left, let right):
            switch operation {
            case .union: "\(left.text) UNION \(right.text)"
            case .intersect: "\(left.text) INTERSECT \(right.text)"
            case .minus: "\(left.text) MINUS \(right.text)"
            }
        case .conditional(let test, let yes, let no): "TERNARY(\(test.text), \(yes.text), \(no.text))"
        case .fetch(let request, let context, let countOnly):
            "FETCH(\(request.text), \(context.text), \(countOnly ? "YES" : "NO"))"
        }
    }

    private static func call(_ selector: String, _ target: ArchivedExpression?, _ arguments: [ArchivedExpression])
        -> String
    {
        if let target {
            let parts = [target.text, PredicateText.quoted(selector)] + arguments.map(\.text)
            return "FUNCTION(\(parts.joined(separator: ", ")))"
        }
        let arithmetic = [
            "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/", "raise:toPower:": "**",
        ]
        if let symbol = arithmetic[selector], arguments.count == 2 {
            return "\(arguments[0].arithmeticOperand) \(symbol) \(arguments[1].arithmeticOperand)"
        }
        return "\(selector)(\(arguments.map(\.text).joined(separator: ", ")))"
    }

    private var arithmeticOperand: String {
        if case .function(let selector, nil, let arguments) = self, arguments.count == 2, selector.hasSuffix(":") {
            return "(\(text))"
        }
        return text
    }

    private static func constant(_ value: ModelValue) -> String {
        switch value {
        case .bool(let flag): flag ? "1" : "0"
        case .integer(let number): "\(number)"
        case .double(let number): PredicateText.number(number)
        case .decimal(let number): "\(number)"
        case .string(let text), .url(let text): PredicateText.quoted(text)
        case .date(let interval): "CAST(\(String(format: "%.6f", interval)), \"NSDate\")"
        case .uuid(let id): PredicateText.quoted(id.uuidString)
        case .data(let data), .archive(let data): "<\(data.map { String(format: "%02x", $0) }.joined())>"
        case .array(let values): "{\(values.map(constant).joined(separator: ", "))}"
        case .dictionary(let entries):
            "{\(entries.sorted(byText: \.key).map { "\($0.key) = \(constant($0.value))" }.joined(separator: "; "))}"
        }
    }
}
