import CoreData

extension MagicalRecord {
    /// A query for objects of one class: a condition, an order and a range.
    ///
    /// The finders (`User.findAll(where:)` and so on) are short forms of queries. A query is a value that can be kept, varied and
    /// asked in several ways:
    /// ```swift
    /// let friends = User.where(\.isFriend == true).sorted(by: \.displayName)
    /// let first = try friends.findFirst(in: context)
    /// let howMany = try friends.count(in: context)
    /// let page = try friends.page(2, size: 20, in: context)
    /// ```
    /// Without a context, each function means the one of the surrounding save, or on the main thread the default stack's
    /// main context. All run on the context's queue whatever the calling thread; the objects they return belong to that
    /// queue. A query holds names and values and may cross threads.
    public struct Query<Object: NSManagedObject>: Sendable {
        /// The entity, where the class does not lead to it: for plain `NSManagedObject`, or a class of several entities.
        public var entityName: String? {
            get { parts.entityName }
            set { parts.entityName = newValue }
        }
        /// The condition that the objects fulfil; `nil` for all objects.
        public var condition: MagicalRecord.Condition<Object>? {
            get { parts.condition.map { MagicalRecord.Condition($0) } }
            set { parts.condition = newValue?.node }
        }
        /// The order. An empty one leaves the order to the store.
        public var order: MagicalRecord.SortOrder<Object> {
            get { MagicalRecord.SortOrder(keys: parts.order) }
            set { parts.order = newValue.keys }
        }
        /// The most objects to return: 0 for none, `nil` for as many as there are. Never negative.
        public var limit: Int? {
            get { parts.limit }
            set {
                precondition(newValue ?? 0 >= 0, "A limit is a number of objects: 0 for none, nil for all.")
                parts.limit = newValue
            }
        }
        /// The number of objects to leave out at the beginning. Never negative.
        public var offset: Int? {
            get { parts.offset }
            set {
                precondition(newValue ?? 0 >= 0, "An offset is a number of objects to leave out, at least 0.")
                parts.offset = newValue
            }
        }
        /// The number of objects to read at a time as the result is iterated; `nil` to read all at once.
        public var batchSize: Int? {
            get { parts.batchSize }
            set { parts.batchSize = newValue }
        }
        /// Relationships to read along with the objects, as key paths.
        public var prefetching: [MagicalRecord.Prefetch<Object>] {
            get { parts.prefetching.map { MagicalRecord.Prefetch(path: $0) } }
            set { parts.prefetching = newValue.map { $0.path } }
        }
        /// Whether objects of sub-entities are included; true by default.
        public var includesSubentities: Bool {
            get { parts.includesSubentities }
            set { parts.includesSubentities = newValue }
        }
        /// Whether unsaved changes of the context are included; true by default.
        public var includesPendingChanges: Bool {
            get { parts.includesPendingChanges }
            set { parts.includesPendingChanges = newValue }
        }

        var parts: QueryParts

        /// Creates a query for all objects of the class.
        public init() { self.init(type: Object.self) }

        /// Creates a query for all objects of an entity, for a class that does not lead to it.
        public init(entityNamed name: String) { parts = QueryParts(type: Object.self, entityName: name) }

        /// Creates a query for a class known at run time, which may be a subclass of `Object`.
        init(type: NSManagedObject.Type) { parts = QueryParts(type: type) }

        /// Returns the entity in a context's model.
        ///
        /// - Throws: ``MagicalRecordError/Code/unknownEntity``.
        public func entity(in context: NSManagedObjectContext) throws -> NSEntityDescription {
            try parts.entity(in: context)
        }

        /// Returns the fetch request, for uses that this type has no function for.
        ///
        /// - Throws: the errors of ``MagicalRecord/Condition/nsPredicate()``, ``MagicalRecordError/Code/unconvertibleValue`` for a
        ///   format that compares a property with a value it can never have, and the errors of
        ///   ``MagicalRecord/SortOrder/sortDescriptors()`` and ``entity(in:)``.
        public func fetchRequest(in context: NSManagedObjectContext) throws -> NSFetchRequest<Object> {
            try parts.request(NSFetchRequest<Object>(), in: context)
        }

