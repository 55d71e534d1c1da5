import CoreData

/// `key == value`. With `nil`, "has no value"; with a managed object, "is related to".
public func == <Root, Value: MagicalRecord.PredicateValue>(key: KeyPath<Root, Value>, value: Value)
    -> MagicalRecord.Condition<Root>
{
    MagicalRecord.Condition(key, "==", value)
}

/// `key != value`. As in Swift, an object without a value is found, unless `value` is `nil`.
public func != <Root, Value: MagicalRecord.PredicateValue>(key: KeyPath<Root, Value>, value: Value)
    -> MagicalRecord.Condition<Root>
{
    MagicalRecord.Condition(key, "!=", value)
}

/// `key < value`. Objects without a value are not found.
public func < <Root, Value: MagicalRecord.OrderedPredicateValue>(key: KeyPath<Root, Value>, value: Value)
    -> MagicalRecord.Condition<Root>
{
    MagicalRecord.Condition(key, "<", value)
}

/// `key <= value`. Objects without a value are not found.
public func <= <Root, Value: MagicalRecord.OrderedPredicateValue>(key: KeyPath<Root, Value>, value: Value)
    -> MagicalRecord.Condition<Root>
{
    MagicalRecord.Condition(key, "<=", value)
}

/// `key > value`. Objects without a value are not found.
public func > <Root, Value: MagicalRecord.OrderedPredicateValue>(key: KeyPath<Root, Value>, value: Value)
    -> MagicalRecord.Condition<Root>
{
    MagicalRecord.Condition(key, ">", value)
}

/// `key >= value`. Objects without a value are not found.
public func >= <Root, Value: MagicalRecord.OrderedPredicateValue>(key: KeyPath<Root, Value>, value: Value)
    -> MagicalRecord.Condition<Root>
{
    MagicalRecord.Condition(key, ">=", value)
}

/// `key == other key`. Two missing values are equal, as in Swift.
public func == <Root, Value: MagicalRecord.PredicateValue>(key: KeyPath<Root, Value>, other: KeyPath<Root, Value>)
    -> MagicalRecord.Condition<Root>
{
    MagicalRecord.Condition(key, "==", other)
}

/// `key != other key`. A missing value differs from any other.
public func != <Root, Value: MagicalRecord.PredicateValue>(key: KeyPath<Root, Value>, other: KeyPath<Root, Value>)
    -> MagicalRecord.Condition<Root>
{
    MagicalRecord.Condition(key, "!=", other)
}

/// `key < other key`.
public func < <Root, Value: MagicalRecord.OrderedPredicateValue>(
    key: KeyPath<Root, Value>, other: KeyPath<Root, Value>
) -> MagicalRecord.Condition<Root> {
    MagicalRecord.Condition(key, "<", other)
}

/// `key <= other key`.
public func <= <Root, Value: MagicalRecord.OrderedPredicateValue>(
    key: KeyPath<Root, Value>, other: KeyPath<Root, Value>
) -> MagicalRecord.Condition<Root> {
    MagicalRecord.Condition(key, "<=", other)
}

/// `key > other key`.
public func > <Root, Value: MagicalRecord.OrderedPredicateValue>(
    key: KeyPath<Root, Value>, other: KeyPath<Root, Value>
) -> MagicalRecord.Condition<Root> {
    MagicalRecord.Condition(key, ">", other)
}

/// `key >= other key`.
public func >= <Root, Value: MagicalRecord.OrderedPredicateValue>(
    key: KeyPath<Root, Value>, other: KeyPath<Root, Value>
) -> MagicalRecord.Condition<Root> {
    MagicalRecord.Condition(key, ">=", other)
}

/// `to-one == object`, by the object's ID: for objects of another context.
public func == <Root, Value: NSManagedObject>(key: KeyPath<Root, Value?>, id: NSManagedObjectID)
    -> MagicalRecord.Condition<Root>
{
    MagicalRecord.Condition(.comparison(.path(KeyPathName.of(key)), "==", .constant(id)))
}

/// `to-one != object`, by the object's ID: for objects of another context. Where nothing is related that is true.
public func != <Root, Value: NSManagedObject>(key: KeyPath<Root, Value?>, id: NSManagedObjectID)
    -> MagicalRecord.Condition<Root>
{
    MagicalRecord.Condition(.comparison(.path(KeyPathName.of(key)), "!=", .constant(id)))
}

extension MagicalRecord.Condition {
    fileprivate init<Value: MagicalRecord.PredicateValue>(
        _ key: KeyPath<Root, Value>, _ operation: String, _ value: Value
    ) {
        self.init(.comparison(.path(KeyPathName.of(key)), operation, .value(value)))
    }

    fileprivate init<Value>(_ key: KeyPath<Root, Value>, _ operation: String, _ other: KeyPath<Root, Value>) {
        self.init(.comparison(.path(KeyPathName.of(key)), operation, .path(KeyPathName.of(other))))
    }
}
