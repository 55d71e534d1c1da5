/// A stored fetch request: a template of the model, or the request of a fetched property.
public struct FetchTemplate: Sendable, Hashable {
    /// The name of the template.
    public var name: String
    /// The name of the fetched entity.
    public var entityName: String
    /// The predicate as text; may use `$NAME`, and in fetched properties `$FETCH_SOURCE` and `$FETCHED_PROPERTY`.
    public var predicate: String?
    /// The sort descriptors.
    public var sortKeys: [SortKey] = []
    /// The maximum number of results; 0 for no limit.
    public var fetchLimit = 0
    /// The number of results that are skipped.
    public var fetchOffset = 0
    /// The number of objects per batch; 0 for no batching.
    public var fetchBatchSize = 0
    /// The type of the results.
    public var resultType = ResultType.objects
    /// True if objects of subentities are included.
    public var includesSubentities = true
    /// True if rows are read, false if only identities are.
    public var includesPropertyValues = true
    /// True if unsaved changes are included.
    public var includesPendingChanges = true
    /// True if objects are returned as faults.
    public var returnsObjectsAsFaults = true
    /// True if equal results are returned once.
    public var returnsDistinctResults = false
    /// The properties of dictionary results; empty for all.
    public var propertiesToFetch: [String] = []
    /// The properties dictionary results are grouped by.
    public var propertiesToGroupBy: [String] = []
    /// The predicate for groups, as text.
    public var havingPredicate: String?
    /// The prefetched relationships.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// Unknown XML attributes, preserved when writing.
    public var extraAttributes: [String: String] = [:]

    /// Creates a template.
    public init(name: String, entityName: String, predicate: String? = nil) {
        self.name = name
        self.entityName = entityName
        self.predicate = predicate
    }

    /// The type of the results of a fetch. Raw values are those of `NSFetchRequestResultType`.
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
        /// The key path of the values to sort by.
        public var key: String
        /// True if smaller values come first.
        public var ascending: Bool
        /// The comparison method; nil for `compare:`.
        public var selector: String?

        /// Creates a sort descriptor.
        public init(key: String, ascending: Bool, selector: String? = nil) {
            self.key = key
            self.ascending = ascending
            self.selector = selector
        }
    }
}

/// A fetched property: read-only, and computed by a fetch request on first access.
public struct FetchedProperty: Sendable, Hashable {
    /// The name of the property.
    public var name: String
    /// True if the property is optional; part of its version hash.
    public var isOptional = false
    /// The fetch request; `$FETCH_SOURCE` is the object from which the property is read.
    public var fetchRequest: FetchTemplate
    /// The identifier across versions; nil for the name.
    public var renamingIdentifier: String?
    /// The modifier that changes the version hash; nil for none.
    public var versionHashModifier: String?
    /// The developer's user-info dictionary.
    public var userInfo: [String: ModelValue] = [:]
    /// Unknown XML attributes, preserved when writing.
    public var extraAttributes: [String: String] = [:]
    /// Unknown XML elements, preserved when writing.
    public var extraElements: [ExtraElement] = []

    /// Creates a fetched property.
    public init(name: String, fetchRequest: FetchTemplate) {
        self.name = name
        self.fetchRequest = fetchRequest
    }
}
