import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// What a fetch with a limit asks of the store while the context has unsaved changes: not all that matches, but as many rows as
/// the result holds and the changes may replace.
@Suite("Limits beside unsaved changes")
struct LimitBesideChangesTests {
    private let library: FetchLibrary
    private var context: NSManagedObjectContext { library.context }

    init() throws { library = try FetchLibrary() }

    private static func request(_ format: String? = nil, limit: Int, offset: Int = 0) -> NSFetchRequest<NSManagedObject>
    {
        let request = FetchLibrary.books(format)
        (request.fetchLimit, request.fetchOffset) = (limit, offset)
        return request
    }

    /// The numbers of pages found; and what was asked: SQL, and how many rows came.
    private func asked(
        _ request: NSFetchRequest<NSManagedObject>, in context: NSManagedObjectContext? = nil
    ) throws -> (pages: [Int], sql: [String], rows: Int) {
        let context = context ?? self.context
        let (found, recording) = try Instruments.recordResult { try context.fetch(request) }
        // Whichever context asks: a parent does for its child.
        let events = recording.events(of: .fetch)
        return (
            FetchLibrary.pages(found), events.flatMap { $0.statements.map(\.sql) }, events.reduce(0) { $0 + $1.rows }
        )
    }

    private func book(_ pages: Int) throws -> NSManagedObject {
        try context.fetch(FetchLibrary.books("pages == \(pages)"))[0]
    }

    // MARK: What is asked

    @Test func newObjectsLeaveTheLimitAsItIs() throws {
        for number in 1...3 { context.insert("Book", ["pages": 50 + number]) }
        let (pages, sql, rows) = try asked(Self.request("pages > 5", limit: 2))
        #expect(pages == [6, 7] && rows == 2)
        #expect(sql.count == 1 && sql[0].hasSuffix("WHERE (t0.ZPAGES > ?1) ORDER BY t0.ZPAGES, t0.Z_PK LIMIT ?2"))
    }

    @Test func eachChangedObjectIsOneRowMore() throws {
        try book(7).setValue(100, forKey: "pages")
        context.delete(try book(6))
        let (pages, sql, rows) = try asked(Self.request("pages > 5", limit: 2))
        #expect(pages == [8, 9] && rows == 4)
        #expect(sql.count == 1 && sql[0].hasSuffix(" LIMIT ?2"))
    }

    /// The rows left out may be among those that changed.
    @Test func anOffsetCountsFromTheFirstRow() throws {
        try book(1).setValue(100, forKey: "pages")
        context.insert("Book", ["pages": 0])
        let (pages, sql, rows) = try asked(Self.request(limit: 2, offset: 3))
        #expect(pages == [4, 5] && rows == 6)
        #expect(!sql[0].contains("OFFSET"))
        #expect(try asked(Self.request(limit: 5, offset: 39)).pages == [40, 100])
        #expect(try asked(Self.request(limit: 5, offset: 41)).pages == [])
    }

    @Test func unsorted() throws {
        context.insert("Book", ["pages": 500])
        context.delete(try book(1))
        let request = Self.request("pages < 4 OR pages > 400", limit: 3)
        request.sortDescriptors = nil
        let (pages, sql, rows) = try asked(request)
        #expect(pages == [2, 3, 500] && rows == 3)
        #expect(sql[0].hasSuffix(" LIMIT ?3"))
        request.predicate = nil
        #expect(try asked(request).rows == 4)
    }

    /// Among many changed objects those that match are looked up.
    @Test func manyChangedObjects() throws {
        for number in 0..<60 { context.insert("Book", ["pages": 100 + number, "inPrint": number % 2 == 0]) }
        context.insert("Author", ["name": "Dan"])
        for number in 1...4 { try book(number).setValue(200, forKey: "pages") }
        context.delete(try book(6))
        let (pages, _, rows) = try asked(Self.request("inPrint == YES", limit: 3, offset: 1))
        #expect(pages == [10, 12, 14] && rows <= 3 + 1 + 5)
    }

    @Test func objectIDs() throws {
        let new = context.insert("Book", ["pages": 0])
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        request.resultType = .managedObjectIDResultType
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        request.fetchLimit = 2
        let (ids, recording) = try Instruments.recordResult { try context.fetch(request) }
        #expect(ids.count == 2 && ids[0] == new.objectID)
        #expect(recording.totals.rows == 2)
    }

