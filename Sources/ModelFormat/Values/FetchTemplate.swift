/// A stored fetch request: a template of the model, or the request of a fetched property.
public struct FetchTemplate: Sendable, Hashable {
    public var name: String
    public var entityName: String
    /// The predicate as text; may use `$NAME`, and in fetched properties `$FETCH_SOURCE` and `$FETCHED_PROPERTY`.
    public var predicate: String?
    public var sortKeys: [SortKey] = []
    public var fetchLimit = 0
    public var fetchOffset = 0
    public var fetchBatchSize = 0
    public var resultType = ResultType.objects
    public var includesSubentities = true
    public var includesPropertyValues = true
    public var includesPendingChanges = true
    public var returnsObjectsAsFaults = true
    public var returnsDistinctResults = false
    public var propertiesToFetch: [String] = []
    public var propertiesToGroupBy: [String] = []
    public var havingPredicate: String?
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// XML attributes without meaning for the model, kept for writing.
    public var extraAttributes: [String: String] = [:]

    public init(name: String, entityName: String, predicate: String? = nil) {
        self.name = name
        self.entityName = entityName
        self.predicate = predicate
    }

    /// What a fetch gives. Raw values are those of `NSFetchRequestResultType`.
    public enum ResultType: UInt, Sendable, Hashable {
        case objects = 0
        case objectIDs = 1
        case dictionaries = 2
        case count = 4
    }

    /// A sort descriptor.
    public struct SortKey: Sendable, Hashable {
        public var key: String
        public var ascending: Bool
        public var selector: String?

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
    public var fetchRequest: FetchTemplate
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [String: ModelValue] = [:]
    /// XML attributes without meaning for the model, kept for writing.
    public var extraAttributes: [String: String] = [:]

    public init(name: String, fetchRequest: FetchTemplate) {
        self.name = name
        self.fetchRequest = fetchRequest
    }
}
