import CoreData

// Comparisons of a column with a value.

extension MagicalRecord.Column {
    func compared(_ operation: String, _ other: ConditionNode.Operand) -> MagicalRecord.Condition<Root> {
        MagicalRecord.Condition(.comparison(columnOperand, operation, other))
    }
}

extension MagicalRecord.Column where Value: MagicalRecord.PredicateValue {
    /// `key == value`. With `nil`, "has no value"; with a managed object, "is related to".
    public static func == (column: Self, value: Value) -> MagicalRecord.Condition<Root> {
        column.compared("==", .value(value))
    }

    /// `key != value`. As in Swift, an object without a value is found, unless `value` is `nil`.
    public static func != (column: Self, value: Value) -> MagicalRecord.Condition<Root> {
        column.compared("!=", .value(value))
    }

    /// Returns the condition that the value is one of `values`. A `nil` among them finds objects without a value.
    public func `in`(_ values: some Sequence<Value>) -> MagicalRecord.Condition<Root> {
        compared("IN", .values(values))
    }

    /// Returns the condition that the value is one of `values`, for an optional column.
    public func `in`<Wrapped: MagicalRecord.PredicateValue>(_ values: some Sequence<Wrapped>)
        -> MagicalRecord.Condition<Root>
    where Value == Wrapped? {
        compared("IN", .presentValues(values))
    }
}

extension MagicalRecord.Column where Value: MagicalRecord.OrderedPredicateValue {
    /// `key < value`. Objects without a value are not found.
    public static func < (column: Self, value: Value) -> MagicalRecord.Condition<Root> {
        column.compared("<", .value(value))
    }

    /// `key <= value`. Objects without a value are not found.
    public static func <= (column: Self, value: Value) -> MagicalRecord.Condition<Root> {
        column.compared("<=", .value(value))
    }

    /// `key > value`. Objects without a value are not found.
    public static func > (column: Self, value: Value) -> MagicalRecord.Condition<Root> {
        column.compared(">", .value(value))
    }

    /// `key >= value`. Objects without a value are not found.
    public static func >= (column: Self, value: Value) -> MagicalRecord.Condition<Root> {
        column.compared(">=", .value(value))
    }

    /// Returns the condition `key BETWEEN {lower, upper}`. Both bounds are included.
    public func between(_ range: ClosedRange<Value>) -> MagicalRecord.Condition<Root> where Value: Comparable {
        compared("BETWEEN", .presentValues([range.lowerBound, range.upperBound]))
    }

    /// Returns the condition `key BETWEEN {lower, upper}`, for an optional column.
    public func between<Wrapped: MagicalRecord.OrderedPredicateValue>(_ range: ClosedRange<Wrapped>)
        -> MagicalRecord.Condition<Root>
    where Value == Wrapped? {
        compared("BETWEEN", .presentValues([range.lowerBound, range.upperBound]))
    }
}

extension MagicalRecord.Column where Value: NSManagedObject {
    /// `to-one == object`, by the object's ID: for objects of another context.
    public static func == (column: Self, id: NSManagedObjectID) -> MagicalRecord.Condition<Root> {
        column.compared("==", .constant(id))
    }

    /// `to-one != object`, by the object's ID.
    public static func != (column: Self, id: NSManagedObjectID) -> MagicalRecord.Condition<Root> {
        column.compared("!=", .constant(id))
    }
}

extension MagicalRecord.Column {
    /// `to-one == object`, by the object's ID: for objects of another context.
    public static func == <Related: NSManagedObject>(column: Self, id: NSManagedObjectID)
        -> MagicalRecord.Condition<Root>
    where Value == Related? {
        column.compared("==", .constant(id))
    }

    /// `to-one != object`, by the object's ID. Where nothing is related that is true.
    public static func != <Related: NSManagedObject>(column: Self, id: NSManagedObjectID)
        -> MagicalRecord.Condition<Root>
    where Value == Related? {
        column.compared("!=", .constant(id))
    }

    /// Returns the condition that the related object's ID is one of `ids`.
    public func `in`<Related: NSManagedObject>(_ ids: some Sequence<NSManagedObjectID>) -> MagicalRecord.Condition<Root>
    where Value == Related? {
        compared("IN", .list(Array(ids)))
    }
}
