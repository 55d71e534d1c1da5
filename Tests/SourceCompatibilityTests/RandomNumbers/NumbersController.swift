import CoreData
import Foundation

/// A table's data source, without the table: a list that follows its results controller row by row.
class NumbersController: NSObject, NSFetchedResultsControllerDelegate {
    var managedObjectContext: NSManagedObjectContext
    var rows: [Int32] = []
    var updates = 0
    private var _fetchedResultsController: NSFetchedResultsController<Event>?

    init(context: NSManagedObjectContext) {
        managedObjectContext = context
        super.init()
    }

    var fetchedResultsController: NSFetchedResultsController<Event> {
        if let controller = _fetchedResultsController {
            return controller
        }
        let fetchRequest: NSFetchRequest<Event> = Event.fetchRequest()
        fetchRequest.fetchBatchSize = 20
        fetchRequest.sortDescriptors = [NSSortDescriptor(key: "randomNumber", ascending: false)]
        let controller = NSFetchedResultsController(
            fetchRequest: fetchRequest, managedObjectContext: managedObjectContext, sectionNameKeyPath: nil,
            cacheName: nil)
        controller.delegate = self
        _fetchedResultsController = controller
        do {
            try controller.performFetch()
        } catch {
            let nserror = error as NSError
            fatalError("Unresolved error \(nserror), \(nserror.userInfo)")
        }
        rows = controller.fetchedObjects?.map { $0.randomNumber } ?? []
        return controller
    }

    func numberOfSections() -> Int {
        return fetchedResultsController.sections?.count ?? 0
    }

    func numberOfRows(inSection section: Int) -> Int {
        let sectionInfo = fetchedResultsController.sections![section]
        return sectionInfo.numberOfObjects
    }

    func text(at indexPath: IndexPath) -> String {
        let event = fetchedResultsController.object(at: indexPath)
        return "\(event.randomNumber)"
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        updates += 1
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        didChange sectionInfo: NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        switch type {
        case .insert, .delete:
            fatalError("There is one section.")
        default:
            return
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        let event = anObject as! Event
        switch type {
        case .insert:
            pending.append((newIndexPath!.item, event.randomNumber))
        case .delete:
            removed.append(indexPath!.item)
        case .update:
            rows[indexPath!.item] = event.randomNumber
        case .move:
            removed.append(indexPath!.item)
            pending.append((newIndexPath!.item, event.randomNumber))
        @unknown default:
            fatalError()
        }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        for index in removed.sorted(by: >) {
            rows.remove(at: index)
        }
        for (index, number) in pending.sorted(by: { $0.0 < $1.0 }) {
            rows.insert(number, at: index)
        }
        removed = []
        pending = []
    }

    private var removed: [Int] = []
    private var pending: [(Int, Int32)] = []
}
