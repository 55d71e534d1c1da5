import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Lists over a store that cannot be read for a while: when it can, and the error was taken, they show what a fetch gives.
@Suite("Lists of what cannot be read")
struct ResultsControllerTests {
    /// A controller follows changes while it has a delegate with a function about content.
    private final class Delegate: NSObject, NSFetchedResultsControllerDelegate {
        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
    }

    private let delegate = Delegate()

    private static let predicates = [nil, "number == 1", "owner.name == 'A'", "owner.badge.number == 1"]

    private func controller(
        _ format: String?, _ context: NSManagedObjectContext
    ) -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Kid")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = [
            NSSortDescriptor(key: "owner.name", ascending: true), NSSortDescriptor(key: "name", ascending: true),
        ]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "owner.name", cacheName: nil)
        controller.delegate = delegate
        return controller
    }

    /// The sections of a list with the names of their objects.
    private func lines(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String] {
        controller.sections?.map { section in
            let names = (section.objects ?? []).map { ($0 as? NSManagedObject)?.name ?? "nil" }
            return "\(section.name): \(names.joined(separator: " "))"
        } ?? []
    }

    private func checkAsFetched(_ controller: NSFetchedResultsController<NSManagedObject>, _ format: String?) throws {
        let fresh = self.controller(format, controller.managedObjectContext)
        try fresh.performFetch()
        #expect(lines(controller) == lines(fresh))
    }

    /// - Parameter refused: with `.rows`, what the sections are named after.
    @Test(arguments: predicates, [Set(FaultyEngine.Question.allCases), [.rows]])
    func aFetchThatFailsThrows(_ format: String?, refused: Set<FaultyEngine.Question>) throws {
        let library = try Library()
        for inChild in [false, true] {
            let context = inChild ? library.child() : library.context()
            try context.performAndWait { () throws in
                let controller = controller(format, context)
                library.faults.refuse(refused)
                #expect(throws: FaultyEngine.error) { try controller.performFetch() }
                library.faults.relent()
                context.takeReadError()
                try controller.performFetch()
                try checkAsFetched(controller, format)
            }
        }
    }

    /// - Parameter edit: what is done while the store does not answer.
    @Test(arguments: predicates, [0, 1, 2, 3, 4])
    func changesAreShownOnceTheyCanBeRead(_ format: String?, edit: Int) throws {
        let library = try Library()
        for inChild in [false, true] {
            let context = inChild ? library.child() : library.context()
            try context.performAndWait { () throws in
                let controller = controller(format, context)
                try controller.performFetch()
                let kids = try context.all("Kid")
                let other = try context.fault("Owner", "B")
                // The list has the objects of its own; others are forgotten.
                library.faults.refuse()
                switch edit {
                case 0: kids[0].setValue(other, forKey: "owner")
                case 1: kids[1].setValue(2, forKey: "number")
                case 2: context.refreshAllObjects()
                case 3: context.delete(kids[2])
                default:
                    let kid = NSEntityDescription.insertNewObject(forEntityName: "Kid", into: context)
                    kid.setValue("new", forKey: "name")
                    kid.setValue(1, forKey: "number")
                    kid.setValue(other, forKey: "owner")
                }
                context.processPendingChanges()
                _ = lines(controller)
                library.faults.relent()
                context.takeReadError()
                try checkAsFetched(controller, format)
                context.rollback()
                try checkAsFetched(controller, format)
            }
        }
    }

    /// Another context saves; what the list's context would have to read for that cannot be read.
    @Test(arguments: predicates)
    func mergesAreShownOnceTheyCanBeRead(_ format: String?) throws {
        let library = try Library()
        let context = library.context(), other = library.context()
        try context.performAndWait { () throws in
            let controller = controller(format, context)
            try controller.performFetch()
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: other, queue: nil
            ) { context.mergeChanges(fromContextDidSave: $0) }
            defer { NotificationCenter.default.removeObserver(token) }
            try other.performAndWait { () throws in
                let kids = try other.all("Kid")
                kids[0].setValue(5, forKey: "number")
                kids[1].setValue(try other.all("Owner")[1], forKey: "owner")
                other.delete(kids[5])
                other.processPendingChanges()
                library.faults.refuse([.rows, .rowsOfFetch, .members, .membersOfMany])
                try other.save()
            }
            context.processPendingChanges()
            _ = lines(controller)
            library.faults.relent()
            context.takeReadError()
            try checkAsFetched(controller, format)
        }
    }
}
