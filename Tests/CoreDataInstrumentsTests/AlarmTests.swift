import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// Programs at fault, each with the place and the remedy that is to be found, and innocent ones that look much like them.
@Suite("Alarm for repeated queries")
struct AlarmTests {
    /// Thirty authors with three books each, and as many tags as there are rows to be scanned.
    private let library: Library
    private let context: NSManagedObjectContext

    init() throws {
        library = try Library(store: .sqlite)
        context = library.makeContext()
        let writer = library.context
        try writer.performAndWait {
            for number in 0..<30 {
                let author = writer.insert("Author", ["name": "Author \(number)", "rating": Double(number)])
                for volume in 0..<3 {
                    writer.insert("Book", ["title": "Book \(number).\(volume)", "pages": 100 + number])
                        .setValue(author, forKey: "author")
                }
            }
            try writer.save()
            writer.reset()
        }
    }

    /// What is found in work with the context.
    private func findings(_ body: (NSManagedObjectContext) throws -> Void) throws -> [Instruments.Finding] {
        try Instruments.record { try context.performAndWait { try body(context) } }.findings
    }

    private func request(_ entity: String, _ format: String? = nil, _ arguments: Any...) -> NSFetchRequest<
        NSManagedObject
    > {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
        return request
    }

    /// The one finding, and that its place is the line where builds can tell it.
    private func check(
        _ findings: [Instruments.Finding], _ kind: Instruments.Finding.Kind, entity: String?, key: String? = nil,
        line: Int, remedy: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(findings.map(\.kind) == [kind], "\(findings)", sourceLocation: sourceLocation)
        guard let finding = findings.first else { return }
        #expect(finding.entity == entity && finding.keyPath == key, "\(finding)", sourceLocation: sourceLocation)
        #expect(finding.remedy.contains(remedy), "\(finding.remedy)", sourceLocation: sourceLocation)
        #expect(!finding.eventIDs.isEmpty, sourceLocation: sourceLocation)
        guard Instruments.CodePath.areKnown else { return }
        #expect(
            finding.place?.file.hasSuffix("AlarmTests.swift") == true && finding.place?.line == line,
            "\(finding.place.map(String.init(describing:)) ?? "nowhere")", sourceLocation: sourceLocation)
    }

    // MARK: At fault

    @Test func aToManyRelationshipReadObjectByObject() throws {
        var line = 0
        let found = try findings { context in
            for author in try context.fetch(request("Author")) {
                line = #line + 1
                _ = (author.value(forKey: "books") as? NSSet)?.count
            }
        }
        try check(
            found, .repeatedRelationshipFault, entity: "Author", key: "books", line: line,
            remedy: "relationshipKeyPathsForPrefetching = [\"books\"]")
        #expect(found.first?.repetitions == 30)
    }

    @Test func aToOneRelationshipFollowedObjectByObject() throws {
        var line = 0
        let found = try findings { context in
            for book in try context.fetch(request("Book")) {
                line = #line + 1
                _ = (book.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name")
            }
        }
        try check(
            found, .repeatedFault, entity: "Book", key: "author", line: line,
            remedy: "relationshipKeyPathsForPrefetching = [\"author\"]")
        #expect(found.first?.repetitions == 30 && found.first?.queries == 30)
    }

    @Test func faultsFulfilledOneByOne() throws {
        var line = 0
        let found = try findings { context in
            let request = request("Author")
            request.includesPropertyValues = false
            for author in try context.fetch(request) {
                line = #line + 1
                _ = author.value(forKey: "name")
            }
        }
        try check(found, .repeatedFault, entity: "Author", line: line, remedy: "returnsObjectsAsFaults = false")
    }

    @Test func aFetchForEachValue() throws {
        var line = 0
        let found = try findings { context in
            for number in 0..<8 {
                line = #line + 1
                _ = try context.fetch(request("Author", "name == %@", "Author \(number)"))
            }
        }
        try check(found, .repeatedFetch, entity: "Author", key: "name", line: line, remedy: "name IN %@")
    }

    @Test func aCountForEachObject() throws {
        var line = 0
        let found = try findings { context in
            let authors = try context.fetch(request("Author"))
            for author in authors {
                line = #line + 1
                _ = try context.count(for: request("Book", "author == %@", author))
            }
            for author in authors { _ = author.value(forKey: "name") }
        }
        try check(found, .repeatedFetch, entity: "Book", key: "author", line: line, remedy: "propertiesToGroupBy")
    }

    @Test func objectsFetchedToBeCounted() throws {
        var line = 0
        let found = try findings { context in
            line = #line + 1
            let count = try context.fetch(request("Book")).count
            #expect(count == 90)
        }
        try check(found, .fetchToCount, entity: "Book", line: line, remedy: "count(for: request)")
    }

    @Test func objectsFetchedToBeDeleted() throws {
        var line = 0
        let found = try findings { context in
            line = #line + 1
            for book in try context.fetch(request("Book")) { context.delete(book) }
            try context.save()
        }
        try check(found, .fetchToDelete, entity: "Book", line: line, remedy: "NSBatchDeleteRequest")
    }

    @Test func aSaveForEachObject() throws {
        var line = 0
        let found = try findings { context in
            for number in 0..<10 {
                context.insert("Tag", ["word": "tag \(number)"])
                line = #line + 1
                try context.save()
            }
        }
        try check(found, .saveInLoop, entity: nil, line: line, remedy: "Save once after the loop")
    }

    @Test(.enabled(if: Instruments.CodePath.areKnown))
    func objectsFilteredInMemory() throws {
        var line = 0
        let found = try findings { context in
            let books = try context.fetch(request("Book"))
            line = #line + 1
            let long = books.filter { ($0.value(forKey: "pages") as? Int ?? 0) > 110 }
            #expect(long.count == 57)
        }
        try check(found, .filterInMemory, entity: "Book", line: line, remedy: "request.predicate = ")
    }

    @Test(.enabled(if: Instruments.CodePath.areKnown))
    func objectsSortedInMemory() throws {
        var line = 0
        let found = try findings { context in
            let authors = try context.fetch(request("Author"))
            line = #line + 1
            let sorted = authors.sorted {
                ($0.value(forKey: "rating") as? Double ?? 0) > ($1.value(forKey: "rating") as? Double ?? 0)
            }
            #expect(sorted.count == 30)
        }
        try check(found, .sortInMemory, entity: "Author", line: line, remedy: "request.sortDescriptors = ")
    }

    @Test func aFetchWithoutAnIndex() throws {
        var line = 0
        let found = try findings { context in
            for number in 0..<1500 { context.insert("Tag", ["word": "tag \(number)"]) }
            try context.save()
            line = #line + 1
            let tags = try context.fetch(request("Tag", "word == %@", "tag 7"))
            #expect(tags.count == 1)
        }
        try check(found, .missingIndex, entity: "Tag", key: "word", line: line, remedy: "fetch index on Tag.word")
    }

    @Test func thousandsOfUnsavedObjects() throws {
        var line = 0
        let found = try findings { context in
            for number in 0..<10_000 { context.insert("Tag", ["word": "tag \(number)"]) }
            line = #line + 1
            try context.save()
        }
        try check(found, .unsavedChanges, entity: nil, line: line, remedy: "Save after every")
    }

    @Test func smallSavesOfContextsOfTheirOwn() async throws {
        let contexts = (0..<30).map { _ in library.makeContext() }
        var settings = Instruments.AlarmSettings()
        // Other tests run meanwhile: each `await` waits until one of them gives its thread back.
        settings.longestPauseBetweenSaves = .seconds(3600)
        let found = try await Instruments.findings(settings: settings) {
            for context in contexts {
                try await context.perform {
                    context.insert("Tag", ["word": "tag"])
                    try context.save()
                }
            }
        }
        #expect(found.map(\.kind) == [.saveInLoop])
    }

    // MARK: Innocent

    private func checkNothing(
        _ body: (NSManagedObjectContext) throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try findings(body)
        #expect(found == [], sourceLocation: sourceLocation)
    }

    @Test func aPrefetchedRelationship() throws {
        try checkNothing { context in
            let request = request("Author")
            request.relationshipKeyPathsForPrefetching = ["books"]
            for author in try context.fetch(request) { _ = (author.value(forKey: "books") as? NSSet)?.count }
        }
    }

    @Test func aPrefetchedToOneRelationship() throws {
        try checkNothing { context in
            let request = request("Book")
            request.relationshipKeyPathsForPrefetching = ["author"]
            for book in try context.fetch(request) {
                _ = (book.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name")
            }
        }
    }

    @Test func aLoopThatAsksForDifferentThings() throws {
        try checkNothing { context in
            for entity in ["Author", "Book", "Tag", "Award", "Shelf"] {
                for object in try context.fetch(request(entity)) { _ = object.objectID }
                _ = try context.count(for: request(entity))
            }
        }
    }

    @Test func fewRepetitions() throws {
        try checkNothing { context in
            for number in 0..<4 { _ = try context.fetch(request("Author", "name == %@", "Author \(number)")) }
        }
    }

    @Test func theSameQuestionAgain() throws {
        try checkNothing { context in
            for _ in 0..<10 { _ = try context.count(for: request("Author", "name == %@", "Author 1")) }
        }
    }

    @Test func aQueryForEachRequest() async throws {
        let library = library
        let contexts = (0..<20).map { _ in library.makeContext() }
        let recording = try await Instruments.record {
            for (number, context) in contexts.enumerated() {
                try await context.perform {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                    request.predicate = NSPredicate(format: "name == %@", "Author \(number)")
                    let author = try #require(context.fetch(request).first)
                    _ = (author.value(forKey: "books") as? NSSet)?.count
                }
            }
        }
        #expect(recording.findings == [])
    }

    @Test func pagesOfAResult() throws {
        try checkNothing { context in
            let request = request("Book")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            request.fetchLimit = 10
            for page in 0..<9 {
                request.fetchOffset = page * 10
                for book in try context.fetch(request) { _ = book.value(forKey: "title") }
            }
        }
    }

    @Test func listsOfValuesOneAfterTheOther() throws {
        try checkNothing { context in
            for chunk in 0..<6 {
                let names = (0..<5).map { "Author \(chunk * 5 + $0)" }
                for author in try context.fetch(request("Author", "name IN %@", names)) {
                    _ = author.value(forKey: "name")
                }
            }
        }
    }

    @Test func savesOfManyObjects() throws {
        try checkNothing { context in
            for batch in 0..<8 {
                for number in 0..<100 { context.insert("Tag", ["word": "tag \(batch).\(number)"]) }
                try context.save()
            }
        }
    }

    @Test func someOfTheFetchedObjectsAreDeleted() throws {
        try checkNothing { context in
            for book in try context.fetch(request("Book")) where (book.value(forKey: "pages") as? Int ?? 0) > 110 {
                context.delete(book)
            }
            try context.save()
        }
    }

    @Test func fetchedObjectsAreRelated() throws {
        try checkNothing { context in
            let shelf = context.insert("Shelf", ["label": "all"])
            for book in try context.fetch(request("Book")) { book.setValue(shelf, forKey: "shelf") }
            try context.save()
        }
    }

    @Test func aConditionThatNoStoreHas() throws {
        func isOdd(_ book: NSManagedObject) -> Bool { (book.value(forKey: "title") as? String ?? "").count % 2 == 1 }
        try checkNothing { context in _ = try context.fetch(request("Book")).filter { isOdd($0) } }
    }

    @Test func aScanThatFindsMuch() throws {
        try checkNothing { context in
            for number in 0..<1500 { context.insert("Tag", ["word": "tag \(number % 3)"]) }
            try context.save()
            for tag in try context.fetch(request("Tag", "word == %@", "tag 1")) { _ = tag.value(forKey: "word") }
        }
    }

    @Test func batchesOfALargeResult() throws {
        try checkNothing { context in
            let request = request("Book")
            request.fetchBatchSize = 10
            for book in try context.fetch(request) { _ = book.value(forKey: "title") }
        }
    }

    // MARK: Reactions

    @Test func testsCanRequireThatNothingIsFound() async throws {
        let context = context
        let error = await #expect(throws: Instruments.FindingsError.self) {
            try await Instruments.requireNoFindings {
                try await context.perform {
                    let authors = try context.fetchAll("Author")
                    for author in authors { _ = (author.value(forKey: "books") as? NSSet)?.count }
                }
            }
        }
        #expect(error?.findings.map(\.kind) == [.repeatedRelationshipFault])
        #expect(error?.localizedDescription.contains("Author.books was read object by object: 30 times") == true)
    }

    @Test func aNamedPieceOfWorkIsOne() async throws {
        let context = context
        let recording = try await Instruments.record {
            try await Instruments.work("refresh") {
                for number in 0..<10 {
                    try await context.perform {
                        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                        request.predicate = NSPredicate(format: "name == %@", "Author \(number)")
                        _ = try context.fetch(request).first?.value(forKey: "name")
                    }
                }
            }
        }
        #expect(recording.findings.map(\.kind) == [.repeatedFetch])
        #expect(recording.events(of: .work).map(\.keyPath) == ["refresh"])
    }

    @Test(.slow) func theLogNamesEachPlaceOnce() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("COREDATA_ALARM", "log", 1)
            let library = try Library(store: .sqlite)
            let context = library.context
            try context.performAndWait {
                for _ in 0..<10 {
                    let author = context.insert("Author", ["name": "A"])
                    context.insert("Book").setValue(author, forKey: "author")
                }
                try context.save()
                for _ in 0..<3 {
                    context.reset()
                    for author in try context.fetchAll("Author") {
                        _ = (author.value(forKey: "books") as? NSSet)?.count
                    }
                }
            }
            precondition(Instruments.findings.count == 1)
            precondition(Instruments.findings[0].repetitions == 30)
            precondition(Instruments.stopAlarm().count == 1 && Instruments.findings.isEmpty)
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("CoreData: warning:") }
        #expect(lines.count == 1, "\(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))")
        #expect(lines.count == 1 && lines.first?.contains("Author.books was read object by object") == true)
    }

    @Test(.slow) func theDebuggerIsStopped() async {
        await #expect(processExitsWith: .signal(SIGTRAP)) {
            let library = try Library(store: .sqlite)
            let context = library.context
            try context.performAndWait {
                for _ in 0..<10 { context.insert("Author", ["name": "A"]) }
                try context.save()
                context.reset()
                Instruments.startAlarm(.stop)
                for author in try context.fetchAll("Author") { _ = (author.value(forKey: "books") as? NSSet)?.count }
            }
        }
    }
}
