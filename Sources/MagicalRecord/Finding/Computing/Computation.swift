import CoreData

/// A function the store computes over many objects, with the type of what comes out.
struct Computation<Object: NSManagedObject, Value> {
    let function: String
    /// Empty for the object itself.
    let key: KeyPathName.Outcome
    /// The type of the column; `nil` for the attribute's own.
    let type: NSAttributeType?
    let convert: (Any?) -> Value?

    static func sum<Number: MagicalRecord.NumericAttribute>(_ key: KeyPath<Object, Number>) -> Self
    where Value == Number.Sum {
        Self(function: "sum:", key: KeyPathName.of(key), type: Number._sumType, convert: Value.init(_stored:))
    }

    static func average<Number: MagicalRecord.NumericAttribute>(_ key: KeyPath<Object, Number>) -> Self
    where Value == Number.Average {
        Self(function: "average:", key: KeyPathName.of(key), type: Number._averageType, convert: Value.init(_stored:))
    }

    static func minimum<Attribute: MagicalRecord.AttributeValue>(_ key: KeyPath<Object, Attribute>) -> Self
    where Value == Attribute.Present {
        Self(function: "min:", key: KeyPathName.of(key), type: nil, convert: Value.init(_stored:))
    }

    static func maximum<Attribute: MagicalRecord.AttributeValue>(_ key: KeyPath<Object, Attribute>) -> Self
    where Value == Attribute.Present {
        Self(function: "max:", key: KeyPathName.of(key), type: nil, convert: Value.init(_stored:))
    }

    static func count() -> Self where Value == Int {
        Self(function: "count:", key: .success(""), type: .integer64AttributeType, convert: Value.init(_stored:))
    }

    func column(named name: String, in entity: NSEntityDescription) throws -> AggregateColumn {
        let key = try self.key.get()
        return try AggregateColumn(
            name: name, function: function, key: key,
            type: try type ?? AggregateColumn.attributeType(of: key, in: entity))
    }
}

extension MagicalRecord.Query {
    /// Returns the value that the store computes over all objects of the query, or `nil` without one.
    func compute<Value>(_ computation: Computation<Object, Value>, in context: NSManagedObjectContext?) throws -> Value?
    {
        try refuseLimit("Sums, means, minima and maxima are computed over")
        let context = try ContextScope.resolve(context)
        let entity = try entity(in: context)
        let fetch = AggregateFetch(
            entity: entity, predicate: try condition?.predicate(for: entity),
            columns: [try computation.column(named: "value", in: entity)], grouping: [],
            includesSubentities: includesSubentities)
        guard let row = try fetch.rows(in: context).first else { return nil }
        return try fetch.value("value", of: row, computation.convert)
    }

    /// Returns the values that the store computes for each group of objects with the same keys, in the order of the keys.
    func compute<Value, Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue>(
        _ computation: Computation<Object, Value>, _ key: KeyPath<Object, Key>,
        _ more: (repeat KeyPath<Object, each More>),
        having: ((MagicalRecord.Column<Object, Value>) -> MagicalRecord.Condition<Object>)?,
        in context: NSManagedObjectContext?
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Value>] {
        try refuseLimit("Groups are made of")
        let context = try ContextScope.resolve(context)
        let entity = try entity(in: context)
        var names = [try KeyPathName.of(key).get()]
        for name in repeat KeyPathName.of(each more) { names.append(try name.get()) }
        let column = Self.name(otherThan: names)
        let fetch = AggregateFetch(
            entity: entity, predicate: try condition?.predicate(for: entity),
            columns: [try computation.column(named: column, in: entity)], grouping: names,
            having: try having?(MagicalRecord.Column(.variable(column))).nsPredicate(),
            sort: names.map { NSSortDescriptor(key: $0, ascending: true) }, includesSubentities: includesSubentities)
        return try fetch.rows(in: context).compactMap { row in
            guard let value = try fetch.value(column, of: row, computation.convert) else { return nil }
            var position = 0
            func shared<Shared: MagicalRecord.AttributeValue>(_ key: KeyPath<Object, Shared>) throws -> Shared {
                defer { position += 1 }
                guard let value = try fetch.value(names[position], of: row, Shared.init(_stored:)) else {
                    throw NoGroup()
                }
                return value
            }
            do {
                return MagicalRecord.AggregateGroup(key: (try shared(key), repeat try shared(each more)), value: value)
            } catch is NoGroup {
                return nil
            }
        }
    }

    /// Returns a name for the computed column that differs from all keys.
    private static func name(otherThan names: [String]) -> String {
        var name = "value"
        while names.contains(name) { name += "_" }
        return name
    }
}

/// A row of objects that have no value for a key.
private struct NoGroup: Error {}
