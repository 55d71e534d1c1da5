import Foundation

/// The kind of a change of a result or section. Raw values are Apple's.
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// Inserted.
    case insert = 1
    /// Deleted.
    case delete = 2
    /// Moved to another position.
    case move = 3
    /// Changed in place.
    case update = 4
}

/// A delegate that is notified of changes to the results. All methods are optional: off Apple's platforms they have default
/// implementations.
///
/// Methods are called on the context's queue. The controller has the new results from the first call on.
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
    /// Called before the notifications of a group of changes.
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// Called when a result changed.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - anObject: The object.
    ///   - indexPath: Its position before the whole group of changes; nil for an insertion.
    ///   - type: The kind of change.
    ///   - newIndexPath: Its position after the whole group of changes; nil for a deletion.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    )

    /// Called when a section was inserted (with its index after the group of changes) or deleted (with its index before it).
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    )

    /// Called after the notifications of a group of changes.
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// Called with a group of changes as a difference, if there are no sections. A delegate that implements it does not get the
    /// four calls above. A difference does not contain objects that were only updated.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    )

    /// Returns the index title of a section; nil for none.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?
}

extension NSFetchedResultsControllerDelegate {
    /// Does nothing.
    public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {}

    /// Does nothing.
    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

    /// Records that the delegate does not implement the method.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        controller.delegateTakesDifferences = false
    }

    /// Returns the section name's first letter, capitalized.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        FetchedResultsControllerBase.standardIndexTitle(forSectionName: sectionName)
    }
}
