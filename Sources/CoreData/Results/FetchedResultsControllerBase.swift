import Foundation

/// Everything a fetched-results controller does, whatever type its results have. Use `NSFetchedResultsController`.
open class FetchedResultsControllerBase: NSObject {
    /// The context the results are fetched from and watched in.
    public final let managedObjectContext: NSManagedObjectContext

    /// Leads from an object to the name of its section; nil for a single section.
    public final let sectionNameKeyPath: String?

    /// The name given; without effect off Apple.
    public final let cacheName: String?

    /// Who is told of changes. Changes are tracked while there is a delegate.
    open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        didSet {
            delegateTakesDifferences = nil
            watch()
        }
    }

    final let untypedRequest: FetchRequestBase
    final private(set) var results: ResultsSnapshot?
    /// Whether the delegate implements the callback for differences; nil while that is not known.
    final var delegateTakesDifferences: Bool?
    private final var tracker: ResultsTracker?
    private final var observation: (any NSObjectProtocol)?

    init(
        request: FetchRequestBase,
        context: NSManagedObjectContext,
        sectionNameKeyPath: String?,
        cacheName: String?
    ) {
        precondition(
            request.sortDescriptors?.isEmpty == false,
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
    /// sort descriptors do not keep the objects of a section together.
    open func performFetch() throws {
        let request = untypedRequest.copy() as! FetchRequestBase
        let objects = try managedObjectContext.fetchAny(request).map { $0 as AnyObject }
        let namer = SectionNamer(keyPath: sectionNameKeyPath)
        let snapshot = try ResultsSnapshot(objects, namer: namer)
        if let name = snapshot.repeatedSectionName {
            throw CoreDataError.make(
                NSCoreDataError, description: "The fetched objects are not sorted by section.",
                reason: "The fetched object at some index has an out of order section name '\(name)'. "
                    + "Objects must be sorted by section name.",
                advice: "Let the first sort descriptor group objects as \(sectionNameKeyPath ?? "") does.",
                entity: request.entityName, key: sectionNameKeyPath)
        }
        results = snapshot
        tracker = ResultsTracker(request: request, namer: namer, context: managedObjectContext)
        watch()
    }

    /// Without effect off Apple, where nothing is cached.
    open class func deleteCache(withName name: String?) {}

    // MARK: Sections

    /// The sections; nil before `performFetch()`. Without a section key path there is exactly one, even when it is empty.
    open var sections: [any NSFetchedResultsSectionInfo]? {
        results.map { results in
            results.sectionNames.indices.map { FetchedResultsSection(results, index: $0, controller: self) }
        }
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
    /// - Parameter sectionIndex: the title's position among `sectionIndexTitles`, which the title already says.
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
        guard let delegate, let old = results, let tracker else { return }
        guard let changes = tracker.changes(from: old, userInfo: userInfo) else { return }
        results = changes.new
        ResultsAnnouncement(changes: changes, old: old).deliver(to: delegate, from: self)
    }
}

private struct WeakController {
    weak var controller: FetchedResultsControllerBase?

    init(_ controller: FetchedResultsControllerBase) {
        self.controller = controller
    }
}
