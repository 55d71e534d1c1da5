import CoreData

// Enumerations, and other types with a raw value, are compared by it.

extension MagicalRecord.Column where Value: RawRepresentable, Value.RawValue: MagicalRecord.PredicateValue {
    /// `key == value`, by the raw value. Objects without a value are not found.
    public static func == (key: Self, value: Value) -> MagicalRecord.Condition<Root> {
        key.compared("==", .value(value.rawValue))
    }

    /// `key != value`, by the raw value. As in Swift, an object without a value is found.
    public static func != (key: Self, value: Value) -> MagicalRecord.Condition<Root> {
        key.compared("!=", .value(value.rawValue))
    }

    /// Returns the condition that the value is one of `values`, by their raw values.
    public func `in`(_ values: some Sequence<Value>) -> MagicalRecord.Condition<Root> {
        compared("IN", .values(values.map(\.rawValue)))
    }
}

extension MagicalRecord.Column {
    /// `key == value`, by the raw value. With `nil`, "has no value".
    public static func == <Raw: RawRepresentable>(key: Self, value: Value) -> MagicalRecord.Condition<Root>
    where Value == Raw?, Raw.RawValue: MagicalRecord.PredicateValue { key.compared("==", .value(value?.rawValue)) }

    /// `key != value`, by the raw value. As in Swift, an object without a value is found, unless `value` is `nil`.
    public static func != <Raw: RawRepresentable>(key: Self, value: Value) -> MagicalRecord.Condition<Root>
    where Value == Raw?, Raw.RawValue: MagicalRecord.PredicateValue { key.compared("!=", .value(value?.rawValue)) }

    /// Returns the condition that the value is one of `values`, by their raw values, for an optional column.
    public func `in`<Raw: RawRepresentable>(_ values: some Sequence<Raw>) -> MagicalRecord.Condition<Root>
    where Value == Raw?, Raw.RawValue: MagicalRecord.PredicateValue {
        compared("IN", .values(values.map(\.rawValue)))
    }
}

// Values of any other type, which are stored as JSON for example.

extension MagicalRecord.Column {
    /// `key == nil`: there is no value.
    public static func == <Wrapped>(key: Self, _: _OptionalNilComparisonType) -> MagicalRecord.Condition<Root>
    where Value == Wrapped? { key.compared("==", .constant(nil)) }

    /// `key != nil`: there is a value.
    public static func != <Wrapped>(key: Self, _: _OptionalNilComparisonType) -> MagicalRecord.Condition<Root>
    where Value == Wrapped? { key.compared("!=", .constant(nil)) }
}

// A type that is declared as a `PredicateValue` too fits the comparisons above and those of `PredicateValue`. These decide.

extension MagicalRecord.Column
where Value: RawRepresentable & MagicalRecord.PredicateValue, Value.RawValue: MagicalRecord.PredicateValue {
    /// `key == value`. Objects without a value are not found.
    public static func == (key: Self, value: Value) -> MagicalRecord.Condition<Root> {
        key.compared("==", .value(value))
    }

    /// `key != value`. As in Swift, an object without a value is found.
    public static func != (key: Self, value: Value) -> MagicalRecord.Condition<Root> {
        key.compared("!=", .value(value))
    }

    /// Returns the condition that the value is one of `values`.
    public func `in`(_ values: some Sequence<Value>) -> MagicalRecord.Condition<Root> {
        compared("IN", .values(values))
    }
}

extension MagicalRecord.Column {
    /// `key == value`. With `nil`, "has no value".
    public static func == <Raw: RawRepresentable & MagicalRecord.PredicateValue>(
        key: Self, value: Value
    ) -> MagicalRecord.Condition<Root>
    where Value == Raw?, Raw.RawValue: MagicalRecord.PredicateValue { key.compared("==", .value(value)) }

    /// `key != value`. As in Swift, an object without a value is found, unless `value` is `nil`.
    public static func != <Raw: RawRepresentable & MagicalRecord.PredicateValue>(
        key: Self, value: Value
    ) -> MagicalRecord.Condition<Root>
    where Value == Raw?, Raw.RawValue: MagicalRecord.PredicateValue { key.compared("!=", .value(value)) }

    /// Returns the condition that the value is one of `values`, for an optional column.
    public func `in`<Raw: RawRepresentable & MagicalRecord.PredicateValue>(
        _ values: some Sequence<Raw>
    ) -> MagicalRecord.Condition<Root>
    where Value == Raw?, Raw.RawValue: MagicalRecord.PredicateValue { compared("IN", .presentValues(values)) }
}
