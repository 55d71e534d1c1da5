import CoreData

/// A question to the store about objects of one class: which, in what order, how many.
///
/// The finders (`User.findAll(where:)` and so on) are short forms of queries. A query of your own is a value that can
/// be kept, varied and asked in several ways:
/// ```swift
/// let friends = Query<User>().where(\.isFriend == true).sorted(by: .ascending(\.displayName))
/// let first = try friends.first(in: context)
/// let howMany = try friends.count(in: context)
/// let page = try friends.page(2, size: 20, in: context)
/// ```
/// Without a context, each function means the one of the surrounding save, or on the main thread the default stack's
/// main context. All run on the context's queue whatever the calling thread; the objects they return belong to that
/// queue.
public struct Query<Object: NSManagedObject> {
    /// The entity, where the class does not lead to it: for plain `NSManagedObject`, or a class of several entities.
    public var entityName: String?
    /// What the objects must fulfil.
    public var condition: Condition<Object>?
    /// The order. Without one, any.
    public var order: MagicalRecord.SortOrder<Object> = []
    /// The most objects to return.
    public var limit: Int?
    /// How many objects to leave out at the beginning.
    public var offset: Int?
    /// How many objects' values are read at a time as the result is walked through.
    public var batchSize: Int?
    /// Relationships to read along with the objects, as key paths.
    public var prefetching: [Prefetch<Object>] = []
    /// Whether objects of sub-entities count. They do unless told otherwise.
    public var includesSubentities = true
    /// Whether unsaved changes of the context count. They do unless told otherwise.
    public var includesPendingChanges = true

    private var type: NSManagedObject.Type

    /// All objects of the class.
    public init() {
        type = Object.self
    }

    /// All objects of an entity, for a class that does not lead to it.
    public init(entityNamed name: String) {
        type = Object.self
        entityName = name
    }

    /// The class as it was named at run time, which may be a subclass of `Object`.
    init(type: NSManagedObject.Type) {
        self.type = type
    }

    /// The entity in a context's model.
    ///
    /// - Throws: ``MagicalRecordError/Code/unknownEntity``.
    public func entity(in context: NSManagedObjectContext) throws -> NSEntityDescription {
        if let entityName { return try EntityLookup.entity(named: entityName, in: context) }
        return try EntityLookup.entity(for: type, in: context)
    }

    /// The fetch request, for uses this type has no function for.
    ///
    /// - Throws: the errors of ``Condition/nsPredicate()``, ``MagicalRecord/SortOrder/sortDescriptors()`` and ``entity(in:)``.
    public func fetchRequest(in context: NSManagedObjectContext) throws -> NSFetchRequest<Object> {
        try request(NSFetchRequest<Object>(), in: context)
    }

    func request<Result: NSFetchRequestResult>(
        _ request: NSFetchRequest<Result>, in context: NSManagedObjectContext
    ) throws -> NSFetchRequest<Result> {
        request.entity = try entity(in: context)
        request.predicate = try condition?.nsPredicate()
        if !order.isEmpty { request.sortDescriptors = try order.sortDescriptors() }
        if let limit { request.fetchLimit = limit }
        if let offset { request.fetchOffset = offset }
        if let batchSize { request.fetchBatchSize = batchSize }
        if !prefetching.isEmpty {
            request.relationshipKeyPathsForPrefetching = try prefetching.map { try $0.path.get() }
        }
        request.includesSubentities = includesSubentities
        request.includesPendingChanges = includesPendingChanges
        return request
    }
}

extension Query {
    /// Also asks for `condition`.
    public func `where`(_ condition: Condition<Object>) -> Query {
        var copy = self
        copy.condition = self.condition.map { $0 && condition } ?? condition
        return copy
    }

    /// Also asks for a ready-made predicate.
    public func `where`(_ predicate: NSPredicate) -> Query { self.where(.predicate(predicate)) }

    /// Also asks for a predicate format with arguments.
    public func `where`(_ format: String, _ arguments: any CVarArg...) -> Query {
        self.where(Condition(.predicate(Result { try PredicateParsing.predicate(format, arguments) })))
    }

    /// Also asks for a `#Predicate`.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    public func `where`(_ predicate: Predicate<Object>) -> Query { self.where(.matching(predicate)) }

    /// In that order, and within it in the order there was.
    public func sorted(by order: MagicalRecord.SortOrder<Object>) -> Query {
        var copy = self
        copy.order = [order, self.order]
        return copy
    }

    /// At most so many, beginning after `offset` of them.
    public func limited(to limit: Int, offset: Int = 0) -> Query {
        var copy = self
        copy.limit = limit
        copy.offset = offset
        return copy
    }

    /// Reads the values of so many objects at a time.
    public func inBatches(of size: Int) -> Query {
        var copy = self
        copy.batchSize = size
        return copy
    }

    /// Reads these related objects in the same go, instead of one by one when they are touched.
    public func prefetching(_ relationships: Prefetch<Object>...) -> Query {
        var copy = self
        copy.prefetching += relationships
        return copy
    }

    /// Leaves out the context's unsaved changes.
    public func savedOnly() -> Query {
        var copy = self
        copy.includesPendingChanges = false
        return copy
    }
}

/// A relationship, or chain of relationships, to be read together with the objects of a query.
public struct Prefetch<Root: NSManagedObject> {
    let path: KeyPathName.Outcome

    /// The relationship a key path names: `.relationship(\.author?.publisher)`.
    public static func relationship<Value>(_ key: KeyPath<Root, Value>) -> Prefetch {
        Prefetch(path: KeyPathName.of(key))
    }

    /// A relationship key path given as text: `.path("books.publisher")`, for those that go through a collection.
    public static func path(_ path: String) -> Prefetch {
        Prefetch(path: .success(path))
    }
}
