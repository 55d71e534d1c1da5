import CoreData

extension MagicalRecord {
    /// One group of objects: what they share, and the value computed over them.
    public struct AggregateGroup<Key, Value> {
        /// The value that the objects of the group share; a tuple for several keys.
        public let key: Key
        /// The value computed over the objects of the group.
        public let value: Value

        /// Creates a group, for comparisons in tests.
        public init(key: Key, value: Value) {
            self.key = key
            self.value = value
        }
    }
}

extension MagicalRecord.AggregateGroup: Sendable where Key: Sendable, Value: Sendable {}
extension MagicalRecord.AggregateGroup: Equatable where Key: Equatable, Value: Equatable {}
extension MagicalRecord.AggregateGroup: Hashable where Key: Hashable, Value: Hashable {}

extension MagicalRecord.Query {
    /// Returns the number of objects that share each value of a key, or each combination of values of several, without making
    /// objects.
    ///
    /// ```swift
    /// let byCountry = try User.all.count(by: \.countryCode, having: { $0 > 10 })
    /// for group in byCountry { print(group.key, group.value) }
    /// ```
    /// With several attributes, the `key` of a group is a tuple. Groups come in the order of their keys, without those that do
    /// not fulfil `having`. Objects without a value for a key are in no group, unless its property is optional.
    /// Unsaved changes are not seen.
    ///
    /// - Throws: as ``sum(of:in:)``.
    public func count<Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue>(
        by key: KeyPath<Object, Key>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Int>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Int>] {
        try compute(.init(), key, (repeat each more), having: having, in: context)
    }

    /// Returns the sum of an attribute for each group. See `count(by:)` and ``sum(of:in:)``.
    public func sum<
        Number: MagicalRecord.NumericAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Number>, by key: KeyPath<Object, Key>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Number.Sum>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Number.Sum>] {
        try compute(.init("sum:", attribute, Number._sumType), key, (repeat each more), having: having, in: context)
    }

    /// Returns the mean of an attribute for each group. See `count(by:)` and ``average(of:in:)``.
    public func average<
        Number: MagicalRecord.NumericAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Number>, by key: KeyPath<Object, Key>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Number.Average>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Number.Average>] {
        try compute(
            .init("average:", attribute, Number._averageType), key, (repeat each more), having: having, in: context)
    }

    /// Returns the least value of an attribute for each group. See `count(by:)` and ``minimum(of:in:)``.
    public func minimum<
        Value: MagicalRecord.AttributeValue, Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Value>, by key: KeyPath<Object, Key>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Value.Present>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Value.Present>] {
        try compute(.init("min:", attribute), key, (repeat each more), having: having, in: context)
    }

    /// Returns the greatest value of an attribute for each group. See `count(by:)` and ``maximum(of:in:)``.
    public func maximum<
        Value: MagicalRecord.AttributeValue, Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Value>, by key: KeyPath<Object, Key>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Value.Present>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Value.Present>] {
        try compute(.init("max:", attribute), key, (repeat each more), having: having, in: context)
    }

    /// Returns the values that the store computes for each group of objects with the same keys, in the order of the keys.
    private func compute<Value, Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue>(
        _ computation: Computation<Object, Value>, _ key: KeyPath<Object, Key>,
        _ more: (repeat KeyPath<Object, each More>),
        having: ((MagicalRecord.Column<Object, Value>) -> MagicalRecord.Condition<Object>)?,
        in context: NSManagedObjectContext?
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Value>] {
        try compute(computation, key, { (key: Key) in key }, (repeat each more), having: having, in: context)
    }

    /// Returns the values for each group. The first key is made of the value that the store has.
    func compute<Value, Stored: MagicalRecord.AttributeValue, Key, each More: MagicalRecord.AttributeValue>(
        _ computation: Computation<Object, Value>, _ key: KeyPath<Object, Key>, _ make: (Stored) -> Key,
        _ more: (repeat KeyPath<Object, each More>),
        having: ((MagicalRecord.Column<Object, Value>) -> MagicalRecord.Condition<Object>)?,
        in context: NSManagedObjectContext?
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Value>] {
        try refuseLimit("Groups are made of")
        let context = try ContextScope.resolve(context)
        let entity = try entity(in: context)
        var names = [try KeyPathName.of(key).get()]
        for name in repeat KeyPathName.of(each more) { names.append(try name.get()) }
        let column = sequence(first: "value", next: { $0 + "_" }).first { !names.contains($0) } ?? "value"
        let fetch = try aggregateFetch(
            of: entity, keys: names, columns: [try computation.column(named: column, in: entity)])
        fetch.request.propertiesToGroupBy = names
        fetch.request.havingPredicate = try having?(MagicalRecord.Column(.variable(column))).nsPredicate()
        fetch.request.sortDescriptors = names.map { NSSortDescriptor(key: $0, ascending: true) }
        return try fetch.rows(in: context).compactMap { row in
            guard let value: Value = try fetch.value(column, of: row) else { return nil }
            var position = 0
            func shared<Shared: MagicalRecord.AttributeValue>(_ type: Shared.Type) throws -> Shared {
                defer { position += 1 }
                guard let value: Shared = try fetch.value(names[position], of: row) else { throw NoGroup() }
                return value
            }
            do {
                return MagicalRecord.AggregateGroup(
                    key: (make(try shared(Stored.self)), repeat try shared((each More).self)), value: value)
            } catch is NoGroup {
                return nil
            }
        }
    }
}

/// A row of objects that have no value for a key.
private struct NoGroup: Error {}
