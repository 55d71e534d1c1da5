import Foundation

/// Encodes predicates and expressions as the objects that Foundation archives for them.
extension KeyedArchiveBuilder {
    mutating func add(predicate: ArchivedPredicate) -> PropertyListNode {
        switch predicate {
        case .constant(let value): return add(class: value ? "NSTruePredicate" : "NSFalsePredicate", [:])
        case .and(let parts): return add(compound: 1, parts)
        case .or(let parts): return add(compound: 2, parts)
        case .not(let part): return add(compound: 0, [part])
        case .comparison(let comparison):
            return add(
                class: "NSComparisonPredicate",
                [
                    "NSLeftExpression": add(expression: comparison.left),
                    "NSRightExpression": add(expression: comparison.right),
                    "NSPredicateOperator": add(operatorOf: comparison),
                ])
        }
    }

    private mutating func add(compound type: Int64, _ parts: [ArchivedPredicate]) -> PropertyListNode {
        let references = parts.map { add(predicate: $0) }
        return add(
            class: "NSCompoundPredicate",
            ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": add(array: references)])
    }

    private mutating func add(operatorOf comparison: ArchivedComparison) -> PropertyListNode {
        var values: [String: PropertyListNode] = [
            "NSOperatorType": .integer(Int64(comparison.comparison.rawValue)),
            "NSModifier": .integer(Int64(comparison.modifier.rawValue)),
        ]
        let options = PropertyListNode.integer(Int64(comparison.options))
        switch comparison.comparison {
        case .equal, .notEqual:
            values["NSNegate"] = .bool(comparison.comparison == .notEqual)
            values["NSOptions"] = options
            return add(class: "NSEqualityPredicateOperator", values)
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            values["NSVariant"] = .integer(Int64(comparison.comparison.rawValue))
            values["NSOptions"] = options
            return add(class: "NSComparisonPredicateOperator", values)
        case .like:
            values["NSFlags"] = options
            return add(class: "NSLikePredicateOperator", values)
        case .matches:
            values["NSFlags"] = options
            return add(class: "NSMatchingPredicateOperator", values)
        case .beginsWith, .endsWith:
            values["NSFlags"] = options
            values["NSPosition"] = .integer(comparison.comparison == .beginsWith ? 0 : 1)
            return add(class: "NSSubstringPredicateOperator", values)
        case .in, .contains:
            values["NSFlags"] = options
            return add(class: "NSInPredicateOperator", values)
        case .between:
            return add(class: "NSBetweenPredicateOperator", values)
        case .customSelector:
            values["NSSelectorName"] = add(string: comparison.selector ?? "")
            return add(class: "NSCustomPredicateOperator", values)
        }
    }

    mutating func add(expression: ArchivedExpression) -> PropertyListNode {
        switch expression {
        case .constant(let value):
            return add(
                class: "NSConstantValueExpression",
                ["NSExpressionType": .integer(0), "NSConstantValue": add(value: value)])
        case .evaluatedObject:
            return add(class: "NSSelfExpression", ["NSExpressionType": .integer(1)])
        case .variable(let name):
            return add(
                class: "NSVariableExpression", ["NSExpressionType": .integer(2), "NSVariable": add(string: name)])
        case .keyPath(let path, let operand):
            let specifier = add(
                class: "NSKeyPathSpecifierExpression",
                ["NSExpressionType": .integer(10), "NSKeyPath": add(string: path)])
            let isOwn = operand == .evaluatedObject
            return add(
                class: "NSKeyPathExpression",
                [
                    "NSExpressionType": .integer(isOwn ? 3 : 4),
                    "NSOperand": add(expression: operand),
                    "NSSelectorName": add(string: isOwn && !path.contains(".") ? "valueForKey:" : "valueForKeyPath:"),
                    "NSArguments": add(array: [specifier], class: "NSMutableArray"),
                ])
        case .function(let selector, let target, let arguments):
            let operand =
                if let target {
                    add(expression: target)
                } else {
                    add(
                        class: "NSConstantValueExpression",
                        [
                            "NSExpressionType": .integer(0),
                            "NSConstantValueClassName": add(string: "_NSPredicateUtilities"),
                        ])
                }
            let references = arguments.map { add(expression: $0) }
            return add(
                class: "NSFunctionExpression",
                [
                    "NSExpressionType": .integer(4), "NSOperand": operand, "NSSelectorName": add(string: selector),
                    "NSArguments": add(array: references),
                ])
        case .aggregate(let items):
            let references = items.map { add(expression: $0) }
            return add(
                class: "NSAggregateExpression",
                ["NSExpressionType": .integer(14), "NSCollection": add(array: references)])
        case .subquery(let collection, let variable, let predicate):
            return add(
                class: "NSSubqueryExpression",
                [
                    "NSExpressionType": .integer(13), "NSExpression": add(expression: collection),
                    "NSVariable": add(string: variable), "NSPredicate": add(predicate: predicate),
                ])
        case .set(let operation, let left, let right):
            return add(
                class: "NSSetExpression",
                [
                    "NSExpressionType": .integer(Int64(operation.rawValue)),
                    "NSLeftExpression": add(expression: left), "NSRightExpression": add(expression: right),
                ])
        case .conditional(let test, let yes, let no):
            return add(
                class: "NSTernaryExpression",
                [
                    "NSExpressionType": .integer(20), "NSPredicate": add(predicate: test),
                    "NSTrueExpression": add(expression: yes), "NSFalseExpression": add(expression: no),
                ])
        case .fetch(let request, let context, let countOnly):
            return add(
                class: "NSFetchRequestExpression",
                [
                    "NSExpressionType": .integer(50), "NSFRExpression": add(expression: request),
                    "NSMOCExpression": add(expression: context), "NSCountOnlyFlag": .bool(countOnly),
                ])
        }
    }
}
