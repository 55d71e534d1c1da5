import CoreDataRowStorage
import Foundation

/// Everything a fetch request says, whatever type its results have.
///
/// Off Apple, generic classes do not convert into each other, so functions that take any fetch request take this class.
/// Not thread-safe; a copy may be sent to another thread.
open class FetchRequestBase: NSPersistentStoreRequest {
    /// Which objects to fetch; nil means all of the entity. An AND of nothing becomes nil.
    open var predicate: NSPredicate? {
        get { settings.predicate }
        set { settings.predicate = Self.isEmptyAnd(newValue) ? nil : newValue }
    }

    /// The order of the results; unspecified for nil.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { settings.sortDescriptors }
        set { settings.sortDescriptors = newValue }
    }

    /// The largest number of results; 0 is no limit.
    open var fetchLimit: Int {
        get { settings.fetchLimit }
        set { settings.fetchLimit = newValue }
    }

    /// The number of matches to leave out at the beginning.
    open var fetchOffset: Int {
        get { settings.fetchOffset }
        set { settings.fetchOffset = newValue }
    }

    /// The number of rows to read at a time as the result is walked; 0 reads all at once. Object results only.
    ///
    /// The fetch itself reads keys alone. Touching an object reads the rows of its batch, and what the request prefetches for
    /// them. Later, objects of batches left behind become faults again, and their rows leave memory: those that are unchanged
    /// and that nobody holds but one array. With batches, objects are faults whatever ``returnsObjectsAsFaults`` says.
    open var fetchBatchSize: Int {
        get { settings.fetchBatchSize }
        set { settings.fetchBatchSize = newValue }
    }

    /// What the fetch gives; managed objects unless set.
    open var resultType: NSFetchRequestResultType {
        get { settings.resultType }
        set { settings.resultType = newValue }
    }

    /// Whether objects of subentities are fetched too. True unless set.
    open var includesSubentities: Bool {
        get { settings.includesSubentities }
        set { settings.includesSubentities = newValue }
    }

    /// Whether values are read along with object IDs. True unless set.
    open var includesPropertyValues: Bool {
        get { settings.includesPropertyValues }
        set { settings.includesPropertyValues = newValue }
    }

    /// Whether objects come as faults, their rows being cached. True unless set.
    open var returnsObjectsAsFaults: Bool {
        get { settings.returnsObjectsAsFaults }
        set { settings.returnsObjectsAsFaults = newValue }
    }

    /// Whether unsaved changes of the context take part. True unless set; never for dictionary results.
    open var includesPendingChanges: Bool {
        get { settings.includesPendingChanges }
        set { settings.includesPendingChanges = newValue }
    }

    /// Key paths of relationships whose objects are read along.
    open var relationshipKeyPathsForPrefetching: [String]? {
        get { settings.relationshipKeyPathsForPrefetching }
        set { settings.relationshipKeyPathsForPrefetching = newValue }
    }

    /// Names or descriptions of the properties to read; nil means all.
    open var propertiesToFetch: [Any]? {
        get { settings.propertiesToFetch }
        set { settings.propertiesToFetch = newValue }
    }

    /// Whether equal results are given once. Dictionary results only.
    open var returnsDistinctResults: Bool {
        get { settings.returnsDistinctResults }
        set { settings.returnsDistinctResults = newValue }
    }

    /// Names or descriptions of the properties to group by. Dictionary results only.
    ///
    /// Once the request has an entity, names of its properties read back as their descriptions (a published library casts
    /// them).
    open var propertiesToGroupBy: [Any]? {
        get {
            guard let entity = settings.entity else { return settings.propertiesToGroupBy }
            return settings.propertiesToGroupBy?.map { ($0 as? String).flatMap(entity.declared) ?? $0 }
        }
        set { settings.propertiesToGroupBy = newValue }
    }

    /// Which groups to give. Needs `propertiesToGroupBy`.
    open var havingPredicate: NSPredicate? {
        get { settings.havingPredicate }
        set { settings.havingPredicate = Self.isEmptyAnd(newValue) ? nil : newValue }
    }

    /// Whether objects the context knows already take the values of the store. False unless set.
    open var shouldRefreshRefetchedObjects: Bool {
        get { settings.shouldRefreshRefetchedObjects }
        set { settings.shouldRefreshRefetchedObjects = newValue }
    }

    /// The entity to fetch. Reading it traps while a request made with a name has not been executed.
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

    /// Name of the entity to fetch.
    open var entityName: String? { settings.entity?.name ?? settings.entityName }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// All that the request says, as one value.
    final var settings: FetchSettings {
        @inline(__always)
        _read { yield stored }
        // Changed in place: an observer would make a copy of all the settings for each change.
        _modify {
            willEdit()
            yield &stored
        }
    }

    @exclusivity(unchecked) private final var stored = FetchSettings()

    /// A request without an entity; set one before use.
    public override init() {
        super.init()
    }

    /// A request for an entity, whose name is looked up when the request is executed.
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

    /// This request as one of the given result type: itself where it is of that type, else a copy.
    final func retyped<Result: NSFetchRequestResult>(to type: Result.Type = Result.self) -> NSFetchRequest<Result> {
        if let request = self as? NSFetchRequest<Result> { return request }
        let request = NSFetchRequest<Result>()
        request.assign(from: self)
        return request
    }

    /// The entity, looked up by name in the model where the request has only a name; remembered then.
    ///
    /// Throws `NSCoreDataError` when the request has no entity or the model none of that name.
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

    /// Leads the request to the copy of its entity.
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
