import CoreData

// Names of version 0.1 that are gone. The compiler's messages give the new names, and it lets no code call them.

extension MagicalRecord.ManagedObject {
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.sum(of: key)")
    public static func sum(_: PartialKeyPath<Self>, where _: MagicalRecord.Condition<Self>? = nil, in _: Any? = nil) {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.sum(of: key)")
    public static func sum(_: PartialKeyPath<Self>, where _: (MagicalRecord.Columns<Self>) -> Any, in _: Any? = nil) {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.sum(of: key, by: group)")
    public static func sum(
        _: PartialKeyPath<Self>, groupedBy _: PartialKeyPath<Self>, where _: MagicalRecord.Condition<Self>? = nil,
        in _: Any? = nil
    ) {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.average(of: key)")
    public static func average(_: PartialKeyPath<Self>, where _: MagicalRecord.Condition<Self>? = nil, in _: Any? = nil)
    {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.average(of: key)")
    public static func average(_: PartialKeyPath<Self>, where _: (MagicalRecord.Columns<Self>) -> Any, in _: Any? = nil)
    {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.average(of: key, by: group)")
    public static func average(
        _: PartialKeyPath<Self>, groupedBy _: PartialKeyPath<Self>, where _: MagicalRecord.Condition<Self>? = nil,
        in _: Any? = nil
    ) {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.minimum(of: key)")
    public static func minimum(_: PartialKeyPath<Self>, where _: MagicalRecord.Condition<Self>? = nil, in _: Any? = nil)
    {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.minimum(of: key)")
    public static func minimum(_: PartialKeyPath<Self>, where _: (MagicalRecord.Columns<Self>) -> Any, in _: Any? = nil)
    {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.minimum(of: key, by: group)")
    public static func minimum(
        _: PartialKeyPath<Self>, groupedBy _: PartialKeyPath<Self>, where _: MagicalRecord.Condition<Self>? = nil,
        in _: Any? = nil
    ) {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.maximum(of: key)")
    public static func maximum(_: PartialKeyPath<Self>, where _: MagicalRecord.Condition<Self>? = nil, in _: Any? = nil)
    {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.maximum(of: key)")
    public static func maximum(_: PartialKeyPath<Self>, where _: (MagicalRecord.Columns<Self>) -> Any, in _: Any? = nil)
    {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.maximum(of: key, by: group)")
    public static func maximum(
        _: PartialKeyPath<Self>, groupedBy _: PartialKeyPath<Self>, where _: MagicalRecord.Condition<Self>? = nil,
        in _: Any? = nil
    ) {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.count(by: group)")
    public static func count(
        groupedBy _: PartialKeyPath<Self>, where _: MagicalRecord.Condition<Self>? = nil, in _: Any? = nil
    ) {}
    @available(
        *, unavailable,
        message: "use where(_:), sorted(by:) or all: User.where { … }.sorted(by: key).values(of: attribute)"
    )
    public static func values(
        of _: PartialKeyPath<Self>, distinct _: Bool = false, where _: MagicalRecord.Condition<Self>? = nil,
        sortedBy _: PartialKeyPath<Self>? = nil, in _: Any? = nil
    ) {}
    @available(
        *, unavailable,
        message: "use where(_:), sorted(by:) or all: User.where { … }.sorted(by: key).values(of: attribute)"
    )
    public static func values(
        of _: PartialKeyPath<Self>, distinct _: Bool = false, where _: (MagicalRecord.Columns<Self>) -> Any,
        sortedBy _: PartialKeyPath<Self>? = nil, in _: Any? = nil
    ) {}
    @available(
        *, unavailable,
        message:
            "use where(_:), sorted(by:) or all: User.where { … }.sorted(by: key).observeObjects(sectionedBy: key), or observe { … } for values"
    )
    public static func results(
        groupedBy _: PartialKeyPath<Self>, where _: MagicalRecord.Condition<Self>? = nil,
        sortedBy _: PartialKeyPath<Self>? = nil, in _: Any? = nil
    ) {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.observeCount()")
    public static func counts(where _: MagicalRecord.Condition<Self>? = nil, in _: Any? = nil) {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.observeCount()")
    public static func counts(where _: (MagicalRecord.Columns<Self>) -> Any, in _: Any? = nil) {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.observeSum(of: key)")
    public static func sums(of _: PartialKeyPath<Self>, where _: MagicalRecord.Condition<Self>? = nil, in _: Any? = nil)
    {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.observeSum(of: key)")
    public static func sums(of _: PartialKeyPath<Self>, where _: (MagicalRecord.Columns<Self>) -> Any, in _: Any? = nil)
    {}
    @available(
        *, unavailable,
        message:
            "use where(_:), sorted(by:) or all: User.where { … }.sorted(by: key).fetchedResults(delegate: delegate)"
    )
    public static func fetchedResults(
        where _: MagicalRecord.Condition<Self>? = nil, sortedBy _: PartialKeyPath<Self>? = nil,
        sectionedBy _: PartialKeyPath<Self>? = nil, delegate _: Any? = nil, in _: Any? = nil
    ) {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.batchUpdate(.set(key, to: value))")
    public static func batchUpdate(
        where _: MagicalRecord.Condition<Self>? = nil, _: MagicalRecord.BatchChange<Self>..., in _: Any? = nil
    ) {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.batchUpdate(.set(key, to: value))")
    public static func batchUpdate(
        where _: (MagicalRecord.Columns<Self>) -> Any, _: MagicalRecord.BatchChange<Self>..., in _: Any? = nil
    ) {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.batchDelete()")
    public static func batchDelete(where _: MagicalRecord.Condition<Self>? = nil, in _: Any? = nil) {}
    @available(*, unavailable, message: "use where(_:) or all: User.where { … }.batchDelete()")
    public static func batchDelete(where _: (MagicalRecord.Columns<Self>) -> Any, in _: Any? = nil) {}
    @available(
        *, unavailable,
        message:
            "use where(_:), sorted(by:) or all: User.where { … }.sorted(by: key).observeObjects(), or observe { … } for values"
    )
    public static func results(
        where _: (MagicalRecord.Columns<Self>) -> Any, sortedBy _: PartialKeyPath<Self>? = nil, limit _: Int? = nil,
        in _: Any? = nil
    ) {}
    @available(
        *, unavailable,
        message:
            "use where(_:), sorted(by:) or all: User.where { … }.sorted(by: key).observeObjects(), or observe { … } for values"
    )
    public static func results(
        where _: MagicalRecord.Condition<Self>? = nil, sortedBy _: PartialKeyPath<Self>? = nil, limit _: Int? = nil,
        in _: Any? = nil, _: ((MagicalRecord.ResultList<Self>) -> Any)? = nil
    ) {}
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension MagicalRecord.ManagedObject {
    @available(*, unavailable, message: "use a condition: .matching(#Predicate { … })")
    public static func findAll(
        where _: Predicate<Self>, sortedBy _: PartialKeyPath<Self>? = nil, limit _: Int? = nil, in _: Any? = nil
    ) {}
    @available(*, unavailable, message: "use a condition: .matching(#Predicate { … })")
    public static func findFirst(
        where _: Predicate<Self>, sortedBy _: PartialKeyPath<Self>? = nil, limit _: Int? = nil, in _: Any? = nil
    ) {}
    @available(*, unavailable, message: "use a condition: .matching(#Predicate { … })")
    public static func count(where _: Predicate<Self>, in _: Any? = nil) {}
    @available(*, unavailable, message: "use a condition: .matching(#Predicate { … })")
    public static func exists(where _: Predicate<Self>, in _: Any? = nil) {}
    @available(*, unavailable, message: "use a condition: .matching(#Predicate { … })")
    public static func deleteAll(where _: Predicate<Self>, in _: Any? = nil) {}
    @available(*, unavailable, message: "use a condition: .matching(#Predicate { … })")
    public static func `where`(_: Predicate<Self>) {}
}

extension MagicalRecord.Query {
    @available(*, unavailable, renamed: "sum(of:in:)")
    public func sum(_: PartialKeyPath<Object>, in _: Any? = nil) {}
    @available(*, unavailable, renamed: "sum(of:by:in:)")
    public func sum(_: PartialKeyPath<Object>, groupedBy _: PartialKeyPath<Object>, in _: Any? = nil) {}
    @available(*, unavailable, renamed: "average(of:in:)")
    public func average(_: PartialKeyPath<Object>, in _: Any? = nil) {}
    @available(*, unavailable, renamed: "average(of:by:in:)")
    public func average(_: PartialKeyPath<Object>, groupedBy _: PartialKeyPath<Object>, in _: Any? = nil) {}
    @available(*, unavailable, renamed: "minimum(of:in:)")
    public func minimum(_: PartialKeyPath<Object>, in _: Any? = nil) {}
    @available(*, unavailable, renamed: "minimum(of:by:in:)")
    public func minimum(_: PartialKeyPath<Object>, groupedBy _: PartialKeyPath<Object>, in _: Any? = nil) {}
    @available(*, unavailable, renamed: "maximum(of:in:)")
    public func maximum(_: PartialKeyPath<Object>, in _: Any? = nil) {}
    @available(*, unavailable, renamed: "maximum(of:by:in:)")
    public func maximum(_: PartialKeyPath<Object>, groupedBy _: PartialKeyPath<Object>, in _: Any? = nil) {}
    @available(*, unavailable, renamed: "count(by:in:)")
    public func count(groupedBy _: PartialKeyPath<Object>, in _: Any? = nil) {}
    @available(*, unavailable, renamed: "observeCount(in:)")
    public func counts(in _: Any? = nil) {}
    @available(*, unavailable, renamed: "observeSum(of:in:)")
    public func sums(of _: PartialKeyPath<Object>, in _: Any? = nil) {}
    @available(*, unavailable, renamed: "observeObjects(in:)")
    public func results(in _: Any? = nil) {}
    @available(*, unavailable, renamed: "observeObjects(sectionedBy:in:)")
    public func results(groupedBy _: PartialKeyPath<Object>, in _: Any? = nil) {}
    @available(*, unavailable, renamed: "observe(in:_:)")
    public func results(in _: Any? = nil, _: (MagicalRecord.ResultList<Object>) -> Any) {}
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @available(*, unavailable, message: "use a condition: .matching(#Predicate { … })")
    public func `where`(_: Predicate<Object>) {}
}

extension MagicalRecord.Stack {
    @available(*, unavailable, message: "use save(isolation: .exclusive), or save without it")
    public func write(exclusive _: Bool, _: (NSManagedObjectContext) throws -> Any?) {}
    @available(*, unavailable, message: "use saveAndWait(isolation: .exclusive), or saveAndWait without it")
    public func writeAndWait(exclusive _: Bool, _: (NSManagedObjectContext) throws -> Any?) {}
}

extension MagicalRecord {
    @available(*, unavailable, message: "use save(isolation: .exclusive), or save without it")
    public static func write(exclusive _: Bool, _: (NSManagedObjectContext) throws -> Any?) {}
    @available(*, unavailable, message: "use saveAndWait(isolation: .exclusive), or saveAndWait without it")
    public static func writeAndWait(exclusive _: Bool, _: (NSManagedObjectContext) throws -> Any?) {}
    @available(*, unavailable, message: "use saveReportingOutcome of the default stack, requireStack()")
    public static func saveReportingOutcome(
        onConflict _: ConflictHandling? = nil, _: (NSManagedObjectContext) throws -> Any?
    ) {}
}

extension MagicalRecord.Database {
    @available(*, unavailable, renamed: "save(_:onConflict:isolation:waitingForMerges:_:)")
    public func write(
        _: String, onConflict _: Any? = nil, exclusive _: Bool = false, waitingForMerges _: Bool = false,
        _: (NSManagedObjectContext) throws -> Any?
    ) {}
    @available(*, unavailable, renamed: "saveAndWait(_:onConflict:isolation:_:)")
    public func writeAndWait(
        _: String, onConflict _: Any? = nil, exclusive _: Bool = false, _: (NSManagedObjectContext) throws -> Any?
    ) {}
}