        /// The entity's name, for errors and descriptions.
        var shownEntity: String { entityName ?? EntityLookup.name(of: parts.type) }

        /// Throws if the query has a limit or an offset, for operations that apply to all its objects.
        func refuseLimit(_ what: String) throws {
            guard limit != nil || offset ?? 0 > 0 else { return }
            throw MagicalRecordError(
                .invalidArgument,
                "\(what) all objects that fulfil the condition; a limit or an offset cannot restrict it.",
                advice: "Restrict it by a condition.", entity: shownEntity)
        }

        /// Returns a changed copy.
        func with(_ change: (inout Self) -> Void) -> Self {
            var copy = self
            change(&copy)
            return copy
        }
    }
}

extension MagicalRecord.Query {
    /// Adds a condition made by a closure over typed columns, combined with AND.
    ///
    /// ```swift
    /// let reds = User.all.where { $0.team.name == "Red" && $0.messages.count > 3 }
    /// ```
    public func `where`<Made: MagicalRecord.ConditionConvertible>(
        _ condition: (MagicalRecord.Columns<Object>) -> Made
    ) -> Self where Made.Root == Object { self.where(MagicalRecord.Condition(condition)) }

    /// Adds a condition, combined with AND.
    public func `where`(_ condition: MagicalRecord.Condition<Object>) -> Self {
        with { $0.condition = self.condition.map { $0 && condition } ?? condition }
    }

    /// Adds a predicate, combined with AND.
    public func `where`(_ predicate: NSPredicate) -> Self { self.where(.predicate(predicate)) }

    /// Adds a predicate format with arguments, combined with AND.
    ///
    /// - Throws: ``MagicalRecordError/Code/malformedFormat``.
    public func `where`(_ format: String, _ arguments: any CVarArg...) throws -> Self {
        self.where(try Object.parsed(format, arguments))
    }

    /// Adds a sort key, which decides between objects that are equal in the existing order.
    ///
    /// ```swift
    /// User.all.sorted(by: \.lastUpdate, .descending).sorted(by: \.userID)
    /// ```
    public func sorted(by key: KeyPath<Object, some Any>, _ direction: MagicalRecord.SortDirection = .ascending) -> Self
    {
        sorted(by: MagicalRecord.SortOrder(key, direction))
    }

    /// Adds an order, which decides between objects that are equal in the existing one.
    public func sorted(by order: MagicalRecord.SortOrder<Object>) -> Self { with { $0.order = self.order.then(order) } }

    /// Restricts the result to `limit` objects (0 for none), leaving out `offset` objects before them.
    public func limited(to limit: Int, offset: Int = 0) -> Self { with { ($0.limit, $0.offset) = (limit, offset) } }

    /// Reads the values of `size` objects at a time.
    public func inBatches(of size: Int) -> Self { with { $0.batchSize = size } }

    /// Reads these related objects together with the result, instead of one by one when they are accessed.
    public func prefetching(_ relationships: MagicalRecord.Prefetch<Object>...) -> Self {
        with { $0.prefetching += relationships }
    }

    /// Leaves out the context's unsaved changes.
    public func savedOnly() -> Self { with { $0.includesPendingChanges = false } }
}

extension MagicalRecord.Query: CustomStringConvertible {
    /// The entity, the condition, the order and the limits: `User where isFriend == 1 sorted by displayName ascending, limit 20`.
    public var description: String {
        var text = shownEntity
        if let condition { text += " where \(condition)" }
        if !order.isEmpty { text += " sorted by \(order)" }
        if let limit { text += ", limit \(limit)" }
        if let offset, offset > 0 { text += ", offset \(offset)" }
        return text
    }
}

extension MagicalRecord {
    /// A relationship, or chain of relationships, to be read together with the objects of a query.
    public struct Prefetch<Root: NSManagedObject>: Sendable {
        let path: KeyPathName.Outcome

        /// Returns the relationship of a key path: `.relationship(\.author?.publisher)`.
        public static func relationship<Value>(_ key: KeyPath<Root, Value>) -> Self { Self(path: KeyPathName.of(key)) }

        /// Returns the relationship of a key path as text: `.path("books.publisher")`, for paths through a collection.
        public static func path(_ path: String) -> Self { Self(path: .success(path)) }
    }
}
