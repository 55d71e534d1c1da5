import CoreData

extension MagicalRecord.Column {
    func compared(_ operation: String, _ other: ConditionNode.Operand) -> MagicalRecord.Condition<Root> {
        MagicalRecord.Condition(.comparison(columnOperand, operation, other))
    }

    fileprivate func compared(
        _ operation: String, _ value: some MagicalRecord.PredicateValue
    ) -> MagicalRecord.Condition<Root> { compared(operation, .value(value)) }

    fileprivate func compared(
        _ operation: String, _ other: MagicalRecord.Column<Root, some Any>
    ) -> MagicalRecord.Condition<Root> { compared(operation, other.columnOperand) }
}

// Comparisons with a value.

extension MagicalRecord.Column where Value: MagicalRecord.PredicateValue {
    /// `key == value`. With `nil`, "has no value"; with a managed object, "is related to".
    public static func == (key: Self, value: Value) -> MagicalRecord.Condition<Root> { key.compared("==", value) }

    /// `key != value`. As in Swift, an object without a value is found, unless `value` is `nil`.
    public static func != (key: Self, value: Value) -> MagicalRecord.Condition<Root> { key.compared("!=", value) }

    /// Returns the condition that the value is one of `values`. A `nil` among them finds objects without a value.
    public func `in`(_ values: some Sequence<Value>) -> MagicalRecord.Condition<Root> {
        compared("IN", .values(values))
    }

    /// Returns the condition that the value is one of `values`, for an optional column.
    public func `in`<Wrapped: MagicalRecord.PredicateValue>(_ values: some Sequence<Wrapped>)
        -> MagicalRecord.Condition<Root>
    where Value == Wrapped? { compared("IN", .presentValues(values)) }
}

extension MagicalRecord.Column where Value: MagicalRecord.OrderedPredicateValue {
    /// `key < value`. Objects without a value are not found.
    public static func < (key: Self, value: Value) -> MagicalRecord.Condition<Root> { key.compared("<", value) }

    /// `key <= value`. Objects without a value are not found.
    public static func <= (key: Self, value: Value) -> MagicalRecord.Condition<Root> { key.compared("<=", value) }

    /// `key > value`. Objects without a value are not found.
    public static func > (key: Self, value: Value) -> MagicalRecord.Condition<Root> { key.compared(">", value) }

    /// `key >= value`. Objects without a value are not found.
    public static func >= (key: Self, value: Value) -> MagicalRecord.Condition<Root> { key.compared(">=", value) }

    /// Returns the condition `key BETWEEN {lower, upper}`. Both bounds are included.
    public func between(_ range: ClosedRange<Value>) -> MagicalRecord.Condition<Root> where Value: Comparable {
        compared("BETWEEN", .presentValues([range.lowerBound, range.upperBound]))
    }

    /// Returns the condition `key BETWEEN {lower, upper}`, for an optional column.
    public func between<Wrapped: MagicalRecord.OrderedPredicateValue>(_ range: ClosedRange<Wrapped>)
        -> MagicalRecord.Condition<Root>
    where Value == Wrapped? { compared("BETWEEN", .presentValues([range.lowerBound, range.upperBound])) }
}

// Comparisons with an object of another context, by its ID.

extension MagicalRecord.Column where Value: NSManagedObject {
    /// `to-one == object`, by the object's ID: for objects of another context.
    public static func == (key: Self, id: NSManagedObjectID) -> MagicalRecord.Condition<Root> { key.compared("==", id) }

    /// `to-one != object`, by the object's ID.
    public static func != (key: Self, id: NSManagedObjectID) -> MagicalRecord.Condition<Root> { key.compared("!=", id) }
}

extension MagicalRecord.Column {
    /// `to-one == object`, by the object's ID: for objects of another context.
    public static func == <Related: NSManagedObject>(key: Self, id: NSManagedObjectID) -> MagicalRecord.Condition<Root>
    where Value == Related? { key.compared("==", id) }

    /// `to-one != object`, by the object's ID. Where nothing is related that is true.
    public static func != <Related: NSManagedObject>(key: Self, id: NSManagedObjectID) -> MagicalRecord.Condition<Root>
    where Value == Related? { key.compared("!=", id) }

