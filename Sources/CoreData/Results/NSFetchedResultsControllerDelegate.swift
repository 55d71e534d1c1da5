import Foundation

/// What happened to a result or a section. Raw values are Apple's.
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// It is new.
    case insert = 1
    /// It is gone.
    case delete = 2
    /// It is at another place.
    case move = 3
    /// Its values changed.
    case update = 4
}

/// Is told how results change. All methods are optional: off Apple they have implementations that do nothing.
///
/// Called on the context's queue. The controller shows the new state from the first call on.
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
    /// A group of changes follows.
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// A result changed.
    ///
    /// - Parameters:
    ///   - controller: the controller.
    ///   - anObject: the object.
    ///   - indexPath: where it was before the whole group of changes; nil for an insertion.
    ///   - type: what happened to it.
    ///   - newIndexPath: where it is after it; nil for a deletion.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    )

    /// A section was inserted (index after the group of changes) or deleted (index before it).
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    )

    /// The group of changes is complete.
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// The results changed by this difference. Used where there are no sections; implementing it suppresses the four
    /// methods above. Objects that were only updated do not show in a difference.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    )

    /// The index title of a section; nil for none.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?
}

extension NSFetchedResultsControllerDelegate {
    public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {}

    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {}

    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        // That this runs tells the controller that the delegate does not implement the method.
        controller.delegateTakesDifferences = false
    }

    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        FetchedResultsControllerBase.standardIndexTitle(forSectionName: sectionName)
    }
}
