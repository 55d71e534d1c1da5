import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Fetched results controller")
struct FetchedResultsControllerTests {
    /// Books sorted by title, optionally in sections by shelf label or another key path.
    private func controller(
        _ context: NSManagedObjectContext, predicate: NSPredicate? = nil, sections: String? = nil,
        sortedBy keys: [String] = ["title"]
    ) -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = predicate
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: nil)
    }

    private func titles(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String?] {
        (controller.fetchedObjects ?? []).map { $0.value(forKey: "title") as? String }
    }

    @Test("Nothing is there before the fetch")
    func beforeFetch() throws {
        let library = try Library()
        try library.context.performAndWait {
            let controller = controller(library.context)
            #expect(controller.fetchedObjects == nil)
            #expect(controller.sections == nil)
            try controller.performFetch()
            #expect(controller.fetchedObjects?.isEmpty == true)
        }
    }

    @Test("Without sections there is one, even when it is empty")
    func oneSection() throws {
        let library = try Library()
        try library.context.performAndWait {
            let controller = controller(library.context)
            try controller.performFetch()
            #expect(controller.sections?.count == 1)
            #expect(controller.sections?.first?.name == "")
            #expect(controller.sections?.first?.numberOfObjects == 0)
            let grouped = self.controller(library.context, sections: "title")
            try grouped.performFetch()
            #expect(grouped.sections?.isEmpty == true)
        }
    }

    @Test("Objects are found by index path, and index paths by object")
    func positions() throws {
        let library = try Library()
        try library.context.performAndWait {
            for title in ["C", "A", "B"] { library.context.insert("Book", ["title": title, "pages": 1]) }
            for title in ["D", "E"] { library.context.insert("Book", ["title": title, "pages": 2]) }
            let controller = controller(library.context, sections: "pages", sortedBy: ["pages", "title"])
            try controller.performFetch()
            #expect(titles(controller) == ["A", "B", "C", "D", "E"])
            #expect(controller.sections?.map(\.name) == ["1", "2"])
            #expect(controller.sections?.map(\.numberOfObjects) == [3, 2])
            #expect(controller.sections?[1].objects?.count == 2)
            let path = IndexPath(item: 1, section: 1)
            let object = controller.object(at: path)
            #expect(object.value(forKey: "title") as? String == "E")
            #expect(controller.indexPath(forObject: object) == path)
            let stranger = library.context.insert("Tag")
            #expect(controller.indexPath(forObject: stranger) == nil)
        }
    }

    @Test("Section names are text: numbers as digits, nil as nothing")
    func sectionNames() throws {
        let library = try Library()
        try library.context.performAndWait {
            library.context.insert("Book", ["inPrint": true])
            library.context.insert("Book", ["inPrint": false])
            let author = library.context.insert("Author", ["name": "Ann"])
            let controller = controller(library.context, sections: "inPrint", sortedBy: ["inPrint"])
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == ["0", "1"])
            library.context.insert("Book", ["author": author])
            let byAuthor = self.controller(library.context, sections: "author.name", sortedBy: ["author.name"])
            try byAuthor.performFetch()
            #expect(byAuthor.sections?.map(\.name) == ["", "Ann"])
        }
    }

    @Test("Objects that are not sorted by section are an error")
    func unsorted() throws {
        let library = try Library()
        library.context.performAndWait {
            for (title, pages) in [("A", 1), ("B", 2), ("C", 1)] {
                library.context.insert("Book", ["title": title, "pages": pages])
            }
            let controller = controller(library.context, sections: "pages")
            #expect(throws: CocoaError.self) { try controller.performFetch() }
            #expect((#expect(throws: CocoaError.self) { try controller.performFetch() })?.code == .coreData)
        }
    }

    @Test("Index titles are first letters, or what the delegate says")
    func indexTitles() throws {
        final class Titles: NSObject, NSFetchedResultsControllerDelegate {
            func controller(
                _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
                sectionIndexTitleForSectionName sectionName: String
            ) -> String? { "<\(sectionName)>" }
        }
        let library = try Library()
        try library.context.performAndWait {
            for title in ["apple", "avocado", "banana"] { library.context.insert("Book", ["title": title]) }
            let controller = controller(library.context, sections: "title")
            try controller.performFetch()
            #expect(controller.sectionIndexTitles == ["A", "B"])
            #expect(controller.sections?[0].indexTitle == "A")
            #expect(controller.section(forSectionIndexTitle: "B", at: 1) == 2)
            let delegate = Titles()
            controller.delegate = delegate
            #expect(controller.sectionIndexTitles == ["<apple>", "<avocado>", "<banana>"])
        }
    }

    /// Runs changes against a controller with books A, C, E and tells what its delegate heard.
    private func track(
        predicate: NSPredicate? = nil, sections: String? = nil, sortedBy keys: [String] = ["title"],
        _ change: (NSManagedObjectContext, [String: NSManagedObject]) throws -> Void
    ) throws -> (mirror: ResultsMirror, titles: [String?]) {
        let library = try Library()
        return try library.context.performAndWait {
            var books: [String: NSManagedObject] = [:]
            for (title, pages) in [("A", 1), ("C", 1), ("E", 2)] {
                books[title] = library.context.insert("Book", ["title": title, "pages": pages])
            }
            try library.context.save()
            let controller = controller(library.context, predicate: predicate, sections: sections, sortedBy: keys)
            try controller.performFetch()
            let mirror = ResultsMirror()
            mirror.load(controller)
            controller.delegate = mirror
            try change(library.context, books)
            library.context.processPendingChanges()
            #expect(mirror.rows.flatMap { $0 } == controller.fetchedObjects)
            return (mirror, titles(controller))
        }
    }

    private func change(_ type: NSFetchedResultsChangeType, _ old: [Int]?, _ new: [Int]?) -> ResultsMirror.Change {
        ResultsMirror.Change(
            type: type, old: old.map { IndexPath(indexes: $0) }, new: new.map { IndexPath(indexes: $0) })
    }

    @Test("An insertion is reported at its sorted place")
    func insertion() throws {
        let (mirror, titles) = try track { context, _ in context.insert("Book", ["title": "D"]) }
        #expect(mirror.calls == ["will", "object", "did"])
        #expect(mirror.changes == [change(.insert, nil, [0, 2])])
        #expect(titles == ["A", "C", "D", "E"])
    }

    @Test("A deletion is reported at its old place")
    func deletion() throws {
        let (mirror, titles) = try track { context, books in context.delete(books["C"]!) }
        #expect(mirror.changes == [change(.delete, [0, 1], nil)])
        #expect(titles == ["A", "E"])
    }

    @Test("A change that keeps the place is an update, another a move")
    func updatesAndMoves() throws {
        let update = try track { _, books in books["C"]!.setValue("D", forKey: "title") }
        #expect(update.mirror.changes == [change(.update, [0, 1], [0, 1])])
        let move = try track { _, books in books["A"]!.setValue("Z", forKey: "title") }
        #expect(move.mirror.changes == [change(.move, [0, 0], [0, 2])])
        #expect(move.titles == ["C", "E", "Z"])
    }

    @Test("An update beside an insertion has its old and its new place")
    func updateAndInsertion() throws {
        let (mirror, _) = try track { context, books in
            context.insert("Book", ["title": "0"])
            books["C"]!.setValue(7, forKey: "pages")
        }
        #expect(mirror.changes == [change(.insert, nil, [0, 0]), change(.update, [0, 1], [0, 2])])
    }

    @Test("Objects enter and leave by the predicate")
    func membership() throws {
        let entering = try track(predicate: NSPredicate(format: "pages == 1")) { _, books in
            books["E"]!.setValue(1, forKey: "pages")
        }
        #expect(entering.mirror.changes == [change(.insert, nil, [0, 2])])
        let leaving = try track(predicate: NSPredicate(format: "pages == 1")) { _, books in
            books["A"]!.setValue(3, forKey: "pages")
        }
        #expect(leaving.mirror.changes == [change(.delete, [0, 0], nil)])
        let outside = try track(predicate: NSPredicate(format: "pages == 1")) { context, books in
            books["E"]!.setValue("X", forKey: "title")
            context.insert("Tag", ["word": "w"])
        }
        #expect(outside.mirror.calls.isEmpty)
    }

    @Test("What is inserted and deleted in one event is not reported")
    func insertedAndDeleted() throws {
        let (mirror, _) = try track { context, _ in context.delete(context.insert("Book", ["title": "B"])) }
        #expect(mirror.calls.isEmpty)
    }

    @Test("Sections come and go with their objects")
    func sections() throws {
        let (mirror, _) = try track(sections: "pages", sortedBy: ["pages", "title"]) { context, books in
            context.insert("Book", ["title": "N", "pages": 0])
            context.delete(books["E"]!)
        }
        // New sections come before their objects, and sections go after them, as at Apple.
        #expect(mirror.calls == ["will", "section", "object", "object", "section", "did"])
        #expect(mirror.sectionChanges.map(\.type) == [.insert, .delete])
        #expect(mirror.sectionChanges.map(\.index) == [0, 1])
        #expect(mirror.changes == [change(.delete, [1, 0], nil), change(.insert, nil, [0, 0])])
    }

    /// What a delegate is told of sections: the infos themselves.
    private final class SectionLog: NSObject, NSFetchedResultsControllerDelegate {
        var infos: [NSFetchedResultsChangeType: any NSFetchedResultsSectionInfo] = [:]
        var insertedIsTheControllers = false

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
            for type: NSFetchedResultsChangeType
        ) {
            infos[type] = sectionInfo
            guard type == .insert, let section = controller.sections?[sectionIndex] else { return }
            insertedIsTheControllers = section as AnyObject === sectionInfo as AnyObject
        }
    }

    @Test("The info of a new section is the controller's, that of a section that is gone has no objects")
    func sectionInfos() throws {
        let library = try Library()
        try library.context.performAndWait {
            let gone = library.context.insert("Book", ["title": "A", "pages": 1])
            let controller = controller(library.context, sections: "pages", sortedBy: ["pages", "title"])
            try controller.performFetch()
            let before = try #require(controller.sections?.first)
            #expect(before as AnyObject === controller.sections?.first as AnyObject)
            let log = SectionLog()
            controller.delegate = log
            library.context.delete(gone)
            let new = library.context.insert("Book", ["title": "B", "pages": 2])
            library.context.processPendingChanges()
            #expect(log.insertedIsTheControllers)
            let inserted = try #require(log.infos[.insert]), deleted = try #require(log.infos[.delete])
            #expect(inserted.name == "2" && inserted.objects as? [NSManagedObject] == [new])
            #expect(inserted as AnyObject === controller.sections?.first as AnyObject)
            #expect(deleted.name == "1" && deleted.numberOfObjects == 0 && deleted.objects?.isEmpty == true)
            // A section that was asked for before stays as it was.
            #expect(before.numberOfObjects == 1)
            try controller.performFetch()
            #expect(inserted as AnyObject !== controller.sections?.first as AnyObject)
        }
    }

    @Test("The last object of a section that moves takes the section away")
    func lastOfSection() throws {
        let (mirror, _) = try track(sections: "pages", sortedBy: ["pages", "title"]) { _, books in
            books["E"]!.setValue(1, forKey: "pages")
        }
        #expect(mirror.sectionChanges.map(\.type) == [.delete])
        #expect(mirror.changes == [change(.move, [1, 0], [0, 2])])
    }

    @Test("Another section is a move, even where the order stays")
    func sectionMove() throws {
        let (mirror, _) = try track(sections: "pages", sortedBy: ["pages", "title"]) { _, books in
            books["C"]!.setValue(2, forKey: "pages")
        }
        #expect(mirror.changes == [change(.move, [0, 1], [1, 0])])
        #expect(mirror.sectionChanges.isEmpty)
    }

    @Test("Changes merged from another context are tracked")
    func merged() throws {
        let library = try Library()
        let other = library.makeContext()
        try library.context.performAndWait {
            library.context.insert("Book", ["title": "A"])
            try library.context.save()
            let controller = controller(library.context)
            try controller.performFetch()
            let mirror = ResultsMirror()
            mirror.load(controller)
            controller.delegate = mirror
            library.context.automaticallyMergesChangesFromParent = false
            nonisolated(unsafe) var saved: Notification?
            let token = NotificationCenter.default.addObserver(
                forName: NSManagedObjectContext.didSaveObjectsNotification, object: other, queue: nil
            ) { saved = $0 }
            defer { NotificationCenter.default.removeObserver(token) }
            try other.performAndWait {
                other.insert("Book", ["title": "B"])
                let a = try other.fetchAll("Book").first { $0.value(forKey: "title") as? String == "A" }
                a?.setValue("C", forKey: "title")
                try other.save()
            }
            library.context.mergeChanges(fromContextDidSave: try #require(saved))
            library.context.processPendingChanges()
            #expect(titles(controller) == ["B", "C"])
            #expect(mirror.rows.flatMap { $0 } == controller.fetchedObjects)
        }
    }

    @Test("Without a delegate nothing is tracked, with one again it is")
    func delegateChanges() throws {
        let library = try Library()
        try library.context.performAndWait {
            let controller = controller(library.context)
            try controller.performFetch()
            library.context.insert("Book", ["title": "A"])
            library.context.processPendingChanges()
            #expect(titles(controller).isEmpty)
            let mirror = ResultsMirror()
            controller.delegate = mirror
            mirror.load(controller)
            library.context.insert("Book", ["title": "B"])
            library.context.processPendingChanges()
            #expect(titles(controller) == ["B"])
            controller.delegate = nil
            library.context.insert("Book", ["title": "C"])
            library.context.processPendingChanges()
            #expect(titles(controller) == ["B"])
            try controller.performFetch()
            #expect(titles(controller) == ["A", "B", "C"])
        }
    }

    @Test("The delegate gets the controller itself, whatever its result type")
    func identity() throws {
        final class Watcher: NSObject, NSFetchedResultsControllerDelegate {
            var seen: NSFetchedResultsController<any NSFetchRequestResult>?
            var count = 0
            var firstTitle: String?
            var entityName: String?

            func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
                seen = controller
                count = controller.fetchedObjects?.count ?? 0
                let first = controller.object(at: IndexPath(item: 0, section: 0))
                firstTitle = (first as? NSManagedObject)?.value(forKey: "title") as? String
                entityName = controller.fetchRequest.entityName
                #expect(controller.indexPath(forObject: first) == IndexPath(item: 0, section: 0))
            }
        }
        let library = try Library()
        try library.context.performAndWait {
            let controller = controller(library.context)
            let watcher = Watcher()
            controller.delegate = watcher
            try controller.performFetch()
            library.context.insert("Book", ["title": "B"])
            library.context.insert("Book", ["title": "A"])
            library.context.processPendingChanges()
            #expect(watcher.seen === controller)
            #expect(watcher.count == 2)
            #expect(watcher.firstTitle == "A")
            #expect(watcher.entityName == "Book")
        }
    }

    @Test("A delegate that takes differences gets nothing else")
    func differences() throws {
        final class Differ: NSObject, NSFetchedResultsControllerDelegate {
            var ids: [NSManagedObjectID] = []
            var others = 0

            func controller(
                _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
                didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
            ) {
                ids = ids.applying(diff) ?? []
            }

            func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
                others += 1
            }
        }
        let library = try Library()
        try library.context.performAndWait {
            var books = ["A", "C", "E"].map { library.context.insert("Book", ["title": $0]) }
            try library.context.save()
            let controller = controller(library.context)
            try controller.performFetch()
            let differ = Differ()
            differ.ids = controller.fetchedObjects?.map(\.objectID) ?? []
            controller.delegate = differ
            books[0].setValue("D", forKey: "title")
            library.context.delete(books.remove(at: 1))
            books.append(library.context.insert("Book", ["title": "B"]))
            library.context.processPendingChanges()
            #expect(differ.ids == controller.fetchedObjects?.map(\.objectID))
            #expect(titles(controller) == ["B", "D", "E"])
            #expect(differ.others == 0)
        }
    }

    @Test("Mocks may override init()")
    func mocks() {
        final class Mock: NSFetchedResultsController<NSManagedObject> {
            let objects: [NSManagedObject]

            override init() {
                objects = []
                super.init()
            }

            override var fetchedObjects: [NSManagedObject]? { objects }
        }
        #expect(Mock().fetchedObjects == [])
        #expect(Mock().sectionNameKeyPath == nil)
    }

    @Test("A request without sort descriptors traps")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            _ = NSFetchedResultsController(
                fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Book"),
                managedObjectContext: NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType),
                sectionNameKeyPath: nil, cacheName: nil)
        }
    }
}
