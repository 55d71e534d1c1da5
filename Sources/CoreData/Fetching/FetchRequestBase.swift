import CoreDataRowStorage
import Foundation

/// The base of fetch requests, independent of the type of their results.
///
/// Off Apple's platforms generic classes are not covariant, so functions that accept any fetch request take this class. Not
/// thread-safe; a copy may be sent to another thread.
open class FetchRequestBase: NSPersistentStoreRequest {
    /// The condition that objects must satisfy; nil for all objects of the entity. An AND without operands is stored as nil.
    open var predicate: NSPredicate? {
        get { settings.predicate }
        set { settings.predicate = Self.isEmptyAnd(newValue) ? nil : newValue }
    }

    /// The order of the results; unspecified if nil.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { settings.sortDescriptors }
        set { settings.sortDescriptors = newValue }
    }

    /// The maximum number of results; 0 for no limit.
    open var fetchLimit: Int {
        get { settings.fetchLimit }
        set { settings.fetchLimit = newValue }
    }

    /// The number of results to skip at the start.
    open var fetchOffset: Int {
        get { settings.fetchOffset }
        set { settings.fetchOffset = newValue }
    }

    /// The number of rows to read at a time while the result is iterated; 0 reads all rows at once. Object results only.
    ///
    /// The fetch reads keys only. Accessing an object reads the rows of its batch, and prefetches relationships for them.
    /// Objects of earlier batches become faults again later, which releases their rows, if they are unchanged and retained by a
    /// single array only. With batches, objects are faults whatever ``returnsObjectsAsFaults`` says.
    open var fetchBatchSize: Int {
        get { settings.fetchBatchSize }
        set { settings.fetchBatchSize = newValue }
    }

    /// The kind of the results; managed objects by default.
    open var resultType: NSFetchRequestResultType {
        get { settings.resultType }
        set { settings.resultType = newValue }
    }

    /// Whether objects of subentities are fetched too. True by default.
    open var includesSubentities: Bool {
        get { settings.includesSubentities }
        set { settings.includesSubentities = newValue }
    }

    /// Whether values are read along with object IDs. True by default.
    open var includesPropertyValues: Bool {
        get { settings.includesPropertyValues }
        set { settings.includesPropertyValues = newValue }
    }

    /// Whether objects are returned as faults with cached rows. True by default.
    open var returnsObjectsAsFaults: Bool {
        get { settings.returnsObjectsAsFaults }
        set { settings.returnsObjectsAsFaults = newValue }
    }

    /// Whether unsaved changes of the context are considered. True by default; ignored for dictionary results.
    open var includesPendingChanges: Bool {
        get { settings.includesPendingChanges }
        set { settings.includesPendingChanges = newValue }
    }

    /// The key paths of relationships to prefetch.
    open var relationshipKeyPathsForPrefetching: [String]? {
        get { settings.relationshipKeyPathsForPrefetching }
        set { settings.relationshipKeyPathsForPrefetching = newValue }
    }

    /// The names or descriptions of the properties to read; nil for all.
    open var propertiesToFetch: [Any]? {
        get { settings.propertiesToFetch }
        set { settings.propertiesToFetch = newValue }
    }

    /// Whether equal results are returned once. Dictionary results only.
    open var returnsDistinctResults: Bool {
        get { settings.returnsDistinctResults }
        set { settings.returnsDistinctResults = newValue }
    }

    /// The names or descriptions of the properties to group by. Dictionary results only.
    ///
    /// If the request has an entity, the getter returns the descriptions of properties set by name (a published library casts
    /// the elements to descriptions).
    open var propertiesToGroupBy: [Any]? {
        get {
            guard let entity = settings.entity else { return settings.propertiesToGroupBy }
            return settings.propertiesToGroupBy?.map { ($0 as? String).flatMap(entity.declared) ?? $0 }
        }
        set { settings.propertiesToGroupBy = newValue }
    }

    /// The condition that groups must satisfy. Requires `propertiesToGroupBy`.
    open var havingPredicate: NSPredicate? {
        get { settings.havingPredicate }
        set { settings.havingPredicate = Self.isEmptyAnd(newValue) ? nil : newValue }
    }

    /// Whether registered objects are refreshed with the values of the store. False by default.
    open var shouldRefreshRefetchedObjects: Bool {
        get { settings.shouldRefreshRefetchedObjects }
        set { settings.shouldRefreshRefetchedObjects = newValue }
    }

    /// The entity to fetch. Reading it traps if the request was created with a name and has not been executed.
    open var entity: NSEntityDescription? {
        get {
            if settings.entity == nil, let name = settings.entityName {
                fatalError(
                    "This fetch request was created with a string name (\(name)), and cannot respond to -entity until "
                        + "used by an NSManagedObjectContext.")
            }
            return settings.entity
        }
        set {
            settings.entity = newValue
            settings.entityName = newValue?.name
        }
    }

    /// The name of the entity to fetch.
    open var entityName: String? { settings.entity?.name ?? settings.entityName }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// The settings of the request.
    final var settings: FetchSettings {
        @inline(__always)
        _read { yield stored }
        // Modified in place: a property observer would copy all settings for each change.
        _modify {
            willEdit()
            yield &stored
        }
    }

    @exclusivity(unchecked) private final var stored = FetchSettings()

    /// Creates a request without an entity; set one before use.
    public override init() {
        super.init()
    }

    /// Creates a request for an entity; its name is looked up when the request is executed.
    public convenience init(entityName: String) {
        self.init()
        settings.entityName = entityName
    }

    // MARK: For the module

    override func makeEmpty() -> NSPersistentStoreRequest { FetchRequestBase() }

    override func assign(from other: NSPersistentStoreRequest) {
        super.assign(from: other)
        if let other = other as? FetchRequestBase { settings = other.settings }
    }

    /// Returns this request with a result type: the request itself if it has that type, or a copy.
    final func retyped<Result: NSFetchRequestResult>(to type: Result.Type = Result.self) -> NSFetchRequest<Result> {
        if let request = self as? NSFetchRequest<Result> { return request }
        let request = NSFetchRequest<Result>()
        request.assign(from: self)
        return request
    }

    /// Returns the entity, looked up by name in the model and cached if the request has only a name.
    ///
    /// - Throws: `NSCoreDataError` if the request has no entity, or the model none of that name.
    final func resolveEntity(in model: NSManagedObjectModel) throws -> NSEntityDescription {
        if let entity = settings.entity { return entity }
        guard let name = settings.entityName else {
            throw CoreDataError.make(
                NSCoreDataError, description: "A fetch request must have an entity.",
                reason: "executeFetchRequest:error: A fetch request must have an entity.",
                advice: "Create the request with init(entityName:) or set its entity.")
        }
        guard let entity = model.entity(named: name) else {
            throw CoreDataError.make(
                NSCoreDataError, description: "The model has no entity named '\(name)'.",
                reason: "NSFetchRequest could not locate an NSEntityDescription for entity name '\(name)'",
                advice: "Check the entity's name against the model.", entity: name)
        }
        if !isFrozen { settings.entity = entity }
        return entity
    }

    /// Replaces the entity by its copy in another model.
    final func rebindEntity(_ find: (String) -> NSEntityDescription?) {
        guard let name = settings.entity?.name else { return }
        settings.entity = find(name)
        settings.entityName = name
    }

    private static func isEmptyAnd(_ predicate: __shared NSPredicate?) -> Bool {
        guard let compound = predicate as? NSCompoundPredicate else { return false }
        return compound.compoundPredicateType == .and && compound.subpredicates.isEmpty
    }

    // MARK: NSObject

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? FetchRequestBase else { return false }
        return self === other || settings.isSame(as: other.settings)
    }

    open override var hash: Int { entityName.hashValue }

    open override var description: String {
        let sorting = sortDescriptors?.map { "(\($0.key ?? "SELF"), \($0.ascending ? "ascending" : "descending"))" }
        return "<NSFetchRequest> (entity: \(entityName ?? "(null)"); "
            + "predicate: (\(predicate.map(ModelText.format) ?? "(null)")); "
            + "sortDescriptors: (\(sorting?.joined(separator: ", ") ?? "(null)")); limit: \(fetchLimit); "
            + "batch size: \(fetchBatchSize); type: \(resultType.rawValue))"
    }
}