    /// Returns the condition that the related object's ID is one of `ids`.
    public func `in`<Related: NSManagedObject>(_ ids: some Sequence<NSManagedObjectID>) -> MagicalRecord.Condition<Root>
    where Value == Related? { compared("IN", .list(Array(ids))) }
}

// Comparisons of two columns. Two missing values are equal; a missing value differs from any other, and is neither less nor
// greater.

extension MagicalRecord.Column where Value: MagicalRecord.PredicateValue {
    /// `key == other key`.
    public static func == (key: Self, other: Self) -> MagicalRecord.Condition<Root> { key.compared("==", other) }

    /// `key == other key`, which may have no value.
    public static func == (key: Self, other: MagicalRecord.Column<Root, Value?>) -> MagicalRecord.Condition<Root> {
        key.compared("==", other)
    }

    /// `key == other key`, of which the first may have no value.
    public static func == (key: MagicalRecord.Column<Root, Value?>, other: Self) -> MagicalRecord.Condition<Root> {
        key.compared("==", other)
    }

    /// `key != other key`.
    public static func != (key: Self, other: Self) -> MagicalRecord.Condition<Root> { key.compared("!=", other) }

    /// `key != other key`, which may have no value.
    public static func != (key: Self, other: MagicalRecord.Column<Root, Value?>) -> MagicalRecord.Condition<Root> {
        key.compared("!=", other)
    }

    /// `key != other key`, of which the first may have no value.
    public static func != (key: MagicalRecord.Column<Root, Value?>, other: Self) -> MagicalRecord.Condition<Root> {
        key.compared("!=", other)
    }
}

extension MagicalRecord.Column where Value: MagicalRecord.OrderedPredicateValue {
    /// `key < other key`.
    public static func < (key: Self, other: Self) -> MagicalRecord.Condition<Root> { key.compared("<", other) }

    /// `key < other key`, which may have no value.
    public static func < (key: Self, other: MagicalRecord.Column<Root, Value?>) -> MagicalRecord.Condition<Root> {
        key.compared("<", other)
    }

    /// `key < other key`, of which the first may have no value.
    public static func < (key: MagicalRecord.Column<Root, Value?>, other: Self) -> MagicalRecord.Condition<Root> {
        key.compared("<", other)
    }

    /// `key <= other key`.
    public static func <= (key: Self, other: Self) -> MagicalRecord.Condition<Root> { key.compared("<=", other) }

    /// `key <= other key`, which may have no value.
    public static func <= (key: Self, other: MagicalRecord.Column<Root, Value?>) -> MagicalRecord.Condition<Root> {
        key.compared("<=", other)
    }

    /// `key <= other key`, of which the first may have no value.
    public static func <= (key: MagicalRecord.Column<Root, Value?>, other: Self) -> MagicalRecord.Condition<Root> {
        key.compared("<=", other)
    }

    /// `key > other key`.
    public static func > (key: Self, other: Self) -> MagicalRecord.Condition<Root> { key.compared(">", other) }

    /// `key > other key`, which may have no value.
    public static func > (key: Self, other: MagicalRecord.Column<Root, Value?>) -> MagicalRecord.Condition<Root> {
        key.compared(">", other)
    }

    /// `key > other key`, of which the first may have no value.
    public static func > (key: MagicalRecord.Column<Root, Value?>, other: Self) -> MagicalRecord.Condition<Root> {
        key.compared(">", other)
    }

    /// `key >= other key`.
    public static func >= (key: Self, other: Self) -> MagicalRecord.Condition<Root> { key.compared(">=", other) }

    /// `key >= other key`, which may have no value.
    public static func >= (key: Self, other: MagicalRecord.Column<Root, Value?>) -> MagicalRecord.Condition<Root> {
        key.compared(">=", other)
    }

    /// `key >= other key`, of which the first may have no value.
    public static func >= (key: MagicalRecord.Column<Root, Value?>, other: Self) -> MagicalRecord.Condition<Root> {
        key.compared(">=", other)
    }
}
