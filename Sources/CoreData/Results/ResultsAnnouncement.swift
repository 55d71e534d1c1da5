import Foundation

/// Notifies a delegate of changes to the results.
struct ResultsAnnouncement {
    let changes: ResultsChanges
    let old: ResultsSnapshot

    func deliver(to delegate: any NSFetchedResultsControllerDelegate, from controller: FetchedResultsControllerBase) {
        if deliverDifference(to: delegate, from: controller) { return }
        let sender = controller.asAnyResults
        delegate.controllerWillChangeContent(sender)
        // Sections are inserted before objects are inserted into them, and deleted after their objects.
        deliverInsertedSections(to: delegate, from: controller)
        deliverObjects(to: delegate, from: sender)
        deliverDeletedSections(to: delegate, from: controller)
        delegate.controllerDidChangeContent(sender)
    }

    /// Notifies the delegate by a difference. Returns false if the delegate does not implement that.
    private func deliverDifference(
        to delegate: any NSFetchedResultsControllerDelegate,
        from controller: FetchedResultsControllerBase
    ) -> Bool {
        guard controller.sectionNameKeyPath == nil, controller.delegateTakesDifferences != false else { return false }
        // The default implementation of the method resets this flag.
        controller.delegateTakesDifferences = true
        delegate.controller(controller.asAnyResults, didChangeContentWith: difference)
        return controller.delegateTakesDifferences == true
    }

    private var difference: CollectionDifference<NSManagedObjectID> {
        func id(_ object: AnyObject) -> NSManagedObjectID { (object as! NSManagedObject).objectID }
        var steps: [CollectionDifference<NSManagedObjectID>.Change] = []
        for index in changes.deleted {
            steps.append(.remove(offset: index, element: id(old.objects[index]), associatedWith: nil))
        }
        for index in changes.inserted {
            steps.append(.insert(offset: index, element: id(changes.new.objects[index]), associatedWith: nil))
        }
        for move in changes.moved {
            let element = id(move.object)
            steps.append(.remove(offset: move.oldIndex, element: element, associatedWith: move.newIndex))
            steps.append(.insert(offset: move.newIndex, element: element, associatedWith: move.oldIndex))
        }
        // The positions are consistent by construction; an inconsistent difference would be empty.
        return CollectionDifference(steps) ?? CollectionDifference([])!
    }

    private func deliverInsertedSections(
        to delegate: any NSFetchedResultsControllerDelegate,
        from controller: FetchedResultsControllerBase
    ) {
        guard !changes.insertedSections.isEmpty else { return }
        let sections = controller.sections(of: changes.new)
        for index in changes.insertedSections {
            delegate.controller(
                controller.asAnyResults, didChange: sections[index], atSectionIndex: index, for: .insert)
        }
    }

    private func deliverDeletedSections(
        to delegate: any NSFetchedResultsControllerDelegate,
        from controller: FetchedResultsControllerBase
    ) {
        for index in changes.deletedSections.reversed() {
            let section = FetchedResultsSection(old, index: index, isGone: true, controller: controller)
            delegate.controller(controller.asAnyResults, didChange: section, atSectionIndex: index, for: .delete)
        }
    }

    /// Notifies the delegate of deletions in descending order, insertions in ascending order, moves, and updates.
    private func deliverObjects(
        to delegate: any NSFetchedResultsControllerDelegate,
        from sender: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        let new = changes.new
        for index in changes.deleted.reversed() {
            delegate.controller(
                sender, didChange: old.objects[index], at: old.indexPath(at: index), for: .delete, newIndexPath: nil)
        }
        for index in changes.inserted {
            delegate.controller(
                sender, didChange: new.objects[index], at: nil, for: .insert, newIndexPath: new.indexPath(at: index))
        }
        for (kept, type) in changes.moved.map({ ($0, NSFetchedResultsChangeType.move) })
            + changes.updated.map({ ($0, .update) })
        {
            delegate.controller(
                sender, didChange: kept.object, at: old.indexPath(at: kept.oldIndex), for: type,
                newIndexPath: new.indexPath(at: kept.newIndex))
        }
    }
}
