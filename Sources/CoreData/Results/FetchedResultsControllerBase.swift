import CoreDataRowStorage
import Foundation

/// The base of fetched-results controllers, independent of the type of their results. Use ``NSFetchedResultsController``.
open class FetchedResultsControllerBase: NSObject {
    /// The context that the results are fetched from and observed in.
    open internal(set) var managedObjectContext: NSManagedObjectContext

    /// The key path from an object to the name of its section; nil for a single section.
    open internal(set) var sectionNameKeyPath: String?

    /// The name of the file that the sections are cached in; nil for no cache.
    open internal(set) var cacheName: String?

    /// The delegate, which is notified of changes. Changes are tracked only while there is one.
    open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        didSet {
            delegateTakesDifferences = nil
            watch()
        }
    }

    final let untypedRequest: FetchRequestBase
    final private(set) var results: ResultsSnapshot? {
        didSet { madeSections = nil }
    }
    /// The sections of ``results``, created on first access.
    final private(set) var madeSections: [FetchedResultsSection]?
    private final var positions: ResultsPositions?
    /// True if the delegate implements the callback for differences; nil while unknown.
    final var delegateTakesDifferences: Bool?
    private final var tracker: ResultsTracker?
    private final var observation: (any NSObjectProtocol)?
    /// The results that a delegate for differences knows by temporary IDs.
    private final var temporary = TemporaryResults()
    private final var seenPermanentIDs = 0
    private final var awaitsPermanentIDs = false

    init(
        request: FetchRequestBase,
        context: NSManagedObjectContext,
        sectionNameKeyPath: String?,
        cacheName: String?
    ) {
        precondition(
            request.sortDescriptors != nil,
            "An instance of NSFetchedResultsController requires a fetch request with sort descriptors.")
        untypedRequest = request
        managedObjectContext = context
        self.sectionNameKeyPath = sectionNameKeyPath
        self.cacheName = cacheName
        super.init()
    }

    deinit {
        if let observation { NotificationCenter.default.removeObserver(observation) }
    }

    // MARK: Fetching

    /// Fetches the objects and arranges them in sections.
    ///
    /// Must be called before the controller is used, and again after the request was changed or the context reset.
    ///
    /// - Throws: The errors of the fetch; an error if the section key path cannot be followed; `NSCoreDataError` if the sort
    ///   descriptors do not keep the objects of a section together, if the section key path ends with a transient attribute
    ///   that is nil for all objects and that the class does not compute (see ``ComputedKeys``), or if the cache of that name
    ///   belongs to another request.
    open func performFetch() throws {
        let request = untypedRequest.copy() as! FetchRequestBase
        let namer = SectionNamer(keyPath: sectionNameKeyPath)
        let snapshot = try managedObjectContext.passingOnReadErrors { try fetchResults(of: request, namer) }
        if let name = snapshot.repeatedSectionName {
            throw CoreDataError.make(
                NSCoreDataError, description: "The fetched objects are not sorted by section.",
                reason: "The fetched object at some index has an out of order section name '\(name)'. "
                    + "Objects must be sorted by section name.",
                advice: "Let the first sort descriptor group objects as \(sectionNameKeyPath ?? "") does.",
                entity: request.entityName, key: sectionNameKeyPath)
        }
        if snapshot.sectionNames == [""] { try checkSectionGetter(request, snapshot) }
        results = snapshot
        positions = nil
        tracker = ResultsTracker(request: request, namer: namer, context: managedObjectContext)
        watch()
    }

    /// Fetches the objects, and uses the cached sections if they match the state of the files.
    private final func fetchResults(of request: FetchRequestBase, _ namer: SectionNamer) throws -> ResultsSnapshot {
        let cache = ResultsCache(
            name: cacheName, request: request, sectionNameKeyPath: sectionNameKeyPath, context: managedObjectContext)
        // With unsaved changes, or writes during the fetch, the results match no state of the files.
        managedObjectContext.processPendingChanges()
        func currentStamp() -> StoreStamp? {
            managedObjectContext.persistentStoreCoordinator.flatMap { StoreStamp($0) }
        }
        let stamp = cache == nil || managedObjectContext.hasChanges ? nil : currentStamp()
        let objects = try managedObjectContext.fetchAny(request).map { $0 as AnyObject }
        let known = try stamp.flatMap { try cache?.sections(of: $0, count: objects.count) }
        let isSettled = stamp != nil && stamp == currentStamp()
        if let known, isSettled { return ResultsSnapshot(objects, sections: known) }
        let results = try ResultsSnapshot(objects, namer: namer)
        if let stamp, isSettled, results.repeatedSectionName == nil { cache?.write(results, stamp) }
        return results
    }

    /// Deletes the cache of a name, or all caches of this program if the name is nil. Must be called before `performFetch()` if
    /// the request of a controller with a cache has changed.
    open class func deleteCache(withName name: String?) { ResultsCache.delete(name: name) }

    // MARK: Sections

    /// The sections; nil before `performFetch()`. Without a section key path there is always one section, even if it is empty.
    open var sections: [any NSFetchedResultsSectionInfo]? {
        results.map { sections(of: $0) }
    }

    /// Returns the sections of a state of the results; the same objects each time for the current state.
    final func sections(of state: ResultsSnapshot) -> [FetchedResultsSection] {
        if state === results, let madeSections { return madeSections }
        let sections = state.sectionNames.indices.map { FetchedResultsSection(state, index: $0, controller: self) }
        if state === results { madeSections = sections }
        return sections
    }

    /// Returns the index title of a section: the delegate's, or else the name's first letter, capitalized.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        guard let delegate else { return Self.standardIndexTitle(forSectionName: sectionName) }
        return delegate.controller(asAnyResults, sectionIndexTitleForSectionName: sectionName)
    }

    /// The distinct index titles of the sections, in order.
    open var sectionIndexTitles: [String] {
        var titles: [String] = []
        for name in results?.sectionNames ?? [] {
            if let title = sectionIndexTitle(forSectionName: name), !titles.contains(title) { titles.append(title) }
        }
        return titles
    }

    /// Returns the first section with an index title. Traps if no section has it.
    ///
    /// - Parameters:
    ///   - title: One of ``sectionIndexTitles``.
    ///   - sectionIndex: The position of the title in that array; ignored.
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        let names = results?.sectionNames ?? []
        guard let index = names.firstIndex(where: { sectionIndexTitle(forSectionName: $0) == title }) else {
            fatalError("No section has the index title \"\(title)\".")
        }
        return index
    }

    static func standardIndexTitle(forSectionName name: String) -> String? {
        name.first.map { String($0).uppercased() }
    }

    /// Returns the position of a result. The first call after a fetch is O(n).
    final func position(of object: AnyObject) -> Int? {
        guard let results else { return nil }
        if positions == nil { positions = ResultsPositions(results) }
        return positions?.index(of: object)
    }

    final func untypedObject(at indexPath: IndexPath) -> AnyObject {
        guard let object = results?.object(at: indexPath) else {
            fatalError("no object at index path \(indexPath.map { $0 }). Call performFetch() first, and stay in range.")
        }
        return object
    }

    /// This object under the type that delegates expect. See ``Retyping``.
    final var asAnyResults: NSFetchedResultsController<any NSFetchRequestResult> {
        Retyping.reference(self)
    }

    // MARK: Observing the context

    private final func watch() {
        noteTemporaryIDs()
        if delegate != nil, tracker != nil {
            guard observation == nil else { return }
            // The notification is posted on the context's queue, which the controller is used on.
            nonisolated(unsafe) let reference = WeakController(self)
            observation = NotificationCenter.default.addObserver(
                forName: NSManagedObjectContext.didChangeObjectsNotification, object: managedObjectContext, queue: nil
            ) { notification in
                reference.controller?.contextChanged(notification.userInfo ?? [:])
            }
        } else if let observation {
            NotificationCenter.default.removeObserver(observation)
            self.observation = nil
        }
    }

    private final func contextChanged(_ userInfo: [AnyHashable: Any]) {
        announcePermanentIDs()
        guard let delegate, let old = results, let tracker else { return }
        let changes = tracker.changes(from: old, userInfo: userInfo) { self.position(of: $0) }
        guard let changes else { return }
        results = changes.new
        positions?.follow(changes)
        ResultsAnnouncement(changes: changes, old: old).deliver(to: delegate, from: self)
        guard mayTakeDifferences else { return }
        for index in changes.deleted { temporary.remove(old.objects[index]) }
        for index in changes.inserted { temporary.add(changes.new.objects[index] as! NSManagedObject) }
        awaitPermanentIDs()
    }

    // MARK: Temporary IDs

    /// True if the delegate is notified by differences of IDs, as far as is known.
    private final var mayTakeDifferences: Bool {
        delegate != nil && sectionNameKeyPath == nil && delegateTakesDifferences != false
    }

    /// Records the results that the delegate knows by temporary IDs. O(n).
    private final func noteTemporaryIDs() {
        temporary = TemporaryResults()
        guard mayTakeDifferences, untypedRequest.resultType == .managedObjectResultType, let results else { return }
        for object in results.objects { temporary.add(unsafeDowncast(object, to: NSManagedObject.self)) }
        awaitPermanentIDs()
    }

    private final func awaitPermanentIDs() {
        seenPermanentIDs = managedObjectContext.permanentIDWaiters.changeCount
        guard !temporary.isEmpty, !awaitsPermanentIDs else { return }
        awaitsPermanentIDs = true
        managedObjectContext.permanentIDWaiters.add { [weak self] in
            guard let self else { return }
            awaitsPermanentIDs = false
            announcePermanentIDs()
            awaitPermanentIDs()
        }
    }

    /// Notifies the delegate, by a difference, of results with temporary IDs that became permanent.
    private final func announcePermanentIDs() {
        let count = managedObjectContext.permanentIDWaiters.changeCount
        guard !temporary.isEmpty, seenPermanentIDs != count else { return }
        seenPermanentIDs = count
        let steps = temporary.takePermanent().compactMap { object, id in
            position(of: object).map { (index: $0, temporary: id, permanent: object.objectID) }
        }
        guard mayTakeDifferences, let delegate, !steps.isEmpty else { return }
        if let difference = CollectionDifference(permanent: steps) {
            delegate.controller(asAnyResults, didChangeContentWith: difference)
        }
    }
}

private struct WeakController {
    weak var controller: FetchedResultsControllerBase?

    init(_ controller: FetchedResultsControllerBase) {
        self.controller = controller
    }
}
