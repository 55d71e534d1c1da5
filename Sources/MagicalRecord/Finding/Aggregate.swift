import CoreData

/// A value computed by the store over many objects.
///
/// ```swift
/// let total = try User.aggregate(.sum(\.balance), where: \.isFriend == true)
/// let byLand = try User.aggregate(.average(\.balance), groupedBy: \.countryCode)
/// ```
/// Aggregates see what is in the store, not a context's unsaved changes.
public struct Aggregate<Root: NSManagedObject, Value> {
    let function: String
    let key: KeyPathName.Outcome
    /// The type of the column; `nil` for the attribute's own.
    let type: NSAttributeType?
    let convert: (Any?) -> Value?

    /// The sum. `nil` over no objects.
    public static func sum(_ key: KeyPath<Root, some NumericAttribute>) -> Aggregate where Value == Double {
        Aggregate(function: "sum:", key: KeyPathName.of(key), type: .doubleAttributeType) { number($0)?.doubleValue }
    }

    /// The mean. `nil` over no objects.
    public static func average(_ key: KeyPath<Root, some NumericAttribute>) -> Aggregate where Value == Double {
        Aggregate(function: "average:", key: KeyPathName.of(key), type: .doubleAttributeType) {
            number($0)?.doubleValue
        }
    }

    /// The least value. `nil` over no objects.
    public static func minimum(_ key: KeyPath<Root, Value>) -> Aggregate where Value: AttributeValue {
        Aggregate(function: "min:", key: KeyPathName.of(key), type: nil, convert: Value.init(stored:))
    }

    /// The greatest value. `nil` over no objects.
    public static func maximum(_ key: KeyPath<Root, Value>) -> Aggregate where Value: AttributeValue {
        Aggregate(function: "max:", key: KeyPathName.of(key), type: nil, convert: Value.init(stored:))
    }

    /// How many objects have a value there.
    public static func count<Attribute>(_ key: KeyPath<Root, Attribute>) -> Aggregate where Value == Int {
        Aggregate(function: "count:", key: KeyPathName.of(key), type: .integer64AttributeType) {
            number($0)?.intValue
        }
    }

    private static func number(_ value: Any?) -> NSNumber? { value as? NSNumber }

    func column(named name: String, in entity: NSEntityDescription) throws -> AggregateColumn {
        let key = try self.key.get()
        return try AggregateColumn(
            name: name, function: function, key: key,
            type: try type ?? AggregateColumn.attributeType(of: key, in: entity))
    }
}

/// One group of an aggregate: the key the objects share, and the value computed over them.
public struct AggregateGroup<Key, Value> {
    /// What the objects of the group share.
    public let key: Key
    /// What was computed over them.
    public let value: Value
}

extension AggregateGroup: Sendable where Key: Sendable, Value: Sendable {}
extension AggregateGroup: Equatable where Key: Equatable, Value: Equatable {}

extension Query {
    /// A value computed by the store over the objects; `nil` when there are none.
    public func aggregate<Value>(
        _ aggregate: Aggregate<Object, Value>, in context: NSManagedObjectContext? = nil
    ) throws -> Value? {
        try refuseLimit("An aggregate is computed over")
        let context = try ContextScope.resolve(context)
        let entity = try entity(in: context)
        let fetch = AggregateFetch(
            entity: entity, predicate: try condition?.nsPredicate(),
            columns: [try aggregate.column(named: "value", in: entity)], grouping: [])
        guard let row = try fetch.rows(in: context).first, row["value"] != nil else { return nil }
        return try fetch.value("value", of: row, aggregate.convert)
    }

    /// A value computed by the store for each group of objects that share a key, in the order of the keys.
    public func aggregate<Key: AttributeValue, Value>(
        _ aggregate: Aggregate<Object, Value>, groupedBy key: KeyPath<Object, Key>,
        in context: NSManagedObjectContext? = nil
    ) throws -> [AggregateGroup<Key, Value>] {
        try refuseLimit("An aggregate is computed over")
        let context = try ContextScope.resolve(context)
        let entity = try entity(in: context)
        let name = try KeyPathName.of(key).get()
        let fetch = AggregateFetch(
            entity: entity, predicate: try condition?.nsPredicate(),
            columns: [try aggregate.column(named: "value", in: entity)], grouping: [name],
            sort: [NSSortDescriptor(key: name, ascending: true)])
        return try fetch.rows(in: context).compactMap { row in
            guard row["value"] != nil, let key = try fetch.value(name, of: row, Key.init(stored:)),
                let value = try fetch.value("value", of: row, aggregate.convert)
            else { return nil }
            return AggregateGroup(key: key, value: value)
        }
    }

    /// The values of one attribute, without making objects, in the order of the query.
    ///
    /// - Parameters:
    ///   - key: the attribute.
    ///   - distinct: each value only once.
    ///   - context: where to look.
    public func values<Value: AttributeValue>(
        of key: KeyPath<Object, Value>, distinct: Bool = false, in context: NSManagedObjectContext? = nil
    ) throws -> [Value] {
        let context = try ContextScope.resolve(context)
        let entity = try entity(in: context)
        let name = try KeyPathName.of(key).get()
        let fetch = AggregateFetch(
            entity: entity, predicate: try condition?.nsPredicate(), columns: [], grouping: [],
            sort: try order.sortDescriptors(), plainColumns: [name], isDistinct: distinct, limit: limit, offset: offset,
            includesSubentities: includesSubentities)
        return try fetch.rows(in: context).compactMap { try fetch.value(name, of: $0, Value.init(stored:)) }
    }
}

extension ManagedObject {
    /// A value computed by the store over the objects that fulfil a condition; `nil` when there are none.
    public static func aggregate<Value>(
        _ aggregate: Aggregate<Self, Value>, where condition: Condition<Self>? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> Value? {
        try query(condition).aggregate(aggregate, in: context)
    }

    /// A value computed by the store for each group of objects that share a key, in the order of the keys.
    public static func aggregate<Key: AttributeValue, Value>(
        _ aggregate: Aggregate<Self, Value>, groupedBy key: KeyPath<Self, Key>,
        where condition: Condition<Self>? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> [AggregateGroup<Key, Value>] {
        try query(condition).aggregate(aggregate, groupedBy: key, in: context)
    }

    /// The values of one attribute, without making objects.
    public static func values<Value: AttributeValue>(
        of key: KeyPath<Self, Value>, distinct: Bool = false, where condition: Condition<Self>? = nil,
        sortedBy order: MagicalRecord.SortOrder<Self> = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Value] {
        try query(condition, order).values(of: key, distinct: distinct, in: context)
    }
}
