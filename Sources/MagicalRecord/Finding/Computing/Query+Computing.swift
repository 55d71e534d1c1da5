import CoreData

extension MagicalRecord.Query {
    /// Returns the sum of an attribute, which the store computes without making objects: 0 over no objects.
    ///
    /// ```swift
    /// let total = try User.where { $0.isFriend }.sum(of: \.balance)
    /// ```
    /// Unsaved changes are not seen, and objects without a value do not count.
    ///
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue`` for a sum that the type cannot hold,
    ///   ``MagicalRecordError/Code/invalidArgument`` for a query with a limit or an offset; what ``fetchRequest(in:)`` throws,
    ///   or Core Data's error.
    public func sum<Number: MagicalRecord.NumericAttribute>(
        of attribute: KeyPath<Object, Number>, in context: NSManagedObjectContext? = nil
    ) throws -> Number.Sum { try compute(.init("sum:", attribute, Number._sumType), in: context) ?? Number._emptySum }

    /// Returns the mean of an attribute, or `nil` over no objects. Otherwise as ``sum(of:in:)``.
    public func average<Number: MagicalRecord.NumericAttribute>(
        of attribute: KeyPath<Object, Number>, in context: NSManagedObjectContext? = nil
    ) throws -> Number.Average? { try compute(.init("average:", attribute, Number._averageType), in: context) }

    /// Returns the least value of an attribute, or `nil` over no objects. Otherwise as ``sum(of:in:)``.
    public func minimum<Value: MagicalRecord.AttributeValue>(
        of attribute: KeyPath<Object, Value>, in context: NSManagedObjectContext? = nil
    ) throws -> Value.Present? { try compute(.init("min:", attribute), in: context) }

    /// Returns the greatest value of an attribute, or `nil` over no objects. Otherwise as ``sum(of:in:)``.
    public func maximum<Value: MagicalRecord.AttributeValue>(
        of attribute: KeyPath<Object, Value>, in context: NSManagedObjectContext? = nil
    ) throws -> Value.Present? { try compute(.init("max:", attribute), in: context) }

    /// Returns the values of one attribute in the order of the query, or each distinct value once, without creating objects.
    /// Unsaved changes are not seen. Objects without a value are left out, unless the property is optional.
    ///
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue`` for a value that the type cannot hold; what
    ///   ``fetchRequest(in:)`` throws, or Core Data's error.
    public func values<Value: MagicalRecord.AttributeValue>(
        of key: KeyPath<Object, Value>, distinct: Bool = false, in context: NSManagedObjectContext? = nil
    ) throws -> [Value] {
        try storedValues(of: key, distinct: distinct, in: context)
    }

    /// Returns the values of an attribute as a type that need not be that of the property.
    func storedValues<Value: MagicalRecord.AttributeValue>(
        of key: KeyPath<Object, some Any>, distinct: Bool, in context: NSManagedObjectContext?
    ) throws -> [Value] {
        let context = try ContextScope.resolve(context)
        let name = try KeyPathName.of(key).get()
        let fetch = try aggregateFetch(of: try entity(in: context), keys: [name])
        if !order.isEmpty { fetch.request.sortDescriptors = try order.sortDescriptors() }
        fetch.request.returnsDistinctResults = distinct
        // To a fetch request a limit of 0 is none at all.
        if limit == 0 { return [] }
        if let limit { fetch.request.fetchLimit = limit }
        if let offset { fetch.request.fetchOffset = offset }
        return try fetch.rows(in: context).compactMap { try fetch.value(name, of: $0) }
    }

    private func compute<Value>(
        _ computation: Computation<Object, Value>, in context: NSManagedObjectContext?
    ) throws -> Value? {
        try refuseLimit("Sums, means, minima and maxima are computed over")
        let context = try ContextScope.resolve(context)
        let entity = try entity(in: context)
        let fetch = try aggregateFetch(of: entity, columns: [try computation.column(named: "value", in: entity)])
        return try fetch.rows(in: context).first.flatMap { try fetch.value("value", of: $0) }
    }

    func aggregateFetch(
        of entity: NSEntityDescription, keys: [String] = [], columns: [NSExpressionDescription] = []
    ) throws -> AggregateFetch {
        let predicate = try parts.condition?.predicate(for: entity)
        let fetch = AggregateFetch(entity, predicate, keys: keys, columns: columns)
        fetch.request.includesSubentities = includesSubentities
        return fetch
    }
}
