import CoreData
import Foundation
import Testing

/// A delegate that keeps a copy of the results the way a table view does: from the callbacks alone.
///
/// Positions before a group of changes are meant for deletions, positions after it for insertions. Rows of new sections
/// come from the controller, as they do for a table view, which asks its data source.
final class ResultsMirror: NSObject, NSFetchedResultsControllerDelegate {
    struct Change: Equatable {
        var type: NSFetchedResultsChangeType
        var old: IndexPath?
        var new: IndexPath?
    }

    var rows: [[NSManagedObject]] = []
    var changes: [Change] = []
    var sectionChanges: [(type: NSFetchedResultsChangeType, index: Int)] = []
    var calls: [String] = []
    private var objects: [NSManagedObject] = []

    /// Takes over the state of the controller.
    func load(_ controller: NSFetchedResultsController<NSManagedObject>) {
        rows = (controller.sections ?? []).map { $0.objects as? [NSManagedObject] ?? [] }
    }

    func forget() {
        changes = []
        sectionChanges = []
        calls = []
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        calls.append("will")
        changes = []
        sectionChanges = []
        objects = []
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        calls.append("object")
        changes.append(Change(type: type, old: indexPath, new: newIndexPath))
        objects.append(anObject as! NSManagedObject)
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        calls.append("section")
        sectionChanges.append((type, sectionIndex))
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        calls.append("did")
        for (change, object) in zip(changes, objects) {
            if let old = change.old { #expect(rows[old.section][old.item] === object) }
        }
        var kept: [[NSManagedObject]?] = rows
        let leaving = changes.filter { $0.type == .delete || $0.type == .move }.compactMap(\.old)
        for path in leaving.sorted(by: >) { kept[path.section]?.remove(at: path.item) }
        let deleted = sectionChanges.filter { $0.type == .delete }.map(\.index)
        for index in deleted.sorted(by: >) { kept.remove(at: index) }
        let sections = controller.sections ?? []
        let inserted = Set(sectionChanges.filter { $0.type == .insert }.map(\.index))
        for index in inserted.sorted() { kept.insert(sections[index].objects as? [NSManagedObject], at: index) }
        var arriving: [(path: IndexPath, object: NSManagedObject)] = []
        for (change, object) in zip(changes, objects) where change.type == .insert || change.type == .move {
            if let path = change.new { arriving.append((path, object)) }
        }
        arriving.sort { $0.path < $1.path }
        for (path, object) in arriving where !inserted.contains(path.section) {
            kept[path.section]?.insert(object, at: path.item)
        }
        rows = kept.map { $0 ?? [] }
        for (change, object) in zip(changes, objects) where change.type == .update {
            if let new = change.new { #expect(rows[new.section][new.item] === object) }
        }
    }
}
