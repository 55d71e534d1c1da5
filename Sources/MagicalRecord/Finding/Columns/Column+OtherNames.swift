import CoreData

// Conditions as they are written about Swift's own texts and collections. The compiler's messages say what to write, and it
// lets no code call these. `callAsFunction` is not among them: with it, Swift 6.3 crashes at calls of members that do not exist.

extension MagicalRecord.Column where Value: MagicalRecord._TextValue {
    @available(*, unavailable, renamed: "beginsWith(_:_:)")
    public func hasPrefix(_: String) -> MagicalRecord.Condition<Root> { fatalError() }
    @available(*, unavailable, renamed: "beginsWith(_:_:)")
    public func starts(with _: String) -> MagicalRecord.Condition<Root> { fatalError() }
    @available(*, unavailable, renamed: "endsWith(_:_:)")
    public func hasSuffix(_: String) -> MagicalRecord.Condition<Root> { fatalError() }
    @available(*, unavailable, message: "write contains(text, .caseInsensitive)")
    public func localizedCaseInsensitiveContains(_: String) -> MagicalRecord.Condition<Root> { fatalError() }
    @available(*, unavailable, message: "write contains(text, .insensitive)")
    public func localizedStandardContains(_: String) -> MagicalRecord.Condition<Root> { fatalError() }
    @available(*, unavailable, message: "write like(pattern), or matches(expression) for a regular expression")
    public static func ~= (_: Self, _: String) -> MagicalRecord.Condition<Root> { fatalError() }

    @available(*, unavailable, renamed: "length")
    public var count: MagicalRecord.Column<Root, Int?> { fatalError() }
    // The parameter tells these from the properties.
    @available(*, unavailable, message: "write lowercased, without parentheses")
    public func lowercased(_: Never? = nil) -> Self { fatalError() }
    @available(*, unavailable, message: "write uppercased, without parentheses")
    public func uppercased(_: Never? = nil) -> Self { fatalError() }
}

extension MagicalRecord.Column where Value: Numeric {
    @available(*, unavailable, message: "a property that is not optional is never nil; write .format(\"name == nil\")")
    public static func == (_: Self, _: _OptionalNilComparisonType) -> MagicalRecord.Condition<Root> { fatalError() }
    @available(*, unavailable, message: "a property that is not optional is never nil; write .format(\"name != nil\")")
    public static func != (_: Self, _: _OptionalNilComparisonType) -> MagicalRecord.Condition<Root> { fatalError() }
}

extension MagicalRecord.Column where Value: MagicalRecord._ToManyValue {
    @available(*, unavailable, message: "a to-many relationship is never nil; write $0.messages.isEmpty")
    public static func == (_: Self, _: _OptionalNilComparisonType) -> MagicalRecord.Condition<Root> { fatalError() }
    @available(*, unavailable, message: "a to-many relationship is never nil; write !$0.messages.isEmpty")
    public static func != (_: Self, _: _OptionalNilComparisonType) -> MagicalRecord.Condition<Root> { fatalError() }
}

extension MagicalRecord.Column where Value: MagicalRecord._TypedToManyValue {
    @available(*, unavailable, message: "several objects are related; write any { $0.length > 3 }, all or none")
    public subscript<Property>(
        dynamicMember _: KeyPath<Value.Related, Property>
    ) -> MagicalRecord.Column<Root, Property?> { fatalError() }

    @available(*, unavailable, renamed: "any(_:)")
    public func contains<Made: MagicalRecord.ConditionConvertible>(
        where _: (MagicalRecord.Columns<Value.Related>) -> Made
    ) -> MagicalRecord.Condition<Root> where Made.Root == Value.Related { fatalError() }
    @available(*, unavailable, renamed: "all(_:)")
    public func allSatisfy<Made: MagicalRecord.ConditionConvertible>(
        _: (MagicalRecord.Columns<Value.Related>) -> Made
    ) -> MagicalRecord.Condition<Root> where Made.Root == Value.Related { fatalError() }
    @available(*, unavailable, message: "write any { … }, or count(where: { … })")
    public func filter<Made: MagicalRecord.ConditionConvertible>(
        _: (MagicalRecord.Columns<Value.Related>) -> Made
    ) -> Self where Made.Root == Value.Related { fatalError() }
}

extension MagicalRecord {
    /// The objects of an `NSSet` or `NSOrderedSet` of which the condition does not give the class, as `of(Message.self)` does.
    public enum _ClassUnknownWithoutOf {}
}

extension MagicalRecord.Column where Value: MagicalRecord._UntypedToManyValue {
    @available(*, unavailable, message: "write of(Message.self).any { … }, with the class of the related objects")
    public func any(_: (MagicalRecord._ClassUnknownWithoutOf) -> Any) -> MagicalRecord.Condition<Root> { fatalError() }
    @available(*, unavailable, message: "write of(Message.self).all { … }, with the class of the related objects")
    public func all(_: (MagicalRecord._ClassUnknownWithoutOf) -> Any) -> MagicalRecord.Condition<Root> { fatalError() }
    @available(*, unavailable, message: "write of(Message.self).none { … }, with the class of the related objects")
    public func none(_: (MagicalRecord._ClassUnknownWithoutOf) -> Any) -> MagicalRecord.Condition<Root> { fatalError() }
}

// Lists of values.

extension MagicalRecord.Column where Value: MagicalRecord.PredicateValue {
    @available(
        *, unavailable, message: "the values have another type than the property: convert them, values.map { … }"
    )
    @_disfavoredOverload
    public func `in`<Other: MagicalRecord.PredicateValue>(_: some Sequence<Other>) -> MagicalRecord.Condition<Root> {
        fatalError()
    }
}

extension Sequence where Element: MagicalRecord.PredicateValue {
    @available(*, unavailable, message: "in a condition write $0.name.in(values)")
    public func contains<Root>(_: MagicalRecord.Column<Root, Element>) -> MagicalRecord.Condition<Root> { fatalError() }
    @available(*, unavailable, message: "in a condition write $0.name.in(values)")
    public func contains<Root>(_: MagicalRecord.Column<Root, Element?>) -> MagicalRecord.Condition<Root> {
        fatalError()
    }
}

extension ClosedRange where Bound: MagicalRecord.OrderedPredicateValue {
    @available(*, unavailable, message: "in a condition write $0.length.between(range)")
    public func contains<Root>(_: MagicalRecord.Column<Root, Bound>) -> MagicalRecord.Condition<Root> { fatalError() }
    @available(*, unavailable, message: "in a condition write $0.length.between(range)")
    public func contains<Root>(_: MagicalRecord.Column<Root, Bound?>) -> MagicalRecord.Condition<Root> { fatalError() }
}
