import CoreData

/// A computed value in a condition: the number of related objects, the length of a text, a sum.
///
/// ```swift
/// ToMany(\Author.books).count > 3
/// QueryExpression(length: \User.name) <= 20
/// ```
public struct QueryExpression<Root: NSManagedObject, Value> {
    let operand: ConditionNode.Operand

    init(_ operand: ConditionNode.Operand) {
        self.operand = operand
    }

    private func compared(_ operation: String, _ value: some PredicateValue) -> Condition<Root> {
        Condition(.comparison(operand, operation, .value(value)))
    }

    /// Equal to a value.
    public static func == (expression: Self, value: Value) -> Condition<Root> where Value: PredicateValue {
        expression.compared("==", value)
    }

    /// Not equal to a value.
    public static func != (expression: Self, value: Value) -> Condition<Root> where Value: PredicateValue {
        expression.compared("!=", value)
    }

    /// Less than a value.
    public static func < (expression: Self, value: Value) -> Condition<Root> where Value: OrderedPredicateValue {
        expression.compared("<", value)
    }

    /// Less than a value, or equal to it.
    public static func <= (expression: Self, value: Value) -> Condition<Root> where Value: OrderedPredicateValue {
        expression.compared("<=", value)
    }

    /// Greater than a value.
    public static func > (expression: Self, value: Value) -> Condition<Root> where Value: OrderedPredicateValue {
        expression.compared(">", value)
    }

    /// Greater than a value, or equal to it.
    public static func >= (expression: Self, value: Value) -> Condition<Root> where Value: OrderedPredicateValue {
        expression.compared(">=", value)
    }
}

extension QueryExpression where Value == Int {
    /// The number of characters of a text.
    public init<Text: TextPredicateValue>(length key: KeyPath<Root, Text>) {
        self.init(.function("length:", [.path(KeyPathName.of(key))]))
    }
}

extension QueryExpression where Value == String {
    /// A text in lower case.
    public init<Text: TextPredicateValue>(lowercased key: KeyPath<Root, Text>) {
        self.init(.function("lowercase:", [.path(KeyPathName.of(key))]))
    }

    /// A text in upper case.
    public init<Text: TextPredicateValue>(uppercased key: KeyPath<Root, Text>) {
        self.init(.function("uppercase:", [.path(KeyPathName.of(key))]))
    }
}
