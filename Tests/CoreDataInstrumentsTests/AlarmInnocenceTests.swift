import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Programs that have a reason for what looks like a mistake.
@Suite("Programs that the alarm leaves alone")
struct AlarmInnocenceTests {
    /// With `COREDATA_PLAIN=1` it cannot be told which methods a class overrides, nor one task from another.
    private static let isPlain = ProcessInfo.processInfo.environment["COREDATA_PLAIN"] == "1"

    private let library: Library
    private let context: NSManagedObjectContext

    private static func makeModel(_ bookClass: NSManagedObject.Type = NSManagedObject.self) -> NSManagedObjectModel {
        let model = LibraryModel.make()
        model.entitiesByName["Book"]?.managedObjectClassName = NSStringFromClass(bookClass)
        return model
    }

    init() throws {
        library = try Self.makeLibrary(PlainBook.self)
        context = library.makeContext()
    }

    private static func makeLibrary(
        _ bookClass: NSManagedObject.Type, store: StoreKind = .sqlite
    ) throws -> Library {
        let library = try Library(makeModel(bookClass), store: store)
        let writer = library.context
        try writer.performAndWait {
            for number in 0..<30 {
                let author = writer.insert("Author", ["name": "Author \(number)"])
                writer.insert("Book", ["title": "Book \(number)", "pages": 100 + number, "author": author])
            }
            try writer.save()
            writer.reset()
        }
        return library
    }

    private func request(_ entity: String) -> NSFetchRequest<NSManagedObject> { NSFetchRequest(entityName: entity) }

    private func findings(
        in context: NSManagedObjectContext? = nil, _ body: (NSManagedObjectContext) throws -> Void
    ) throws -> [Instruments.Finding] {
        let context = context ?? self.context
        return try Instruments.record { try context.performAndWait { try body(context) } }.findings
    }

    private func checkNothing(
        in context: NSManagedObjectContext? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let found = try findings(in: context, body)
        #expect(found == [], sourceLocation: sourceLocation)
    }

    // MARK: Objects that are passed on

    private static let predicates: [@Sendable ([NSManagedObject]) -> NSPredicate] = [
        { NSPredicate(format: "author IN %@", argumentArray: [$0]) },
        { NSPredicate(format: "author IN %@", argumentArray: [NSSet(array: $0)]) },
        { NSPredicate(format: "author IN %@", argumentArray: [Set($0)]) },
        { NSPredicate(format: "author IN %@", argumentArray: [NSOrderedSet(array: $0)]) },
        { NSPredicate(format: "author == %@ OR title == 'x'", argumentArray: [$0[29]]) },
        {
            NSCompoundPredicate(
                notPredicateWithSubpredicate: NSPredicate(format: "author IN $all").withSubstitutionVariables([
                    "all": $0
                ]))
        },
    ]

    @Test(arguments: predicates.indices) func argumentsOfAPredicate(_ index: Int) throws {
        try checkNothing { context in
            let request = request("Book")
            request.predicate = Self.predicates[index](try context.fetch(self.request("Author")))
            for book in try context.fetch(request) { _ = book.value(forKey: "title") }
            request.predicate = nil
            _ = try context.count(for: request)
        }
    }

    @Test func argumentsOfACountAndOfABatch() throws {
        try checkNothing { context in
            let request = request("Book")
            request.predicate = NSPredicate(
                format: "author IN %@", argumentArray: [try context.fetch(self.request("Author"))])
            _ = try context.count(for: request)
            request.predicate = nil
            _ = try context.count(for: request)
        }
        try checkNothing { context in
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.predicate = NSPredicate(
                format: "author IN %@", argumentArray: [try context.fetch(self.request("Author"))])
            update.propertiesToUpdate = ["pages": 7]
            try context.execute(update)
            update.predicate = nil
            _ = try context.count(for: request("Book"))
        }
    }

    @Test func membersOfARelationship() throws {
        try checkNothing { context in
            let shelf = context.insert("Shelf")
            shelf.setValue(NSOrderedSet(array: try context.fetch(request("Book"))), forKey: "books")
            try context.save()
        }
    }

    @Test func objectsThatAreRefreshed() throws {
        try checkNothing { context in
            for book in try context.fetch(request("Book")) { context.refresh(book, mergeChanges: false) }
            _ = try context.count(for: request("Author"))
        }
    }

    // MARK: Deletion

    @Test(arguments: [true, false]) func deletionOfAClassThatTakesPartInIt(_ prepares: Bool) throws {
        let library = try Self.makeLibrary(prepares ? PreparedBook.self : ValidatedBook.self)
        try checkNothing(in: library.makeContext()) { context in
            for book in try context.fetch(request("Book")) { context.delete(book) }
            try context.save()
        }
    }

    @Test(.disabled(if: isPlain)) func deletionOfAPlainClassIsSeen() throws {
        let found = try findings { context in
            for book in try context.fetch(request("Book")) { context.delete(book) }
            try context.save()
        }
        #expect(found.map(\.kind) == [.fetchToDelete])
    }

    @Test func deletionInAStoreWithoutBatchRequests() throws {
        let library = try Self.makeLibrary(PlainBook.self, store: .memory)
        try checkNothing(in: library.makeContext()) { context in
            for book in try context.fetch(request("Book")) { context.delete(book) }
            try context.save()
        }
    }

    // MARK: Conditions and orders that no store has

