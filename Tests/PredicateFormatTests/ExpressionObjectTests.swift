import PredicateFormat
import Testing

@Suite struct ExpressionObjectTests {
    @Test func kindsAndProperties() throws {
        let constant = NSExpression(forConstantValue: 3)
        #expect(constant.expressionType == .constantValue)
        #expect(constant.constantValue as? Int == 3)
        #expect(NSExpression(forConstantValue: nil).constantValue == nil)
        #expect(NSExpression.expressionForEvaluatedObject().expressionType == .evaluatedObject)
        let variable = NSExpression(forVariable: "x")
        #expect(variable.expressionType == .variable && variable.variable == "x")
        let path = NSExpression(forKeyPath: "a.b")
        #expect(path.expressionType == .keyPath && path.keyPath == "a.b")
        let function = NSExpression(forFunction: "sum:", arguments: [path])
        #expect(function.expressionType == .function && function.function == "sum:")
        #expect(function.arguments == [path])
        let aggregate = NSExpression(forAggregate: [constant, path, 5])
        #expect(aggregate.expressionType == .aggregate)
        #expect((aggregate.collection as? [NSExpression])?.count == 3)
        let union = NSExpression(forUnionSet: aggregate, with: path)
        #expect(union.expressionType == .unionSet && union.left == aggregate && union.right == path)
        #expect(NSExpression(forIntersectSet: path, with: path).expressionType == .intersectSet)
        #expect(NSExpression(forMinusSet: path, with: path).expressionType == .minusSet)
        let predicate = NSPredicate(format: "$x.p > 1")
        let subquery = NSExpression(forSubquery: path, usingIteratorVariable: "x", predicate: predicate)
        #expect(subquery.expressionType == .subquery && subquery.variable == "x" && subquery.predicate == predicate)
        #expect(subquery.description == "SUBQUERY(a.b, $x, $x.p > 1)")
        let conditional = NSExpression(forConditional: predicate, trueExpression: path, falseExpression: constant)
        #expect(conditional.expressionType == .conditional)
        #expect(conditional.true == path && conditional.false == constant)
        #expect(NSExpression.expressionForAnyKey().expressionType == .anyKey)
    }

    @Test func blocksAndMessages() {
        let block = NSExpression(
            block: { object, arguments, _ in "\(object ?? "")\(arguments)" },
            arguments: [NSExpression(forConstantValue: 1)])
        #expect(block.expressionType == .block)
        #expect(block.expressionValue(with: "o", context: nil) as? String == "o[1]")
        let target = NSExpression(forKeyPath: "name")
        let message = NSExpression(forFunction: target, selectorName: "uppercaseString", arguments: nil)
        #expect(message.expressionValue(with: ["name": "a"], context: nil) as? String == "A")
        #expect(message.operand == target)
        #expect(message.description == "FUNCTION(name, \"uppercaseString\")")
    }

    @Test func textOfNamesWithQuotesParsesBack() throws {
        let expression = try NSExpression.parse("FUNCTION($v, 'a\"b:', 'c\"d')")
        #expect(try NSExpression.parse(expression.description) == expression)
    }

    @Test func contextHoldsVariables() {
        let context = NSMutableDictionary()
        context["x"] = 3
        #expect(NSExpression(format: "$x + 1").expressionValue(with: nil, context: context) as? Int == 4)
        #expect(NSExpression(format: "$y := 7").expressionValue(with: nil, context: context) as? Int == 7)
        #expect(context["y"] as? Int == 7)
    }

    @Test func aggregatesOfObjects() {
        let expression = NSExpression(forFunction: "average:", arguments: [NSExpression(forKeyPath: "items.price")])
        #expect(
            expression.expressionValue(with: ["items": [["price": 1], ["price": 2]]], context: nil) as? Double == 1.5)
    }

    @Test func keyPathsOfSwift() {
        struct Person { var name: String }
        #expect(NSExpression(forKeyPath: \Person.name).keyPath == "name")
    }

    @Test func wrongKindTraps() async {
        await #expect(processExitsWith: .failure) { _ = NSExpression(forKeyPath: "a").constantValue }
    }
}
