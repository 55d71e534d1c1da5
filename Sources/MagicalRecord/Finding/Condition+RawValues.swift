import CoreData

// Enumerations, and other types with a raw value, are compared by it.

/// `key == value`, by the raw value. Objects without a value are not found.
public func == <Root, Value: RawRepresentable>(
    key: KeyPath<Root, Value>, value: Value
) -> MagicalRecord.Condition<Root> where Value.RawValue: MagicalRecord.PredicateValue {
    MagicalRecord.Columns<Root>()[dynamicMember: key] == value
}

/// `key != value`, by the raw value. As in Swift, an object without a value is found.
public func != <Root, Value: RawRepresentable>(
    key: KeyPath<Root, Value>, value: Value
) -> MagicalRecord.Condition<Root> where Value.RawValue: MagicalRecord.PredicateValue {
    MagicalRecord.Columns<Root>()[dynamicMember: key] != value
}

/// `key == value`, by the raw value. With `nil`, "has no value".
public func == <Root, Value: RawRepresentable>(
    key: KeyPath<Root, Value?>, value: Value?
) -> MagicalRecord.Condition<Root> where Value.RawValue: MagicalRecord.PredicateValue {
    MagicalRecord.Columns<Root>()[dynamicMember: key] == value
}

/// `key != value`, by the raw value. As in Swift, an object without a value is found, unless `value` is `nil`.
public func != <Root, Value: RawRepresentable>(
    key: KeyPath<Root, Value?>, value: Value?
) -> MagicalRecord.Condition<Root> where Value.RawValue: MagicalRecord.PredicateValue {
    MagicalRecord.Columns<Root>()[dynamicMember: key] != value
}

// A type that is declared as a `PredicateValue` too fits the comparisons above and those of `PredicateValue`. These decide.

/// `key == value`. Objects without a value are not found.
public func == <Root, Value: RawRepresentable & MagicalRecord.PredicateValue>(
    key: KeyPath<Root, Value>, value: Value
) -> MagicalRecord.Condition<Root> where Value.RawValue: MagicalRecord.PredicateValue {
    MagicalRecord.Columns<Root>()[dynamicMember: key] == value
}

/// `key != value`. As in Swift, an object without a value is found.
public func != <Root, Value: RawRepresentable & MagicalRecord.PredicateValue>(
    key: KeyPath<Root, Value>, value: Value
) -> MagicalRecord.Condition<Root> where Value.RawValue: MagicalRecord.PredicateValue {
    MagicalRecord.Columns<Root>()[dynamicMember: key] != value
}

/// `key == value`. With `nil`, "has no value".
public func == <Root, Value: RawRepresentable & MagicalRecord.PredicateValue>(
    key: KeyPath<Root, Value?>, value: Value?
) -> MagicalRecord.Condition<Root> where Value.RawValue: MagicalRecord.PredicateValue {
    MagicalRecord.Columns<Root>()[dynamicMember: key] == value
}

/// `key != value`. As in Swift, an object without a value is found, unless `value` is `nil`.
public func != <Root, Value: RawRepresentable & MagicalRecord.PredicateValue>(
    key: KeyPath<Root, Value?>, value: Value?
) -> MagicalRecord.Condition<Root> where Value.RawValue: MagicalRecord.PredicateValue {
    MagicalRecord.Columns<Root>()[dynamicMember: key] != value
}