    @Test func counts() throws {
        context.insert("Book", ["pages": 7])
        _ = library.log.selections()
        #expect(try context.count(for: Self.request("pages > 5", limit: 1)) == 1)
        #expect(try context.count(for: Self.request("pages > 5", limit: 40, offset: 30)) == 6)
        #expect(try context.count(for: FetchLibrary.books("pages > 5")) == 36)
        // Without changed rows the store counts.
        let counts = library.log.selections()
        #expect(counts.count == 3 && counts.allSatisfy { $0.hasPrefix("SELECT COUNT(*)") })
        #expect(counts.count { $0.contains("LIMIT") } == 2)
        context.delete(try book(6))
        let (count, recording) = try Instruments.recordResult {
            try context.count(for: Self.request("pages > 5", limit: 3))
        }
        #expect(count == 3 && recording.events(of: .count).map(\.rows) == [4])
        #expect(try context.count(for: Self.request("pages > 38", limit: 3)) == 2)
        #expect(try context.count(for: Self.request("pages > 5", limit: 0, offset: 30)) == 5)
    }

    @Test func batches() throws {
        try book(7).setValue(100, forKey: "pages")
        let request = Self.request("pages > 5", limit: 6, offset: 1)
        request.fetchBatchSize = 2
        let (pages, sql, rows) = try asked(request)
        #expect(pages == [8, 9, 10, 11, 12, 13] && rows == 8)
        #expect(sql[0].hasPrefix("SELECT t0.Z_PK FROM"))
    }

    /// A page as cursors ask for it.
    @Test func pages() throws {
        let last = try book(20)
        context.insert("Book", ["pages": 20])
        context.delete(try book(21))
        let request = Self.request(limit: 4)
        request.predicate = NSPredicate(format: "pages > %d OR (pages == %d AND SELF > %@)", 20, 20, last)
        request.sortDescriptors?.append(NSSortDescriptor(key: "self", ascending: true))
        let (pages, _, rows) = try asked(request)
        #expect(pages == [22, 23, 24, 25] && rows == 5)
    }

    /// The changes of a parent are the stored state of its children.
    @Test func childrenAndTheirChildren() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let grandchild = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        grandchild.parent = child
        try book(6).setValue(100, forKey: "pages")
        context.delete(try book(9))
        try child.fetch(FetchLibrary.books("pages == 7"))[0].setValue(101, forKey: "pages")
        child.insert("Book", ["pages": 8])
        grandchild.delete(try grandchild.fetch(FetchLibrary.books("pages == 10"))[0])
        let request = Self.request("pages > 5", limit: 2, offset: 1)
        #expect(try asked(request).pages == [8, 10] && asked(request).rows == 3 + 2)
        let (ofChild, ofGrandchild) = try (asked(request, in: child), asked(request, in: grandchild))
        #expect(ofChild.pages == [8, 10] && ofGrandchild.pages == [8, 11])
        #expect(ofChild.rows == 3 + 1 + 2 && ofGrandchild.rows == 3 + 1 + 1 + 2)
        #expect(ofGrandchild.sql.count == 1 && ofGrandchild.sql[0].hasSuffix(" LIMIT ?2"))
        #expect(try grandchild.count(for: request) == 2)
    }

    @Test func severalStores() throws {
        let folder = try TemporaryFolder()
        let several = try SeveralStores(
            LibraryModel.make(), types: [NSSQLiteStoreType, NSSQLiteStoreType], in: folder)
        for number in 1...40 {
            let book = several.context.insert("Book", ["pages": number])
            several.context.assign(book, to: several.stores[number % 2])
        }
        try several.context.save()
        let request = Self.request("pages > 5", limit: 3, offset: 1)
        let clean = try asked(request, in: several.context)
        #expect(clean.pages == [7, 8, 9] && clean.rows == 2 * 4)
        several.context.delete(try several.context.fetch(FetchLibrary.books("pages == 8"))[0])
        let (pages, sql, rows) = try asked(request, in: several.context)
        #expect(pages == [7, 9, 10] && rows == 2 * 5)
        #expect(sql.allSatisfy { $0.hasSuffix(" LIMIT ?2") })
        let (count, recording) = try Instruments.recordResult { try several.context.count(for: request) }
        #expect(count == 3 && recording.totals.rows == 2 * 5)
    }

    // MARK: Odd numbers

    /// As Apple's framework has it, where these are unsigned.
    @Test(arguments: StoreKind.allCases)
    func limitsWithoutEndAndNegativeOnes(_ store: StoreKind) throws {
        let library = try Library(store: store)
        for number in 1...5 { library.context.insert("Book", ["pages": number]) }
        try library.context.save()
        for isChanged in [false, true] {
            if isChanged { library.context.insert("Book", ["pages": 6]) }
            let all = Array(1...(isChanged ? 6 : 5))
            for (limit, offset) in [(Int.max, 0), (Int.max, 2), (Int.max - 1, 1), (-1, 0), (0, -3), (3, -1), (-2, 1)] {
                let request = Self.request(limit: limit, offset: offset)
                let rest = all.dropFirst(max(0, offset))
                let wanted = Array(limit > 0 ? rest.prefix(limit) : rest)
                let found = FetchLibrary.pages(try library.context.fetch(request))
                #expect(found == wanted, "\(limit), \(offset)")
                #expect(try library.context.count(for: request) == wanted.count, "\(limit), \(offset)")
            }
        }
    }
}
