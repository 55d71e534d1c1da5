import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// The ways programs write the mistakes of ``AlarmTests``, and more that look like them.
@Suite("Alarm for repeated queries, in other words")
struct AlarmVariationTests {
    private let library: Library
    private let context: NSManagedObjectContext

    init() throws {
        library = try Library(store: .sqlite)
        context = library.makeContext()
        let writer = library.context
        try writer.performAndWait {
            for number in 0..<20 {
                let author = writer.insert("Author", ["name": "Author \(number)"])
                for volume in 0..<2 {
                    let book = writer.insert("Book", ["title": "Book \(number).\(volume)", "pages": 100 + number])
                    book.setValue(author, forKey: "author")
                }
            }
            try writer.save()
            writer.reset()
        }
    }

    private func findings(_ body: (NSManagedObjectContext) throws -> Void) throws -> [Instruments.Finding] {
        try Instruments.record { try context.performAndWait { try body(context) } }.findings
    }

    private func request(_ entity: String) -> NSFetchRequest<NSManagedObject> { NSFetchRequest(entityName: entity) }

    private func check(
        _ findings: [Instruments.Finding], _ kind: Instruments.Finding.Kind, _ key: String?, line: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(findings.map(\.kind) == [kind], "\(findings)", sourceLocation: sourceLocation)
        #expect(findings.first?.keyPath == key, "\(findings)", sourceLocation: sourceLocation)
        guard Instruments.CodePath.areKnown else { return }
        let place = findings.first?.place
        #expect(
            place?.file == #filePath && place?.line == line, "\(findings)", sourceLocation: sourceLocation)
    }

    // MARK: At fault

    @Test func objectsLookedUpByTheirIDs() throws {
        let ids = try context.performAndWait {
            try context.fetch(request("Author")).map(\.objectID)
        }
        context.performAndWait { context.reset() }
        var line = 0
        let found = try findings { context in
            for id in ids {
                line = #line + 1
                _ = try context.existingObject(with: id)
            }
        }
        check(found, .repeatedFault, nil, line: line)
    }

    @Test func operatorsOfKeyPaths() throws {
        var line = 0
        let found = try findings { context in
            for author in try context.fetch(request("Author")) {
                line = #line + 1
                _ = author.value(forKeyPath: "books.@count")
            }
        }
        check(found, .repeatedRelationshipFault, "books", line: line)
    }

    @Test func aKeyPathOfManyObjects() throws {
        var line = 0
        let found = try findings { context in
            let books = try context.fetch(request("Book"))
            line = #line + 1
            _ = books.map { $0.value(forKeyPath: "author.name") as? String }
        }
        check(found, .repeatedFault, "author", line: line)
    }

    private static let lineOfHelper = #line + 2
    private func countBooks(of author: NSManagedObject) -> Int {
        (author.value(forKey: "books") as? NSSet)?.count ?? 0
    }

    @Test func aFunctionCalledInTheLoop() throws {
        var line = 0
        let found = try findings { context in
            for author in try context.fetch(request("Author")) {
                line = #line + 1
                _ = countBooks(of: author)
            }
        }
        check(found, .repeatedRelationshipFault, "books", line: Self.lineOfHelper)
        if Instruments.CodePath.areKnown { #expect(found.first?.callers.first?.line == line) }
    }

    @Test func objectsFetchedToSeeWhetherThereAreAny() throws {
        var line = 0
        let found = try findings { context in
            line = #line + 1
            _ = try context.fetch(request("Book")).isEmpty
            _ = try context.count(for: request("Author"))
        }
        check(found, .fetchToCount, nil, line: line)
        #expect(found.first?.remedy.contains("fetchLimit = 1") == true)
    }

    @Test func blocksInALoopOnTheSameQueue() throws {
        var line = 0
        let ids = try context.performAndWait { try context.fetch(request("Author")).map(\.objectID) }
        let found = try findings { context in
            context.reset()
            for id in ids {
                context.performAndWait {
                    line = #line + 1
                    _ = (context.object(with: id).value(forKey: "books") as? NSSet)?.count
                }
            }
        }
        #expect(found.contains { $0.kind == .repeatedRelationshipFault && $0.keyPath == "books" }, "\(found)")
        #expect(found.allSatisfy { $0.place == nil || $0.place?.line == line }, "\(found)")
    }

    // MARK: Innocent

    private func checkNothing(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let found = try findings(body)
        #expect(found.isEmpty, "\(found)", sourceLocation: sourceLocation)
    }

    @Test func whatDeleteRulesRead() throws {
        try checkNothing { context in
            let request = request("Author")
            request.predicate = NSPredicate(format: "name BEGINSWITH 'Author 1'")
            for author in try context.fetch(request) where author.value(forKey: "name") as? String != "Author 1" {
                context.delete(author)
            }
            try context.save()
        }
    }

    @Test func membersOfARelationshipAreSortedAndFiltered() throws {
        try checkNothing { context in
            let request = request("Author")
            request.relationshipKeyPathsForPrefetching = ["books"]
            for author in try context.fetch(request) {
                let books = author.value(forKey: "books") as? Set<NSManagedObject> ?? []
                _ = books.filter { ($0.value(forKey: "pages") as? Int ?? 0) > 105 }
                _ = books.sorted {
                    ($0.value(forKey: "title") as? String ?? "") < ($1.value(forKey: "title") as? String ?? "")
                }
            }
        }
    }

    @Test func manyObjectsOfFewOthers() throws {
        try context.performAndWait {
            let author = try context.fetch(request("Author"))[0]
            for book in try context.fetch(request("Book")) { book.setValue(author, forKey: "author") }
            try context.save()
            context.reset()
        }
        try checkNothing { context in
            for book in try context.fetch(request("Book")) { _ = book.value(forKeyPath: "author.name") }
        }
    }

    @Test func newObjectsAreRead() throws {
        try checkNothing { context in
            for number in 0..<20 {
                let author = context.insert("Author", ["name": "New \(number)"])
                _ = (author.value(forKey: "books") as? NSSet)?.count
            }
            try context.save()
        }
    }

    @Test func objectsAreRefreshedByThePersonAtTheScreen() throws {
        let author = try context.performAndWait { try context.fetch(request("Author"))[0] }
        for _ in 0..<8 {
            try checkNothing { context in
                context.refresh(author, mergeChanges: true)
                _ = author.value(forKey: "name")
            }
        }
    }
}
