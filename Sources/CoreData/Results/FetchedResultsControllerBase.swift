import CoreDataRowStorage
import Foundation

/// Everything a fetched-results controller does, whatever type its results have. Use `NSFetchedResultsController`.
open class FetchedResultsControllerBase: NSObject {
    /// The context the results are fetched from and watched in.
    open internal(set) var managedObjectContext: NSManagedObjectContext

    /// Leads from an object to the name of its section; nil for a single section.
    open internal(set) var sectionNameKeyPath: String?

    /// The name of the file sections are cached in; nil for no cache.
    open internal(set) var cacheName: String?

    /// Who is told of changes. Changes are tracked while there is a delegate.
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
    /// The sections of ``results``, made when they are asked for.
    final private(set) var madeSections: [FetchedResultsSection]?
    private final var positions: ResultsPositions?
    /// Whether the delegate implements the callback for differences; nil while that is not known.
    final var delegateTakesDifferences: Bool?
    private final var tracker: ResultsTracker?
    private final var observation: (any NSObjectProtocol)?
    /// What a delegate that takes differences knows by temporary IDs.
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

    /// Fetches, and arranges the results in sections.
    ///
    /// Call it before using the controller, and again after changing the request or resetting the context.
    ///
    /// Throws what the fetch throws, an error when the section key path leads nowhere, and `NSCoreDataError` when the
    /// sort descriptors do not keep the objects of a section together, when the section key path ends at a transient attribute
    /// that no object has a value of and the class does not compute (see ``ComputedKeys``), or when the cache of that name
    /// belongs to another request.
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

    /// Fetches, and takes the sections from the cache if it is of the files as they are.
    private final func fetchResults(of request: FetchRequestBase, _ namer: SectionNamer) throws -> ResultsSnapshot {
        let cache = ResultsCache(
            name: cacheName, request: request, sectionNameKeyPath: sectionNameKeyPath, context: managedObjectContext)
        // Unsaved changes, and writes while the fetch runs, make results that no state of the files has.
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

    /// Deletes the cache of a name, or with nil all caches of this program. Call it before `performFetch()` when the
    /// request of a controller with a cache has changed.
    open class func deleteCache(withName name: String?) { ResultsCache.delete(name: name) }

    // MARK: Sections

    /// The sections; nil before `performFetch()`. Without a section key path there is exactly one, even when it is empty.
    open var sections: [any NSFetchedResultsSectionInfo]? {
        results.map { sections(of: $0) }
    }

    /// The sections of a state of the results: the same ones each time for the present state.
    final func sections(of state: ResultsSnapshot) -> [FetchedResultsSection] {
        if state === results, let madeSections { return madeSections }
        let sections = state.sectionNames.indices.map { FetchedResultsSection(state, index: $0, controller: self) }
        if state === results { madeSections = sections }
        return sections
    }

    /// The index title of a section: the delegate's, or else the name's first letter as a capital.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        guard let delegate else { return Self.standardIndexTitle(forSectionName: sectionName) }
        return delegate.controller(asAnyResults, sectionIndexTitleForSectionName: sectionName)
    }

    /// The index titles of the sections, each once, in their order.
    open var sectionIndexTitles: [String] {
        var titles: [String] = []
        for name in results?.sectionNames ?? [] {
            if let title = sectionIndexTitle(forSectionName: name), !titles.contains(title) { titles.append(title) }
        }
        return titles
    }

    /// The first section with that index title. Traps for a title that no section has.
    ///
    /// - Parameters:
    ///   - title: one of `sectionIndexTitles`.
    ///   - sectionIndex: the title's position among these, which the title already says.
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

    /// Where a result is. The first call after a fetch costs a walk over the results.
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

    /// This very object under the type delegates know. See `FetchedResultsTyping`.
    final var asAnyResults: NSFetchedResultsController<any NSFetchRequestResult> {
        Retyping.reference(self)
    }

    // MARK: Watching the context

    private final func watch() {
        noteTemporaryIDs()
        if delegate != nil, tracker != nil {
            guard observation == nil else { return }
            // The notification comes on the context's queue, where the controller lives.
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

    /// Whether the delegate gets differences of IDs, as far as is known.
    private final var mayTakeDifferences: Bool {
        delegate != nil && sectionNameKeyPath == nil && delegateTakesDifferences != false
    }

    /// Notes which results the delegate knows by temporary IDs. Costs a look at each.
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

    /// Tells the delegate of results it knows by temporary IDs and that have permanent ones now, by a difference.
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
