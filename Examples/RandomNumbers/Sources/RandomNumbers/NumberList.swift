import Foundation
import MagicalRecord

/// The displayed list: rows of text, updated only by the change callbacks of a fetched-results controller, as in a table view.
@MainActor
final class NumberList: NSObject, @preconcurrency NSFetchedResultsControllerDelegate {
    private let controller: NSFetchedResultsController<Event>
    private let onChange: () -> Void
    private(set) var rows: [String] = []

    /// Fetches the events of a context and observes their changes.
    ///
    /// - Parameter onChange: called after each group of changes.
    init(_ context: NSManagedObjectContext, onChange: @escaping () -> Void) throws {
        let request = NSFetchRequest<Event>(entityName: "Event")
        request.sortDescriptors = [NSSortDescriptor(key: "randomNumber", ascending: false)]
        request.fetchBatchSize = 20
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        self.onChange = onChange
        super.init()
        controller.delegate = self
        try controller.performFetch()
        rows = (controller.fetchedObjects ?? []).map(text)
    }

    /// True if the incrementally updated rows equal the controller's fetched objects.
    var isRight: Bool { rows == (controller.fetchedObjects ?? []).map(text) }

    private func text(_ event: Event) -> String { String(event.randomNumber) }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard let event = anObject as? Event else { return }
        if let indexPath, type != .insert { rows.remove(at: indexPath[1]) }
        if let newIndexPath, type != .delete { rows.insert(text(event), at: newIndexPath[1]) }
        print("    + \(event.randomNumber), now row \((newIndexPath?[1] ?? 0) + 1) of \(rows.count)")
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        onChange()
    }
}
