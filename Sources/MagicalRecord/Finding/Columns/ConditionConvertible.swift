import CoreData

extension MagicalRecord {
    /// The result of a closure over columns: a ``MagicalRecord/Condition``, or a Boolean column, which stands for "is true".
    public protocol ConditionConvertible<Root> {
        /// The class of the objects that the condition selects.
        associatedtype Root: NSManagedObject

        /// The condition this value stands for.
        var condition: MagicalRecord.Condition<Root> { get }
    }
}

extension MagicalRecord.Condition: MagicalRecord.ConditionConvertible {
    /// The condition itself.
    public var condition: Self { self }

    /// Creates a condition by a closure over typed columns.
    ///
    /// ```swift
    /// let pals = MagicalRecord.Condition<User> { $0.isFriend && $0.displayName.contains("an", .caseInsensitive) }
    /// ```
    public init<Made: MagicalRecord.ConditionConvertible>(_ make: (MagicalRecord.Columns<Root>) -> Made)
    where Made.Root == Root { self = make(MagicalRecord.Columns()).condition }
}

// Disfavored, so that the compiler tries the operators of two conditions first and stops there: a closure of ten conditions takes
// it 30 ms in place of many seconds.

/// Both conditions.
@_disfavoredOverload
public func && <Left: MagicalRecord.ConditionConvertible, Right: MagicalRecord.ConditionConvertible>(
    left: Left, right: Right
) -> MagicalRecord.Condition<Left.Root> where Left.Root == Right.Root {
    MagicalRecord.Condition(left.condition.node.and(right.condition.node))
}

/// One of the conditions, or both.
@_disfavoredOverload
public func || <Left: MagicalRecord.ConditionConvertible, Right: MagicalRecord.ConditionConvertible>(
    left: Left, right: Right
) -> MagicalRecord.Condition<Left.Root> where Left.Root == Right.Root {
    MagicalRecord.Condition(left.condition.node.or(right.condition.node))
}

/// Not the condition.
@_disfavoredOverload
public prefix func ! <Negated: MagicalRecord.ConditionConvertible>(
    negated: Negated
) -> MagicalRecord.Condition<Negated.Root> { MagicalRecord.Condition(.not(negated.condition.node)) }

// A Boolean column beside a condition that takes its class from the column: `$0.isFriend && .format("balance > 20")`.

/// Both conditions.
@_disfavoredOverload
public func && <Left: MagicalRecord.ConditionConvertible>(
    left: Left, right: MagicalRecord.Condition<Left.Root>
) -> MagicalRecord.Condition<Left.Root> { MagicalRecord.Condition(left.condition.node.and(right.node)) }

/// One of the conditions, or both.
@_disfavoredOverload
public func || <Left: MagicalRecord.ConditionConvertible>(
    left: Left, right: MagicalRecord.Condition<Left.Root>
) -> MagicalRecord.Condition<Left.Root> { MagicalRecord.Condition(left.condition.node.or(right.node)) }