    private static let filters: [@Sendable ([NSManagedObject]) -> Int] = [
        { $0.filter { ($0.value(forKey: "title") as? String ?? "").count % 2 == 1 }.count },
        { $0.filter { (($0.value(forKey: "pages") as? Int) ?? 0) % 2 == 1 }.count },
        { $0.filter { String(($0.value(forKey: "title") as? String ?? "").reversed()) == "x" }.count },
        { ($0 as? [PlainBook])?.filter { $0.number > 110 }.count ?? 0 },
        { ($0 as? [PlainBook])?.filter(\.number.isEven).count ?? 0 },
        {
            $0.sorted {
                ($0.value(forKey: "title") as? String ?? "").count < ($1.value(forKey: "title") as? String ?? "").count
            }.count
        },
        {
            $0.filter { book in
                guard let title = book.value(forKey: "title") as? String else { return false }
                return title.contains("1")
            }.count
        },
        {
            let isLong: (NSManagedObject) -> Bool = { ($0.value(forKey: "pages") as? Int ?? 0) > 110 }
            return $0.filter(isLong).count
        },
    ]

    @Test(arguments: filters.indices) func whatNoStoreCanDo(_ index: Int) throws {
        try checkNothing { context in _ = Self.filters[index](try context.fetch(request("Book"))) }
    }

    private static let comparisons: [@Sendable ([NSManagedObject]) -> Int] = [
        { $0.filter { ($0.value(forKey: "title") as? String ?? "").hasPrefix("Book 1") }.count },
        { $0.filter { $0.value(forKey: "title") as? String == "Book 1" && $0.value(forKey: "cover") == nil }.count },
        { $0.filter { ($0.value(forKey: "published") as? Date ?? .distantPast) < Date() }.count },
        { books in books.filter({ book in (book.value(forKey: "pages") as? Int ?? 0) > 110 }).count },
        { $0.lazy.filter { ($0.value(forKey: "pages") as? Int ?? 0) > 110 }.count },
        { $0.first { ($0.value(forKey: "pages") as? Int ?? 0) > 110 } == nil ? 0 : 1 },
    ]

    @Test(.enabled(if: Instruments.CodePath.areKnown), arguments: comparisons.indices)
    func whatAStoreCanDoIsSeen(_ index: Int) throws {
        let found = try findings { context in _ = Self.comparisons[index](try context.fetch(request("Book"))) }
        #expect(found.map(\.kind) == [.filterInMemory])
    }

    @Test func anOrderByAnotherTable() throws {
        try checkNothing { context in
            for number in 0..<1500 { context.insert("Book", ["title": "New \(number)"]) }
            try context.save()
            context.reset()
            let request = request("Book")
            request.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
            request.fetchLimit = 5
            for book in try context.fetch(request) { _ = book.value(forKey: "title") }
        }
    }

    // MARK: Blocks

    /// Other tests run meanwhile: each `await` waits until one of them gives its thread back.
    private static let settings = {
        var settings = Instruments.AlarmSettings()
        settings.longestPauseBetweenQueries = .seconds(3600)
        return settings
    }()

    private static func find(_ number: Int, in context: NSManagedObjectContext) async throws {
        try await context.perform {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.predicate = NSPredicate(format: "name == %@", "Author \(number)")
            _ = try context.fetch(request).first?.value(forKey: "name")
        }
    }

    @Test(.disabled(if: isPlain)) func lookUpsInABlockEachAreSeen() async throws {
        let context = context
        let found = try await Instruments.findings(settings: Self.settings) {
            for number in 0..<20 { try await Self.find(number, in: context) }
        }
        #expect(found.map(\.kind) == [.repeatedFetch])
    }

    @Test(.disabled(if: isPlain)) func objectsAtHandInABlockEachAreSeen() async throws {
        let context = context
        let ids = try await context.perform {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).map(\.objectID)
        }
        await context.perform { context.reset() }
        let found = await Instruments.findings(settings: Self.settings) {
            for id in ids { await context.perform { _ = context.object(with: id).value(forKey: "name") } }
        }
        #expect(found.map(\.kind) == [.repeatedFault])
    }

    /// As a server's requests; a task may lie in memory where another lay before.
    @Test func aTaskForEachBlock() async throws {
        let context = context
        let found = try await Instruments.findings(settings: Self.settings) {
            for number in 0..<20 { try await Task { try await Self.find(number, in: context) }.value }
        }
        #expect(found == [])
    }

    @Test func aNamedPieceOfWorkForEachBlock() async throws {
        let context = context
        let found = try await Instruments.findings(settings: Self.settings) {
            for number in 0..<20 { try await Instruments.work("request") { try await Self.find(number, in: context) } }
        }
        #expect(found == [])
    }

    @Test func aSaveInABlockEach() async throws {
        let context = context
        let found = try await Instruments.findings(settings: Self.settings) {
            for _ in 0..<10 {
                try await context.perform {
                    context.insert("Tag")
                    try context.save()
                }
            }
        }
        #expect(found == [])
    }
}

extension Int {
    fileprivate var isEven: Bool { self % 2 == 0 }
}

// Model classes are found by their names, which those within other types do not have.

final class PreparedBook: NSManagedObject, @unchecked Sendable {
    override func prepareForDeletion() {}
}

final class ValidatedBook: NSManagedObject, @unchecked Sendable {
    override func validateForDelete() throws {}
}

final class PlainBook: NSManagedObject, @unchecked Sendable {
    var number: Int { (value(forKey: "pages") as? Int) ?? 0 }
}
