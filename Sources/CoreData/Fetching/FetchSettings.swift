import Foundation

/// The settings of a fetch request, as a value that can be copied and compared.
struct FetchSettings {
    var entity: NSEntityDescription?
    var entityName: String?
    var predicate: NSPredicate?
    var sortDescriptors: [NSSortDescriptor]?
    var fetchLimit = 0
    var fetchOffset = 0
    var fetchBatchSize = 0
    var resultType = NSFetchRequestResultType.managedObjectResultType
    var includesSubentities = true
    var includesPropertyValues = true
    var returnsObjectsAsFaults = true
    var includesPendingChanges = true
    var relationshipKeyPathsForPrefetching: [String]?
    var propertiesToFetch: [Any]?
    var returnsDistinctResults = false
    var propertiesToGroupBy: [Any]?
    var havingPredicate: NSPredicate?
    var shouldRefreshRefetchedObjects = false

    /// Returns true if two requests have equal settings; entities are compared by name.
    func isSame(as other: FetchSettings) -> Bool {
        (entity?.name ?? entityName) == (other.entity?.name ?? other.entityName)
            && predicate == other.predicate
            && sortDescriptors == other.sortDescriptors && fetchLimit == other.fetchLimit
            && fetchOffset == other.fetchOffset && fetchBatchSize == other.fetchBatchSize
            && resultType == other.resultType && includesSubentities == other.includesSubentities
            && includesPropertyValues == other.includesPropertyValues
            && returnsObjectsAsFaults == other.returnsObjectsAsFaults
            && includesPendingChanges == other.includesPendingChanges
            && relationshipKeyPathsForPrefetching == other.relationshipKeyPathsForPrefetching
            && Self.names(propertiesToFetch) == Self.names(other.propertiesToFetch)
            && returnsDistinctResults == other.returnsDistinctResults
            && Self.names(propertiesToGroupBy) == Self.names(other.propertiesToGroupBy)
            && havingPredicate == other.havingPredicate
            && shouldRefreshRefetchedObjects == other.shouldRefreshRefetchedObjects
    }

    private static func names(_ properties: [Any]?) -> [String]? {
        properties?.map { ($0 as? NSPropertyDescription)?.name ?? ($0 as? String) ?? "\($0)" }
    }
}
