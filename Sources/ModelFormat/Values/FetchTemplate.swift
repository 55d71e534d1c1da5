/// A stored fetch request: a template of the model, or the request of a fetched property.
public struct FetchTemplate: Sendable, Hashable {
    public var name: String
    /// The entity asked for.
    public var entityName: String
    /// The predicate as text; may use `$NAME`, and in fetched properties `$FETCH_SOURCE` and `$FETCHED_PROPERTY`.
    public var predicate: String?
    /// The order.
    public var sortKeys: [SortKey] = []
    /// How many results at the most; 0 for all.
    public var fetchLimit = 0
    /// How many results are passed over.
    public var fetchOffset = 0
    /// How many objects are loaded at a time; 0 for all.
    public var fetchBatchSize = 0
    /// What the results are.
    public var resultType = ResultType.objects
    /// Whether objects of sub-entities are found.
    public var includesSubentities = true
    /// Whether rows are read, not identities alone.
    public var includesPropertyValues = true
    /// Whether unsaved changes are seen.
    public var includesPendingChanges = true
    /// Whether objects come as faults.
    public var returnsObjectsAsFaults = true
    /// Whether equal results are given once.
    public var returnsDistinctResults = false
    /// The properties of dictionary results; empty for all.
    public var propertiesToFetch: [String] = []
    /// The properties dictionary results are grouped by.
    public var propertiesToGroupBy: [String] = []
    /// The format of the predicate groups must fulfil.
    public var havingPredicate: String?
    /// The relationships loaded along.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// XML attributes without meaning for the model, kept for writing.
    public var extraAttributes: [String: String] = [:]

    /// A template made in code.
    public init(name: String, entityName: String, predicate: String? = nil) {
        self.name = name
        self.entityName = entityName
        self.predicate = predicate
    }

    /// What a fetch gives. Raw values are those of `NSFetchRequestResultType`.
    public enum ResultType: UInt, Sendable, Hashable {
        /// Managed objects.
        case objects = 0
        /// Object IDs.
        case objectIDs = 1
        /// Dictionaries.
        case dictionaries = 2
        /// The number of results.
        case count = 4
    }

    /// A sort descriptor.
    public struct SortKey: Sendable, Hashable {
        /// The key path sorted by.
        public var key: String
        /// Whether small values come first.
        public var ascending: Bool
        /// The method that compares; nil for `compare:`.
        public var selector: String?

        /// An order made in code.
        public init(key: String, ascending: Bool, selector: String? = nil) {
            self.key = key
            self.ascending = ascending
            self.selector = selector
        }
    }
}

/// A fetched property: read-only, and answered by a fetch request whenever it is first asked for.
public struct FetchedProperty: Sendable, Hashable {
    public var name: String
    public var isOptional = false
    /// What it finds; `$FETCH_SOURCE` stands for the object it is read from.
    public var fetchRequest: FetchTemplate
    /// What it is known by across versions; nil for its name.
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [String: ModelValue] = [:]
    /// XML attributes without meaning for the model, kept for writing.
    public var extraAttributes: [String: String] = [:]
    /// XML elements without meaning here, kept for writing.
    public var extraElements: [ExtraElement] = []

    /// A fetched property made in code.
    public init(name: String, fetchRequest: FetchTemplate) {
        self.name = name
        self.fetchRequest = fetchRequest
    }
}
