import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Random edits by the controller's context, a sibling whose saves are merged, and a child: controller, a table kept from
/// the callbacks, and a fetch agree after every round.
@Suite("Fetched results with several contexts")
struct ResultsOfSeveralContextsTests {
    struct Setup: CustomTestStringConvertible, Sendable {
        var seed: UInt64
        var hasSections: Bool
        var type: String
        var testDescription: String { "seed \(seed), sections \(hasSections), \(type)" }
    }

    static let setups = (1...LongForm.choose(2, long: 4)).flatMap { seed in
        [(true, NSSQLiteStoreType), (false, NSSQLiteStoreType), (true, NSInMemoryStoreType)].map {
            Setup(seed: UInt64(seed), hasSections: $0.0, type: $0.1)
        }
    }

    @Test("Controller, table and fetch agree", arguments: setups)
    func agreement(_ setup: Setup) throws {
        let folder = try TemporaryFolder()
        let library = try Library(type: setup.type, at: folder.file("Library.sqlite"))
        let (context, sibling) = (library.context, library.makeContext())
        let child = library.makeChild()
        for editor in [context, sibling, child] {
            editor.performAndWait { editor.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
        }
        var random = SeededGenerator(seed: setup.seed)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "inPrint == YES")
        request.sortDescriptors = ["pages", "title"].map { NSSortDescriptor(key: $0, ascending: true) }
        request.fetchBatchSize = 5
        try context.performAndWait {
            for _ in 0..<20 { Self.insert(in: context, &random) }
            try context.save()
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context,
                sectionNameKeyPath: setup.hasSections ? "pages" : nil, cacheName: nil)
            try controller.performFetch()
            let mirror = ResultsMirror()
            mirror.load(controller)
            controller.delegate = mirror
            for round in 0..<30 {
                switch Int.random(in: 0...3, using: &random) {
                case 0: try edit(context, &random)
                case 1: try mergeSave(of: sibling, into: context, &random)
                case 2: try edit(child, &random, refreshing: true)
                default: try refreshSome(of: context, &random)
                }
                context.processPendingChanges()
                if Bool.random(using: &random) { try context.save() }
                let expected = try context.fetch(request)
                #expect(texts(controller.fetchedObjects ?? []) == texts(expected), "round \(round)")
                #expect(texts(mirror.rows.flatMap { $0 }) == texts(expected), "round \(round)")
                #expect(mirror.rows.map(\.count) == controller.sections?.map(\.numberOfObjects), "round \(round)")
                for (index, object) in (controller.fetchedObjects ?? []).enumerated() where index % 7 == 0 {
                    let path = try #require(controller.indexPath(forObject: object))
                    #expect(controller.object(at: path) === object)
                }
            }
        }
    }

    private func texts(_ books: [NSManagedObject]) -> [String] {
        books.map { "\($0.value(forKey: "pages") ?? "nil") \($0.value(forKey: "title") ?? "nil")" }
    }

    private static func insert(in context: NSManagedObjectContext, _ random: inout SeededGenerator) {
        context.insert(
            "Book",
            [
                "title": "\(UInt32.random(in: .min ... .max, using: &random))",
                "pages": Int.random(in: 0...4, using: &random), "inPrint": Int.random(in: 0...3, using: &random) > 0,
            ])
    }

    /// A few edits, and a save in a child context, which hands them to its parent.
    private func edit(
        _ context: NSManagedObjectContext, _ random: inout SeededGenerator, refreshing: Bool = false
    ) throws {
        try context.performAndWait {
            if refreshing { context.refreshAllObjects() }
            let titles = NSFetchRequest<NSManagedObject>(entityName: "Book")
            titles.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let books = try context.fetch(titles)
                guard let book = books.randomElement(using: &random) else { continue }
                switch Int.random(in: 0...4, using: &random) {
                case 0 where books.count > 8: context.delete(book)
                case 1: book.setValue(Int.random(in: 0...4, using: &random), forKey: "pages")
                case 2: book.setValue("\(UInt32.random(in: .min ... .max, using: &random))", forKey: "title")
                case 3: book.setValue(Bool.random(using: &random), forKey: "inPrint")
                default: Self.insert(in: context, &random)
                }
            }
            if context.parent != nil { try context.save() }
        }
    }

    private func mergeSave(
        of sibling: NSManagedObjectContext, into context: NSManagedObjectContext, _ random: inout SeededGenerator
    ) throws {
        // The sibling edits what is saved.
        try context.save()
        nonisolated(unsafe) var saved: Notification?
        let observer = NotificationCenter.default.addObserver(
            forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: sibling, queue: nil
        ) { saved = $0 }
        defer { NotificationCenter.default.removeObserver(observer) }
        sibling.performAndWait { sibling.reset() }
        try edit(sibling, &random)
        try sibling.performAndWait { try sibling.save() }
        if let saved { context.mergeChanges(fromContextDidSave: saved) }
    }

    private func refreshSome(of context: NSManagedObjectContext, _ random: inout SeededGenerator) throws {
        for book in try context.fetchAll("Book") where !book.isInserted && Bool.random(using: &random) {
            context.refresh(book, mergeChanges: Bool.random(using: &random))
        }
    }
}
