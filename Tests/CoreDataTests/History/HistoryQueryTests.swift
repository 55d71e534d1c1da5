import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// What requests over history select: by SQL, with the result that evaluating their predicates in memory would have.
@Suite("Queries over history")
struct HistoryQueryTests {
    private let library: StoredLibrary
    private var context: NSManagedObjectContext { library.context }

    /// Six saves, by three authors and without one: 1 inserts two tags and an author, 2 updates a tag, 3 inserts a tag,
    /// 4 deletes one, 5 and 6 insert one each.
    private static func fill(_ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            func save(_ author: String?, _ name: String? = nil) throws {
                (context.transactionAuthor, context.name) = (author, name)
                try context.save()
            }
            let first = context.insert("Tag", ["word": "a"]), second = context.insert("Tag", ["word": "b"])
            context.insert("Author", ["name": "A"])
            try save("app", "main")
            first.setValue("c", forKey: "word")
            try save("import", "main")
            context.insert("Tag", ["word": "d"])
            try save(nil)
            context.delete(second)
            try save("App")
            context.insert("Tag", ["word": "e"])
            try save("sync", "worker")
            context.insert("Tag", ["word": "f"])
            try save("import")
        }
    }

    init() throws {
        library = try StoredLibrary(options: [NSPersistentHistoryTrackingKey: true])
        try Self.fill(library.context)
    }

    private enum About { case transactions, changes }

    private func request(
        _ about: About, _ predicate: NSPredicate?, limit: Int = 0, offset: Int = 0, sort: [NSSortDescriptor]? = nil
    ) throws -> NSPersistentHistoryChangeRequest {
        let fetch = try #require(
            about == .changes
                ? NSPersistentHistoryChange.fetchRequest : NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = predicate
        (fetch.fetchLimit, fetch.fetchOffset, fetch.sortDescriptors) = (limit, offset, sort)
        return .fetchHistory(withFetch: fetch)
    }

    private func run(_ request: NSPersistentHistoryChangeRequest, _ type: NSPersistentHistoryResultType) throws -> Any?
    {
        request.resultType = type
        return try context.performAndWait { try (context.execute(request) as? NSPersistentHistoryResult)?.result }
    }

    private func transactions(_ request: NSPersistentHistoryChangeRequest) throws -> [NSPersistentHistoryTransaction] {
        try #require(try run(request, .transactionsAndChanges) as? [NSPersistentHistoryTransaction])
    }

    private func changes(_ request: NSPersistentHistoryChangeRequest) throws -> [NSPersistentHistoryChange] {
        try #require(try run(request, .changesOnly) as? [NSPersistentHistoryChange])
    }

    // MARK: Predicates

    private static let ofTransactions = [
        "author == 'import'", "'import' == author", "author != 'import'", "NOT author == 'import'", "author == nil",
        "author != nil", "author ==[c] 'app'", "author !=[c] 'app'", "author IN {'app', 'sync', 'none'}",
        "NOT author IN {'app', 'sync'}", "author BEGINSWITH 'i'", "author CONTAINS[c] 'PP'", "author LIKE 's*'",
        "NOT author BEGINSWITH 'i'", "author < 'b'", "NOT author < 'b'", "author == 'none'", "author != 'none'",
        "author == ''", "contextName == 'main' AND author != 'app'", "contextName == nil OR author == 'app'",
        "transactionNumber > 2 AND transactionNumber <= 5", "transactionNumber BETWEEN {2, 4}",
        "transactionNumber IN {1, 6, 9}", "author == 'import' AND contextName == 'main'", "TRUEPREDICATE",
        "FALSEPREDICATE", "author == contextName", "bundleID == processID", "processID != nil",
        "author == 'import' AND transactionNumber > 2", "length(author) == 3",
    ]

    @Test(arguments: ofTransactions)
    func transactionsAreTheSameAsInMemory(format: String) throws {
        try comparesTransactions(format)
    }

    private func comparesTransactions(_ format: String) throws {
        let predicate = NSPredicate(format: format)
        let all = try transactions(request(.transactions, nil))
        #expect(all.map(\.transactionNumber) == [1, 2, 3, 4, 5, 6])
        let wanted = all.filter { predicate.evaluate(with: $0) }
        let found = try transactions(request(.transactions, predicate))
        #expect(found.map(\.transactionNumber) == wanted.map(\.transactionNumber))
        #expect(found.map { $0.changes?.count } == wanted.map { $0.changes?.count })
        let count = wanted.reduce(0) { $0 + ($1.changes?.count ?? 0) }
        #expect(try run(request(.transactions, predicate), .count) as? Int == count)
    }

    /// Older frameworks wrote names into the transactions themselves.
    @Test(.enabled(if: StoredLibrary.kind == .sqlite), arguments: ofTransactions)
    func namesOfOlderFrameworks(format: String) throws {
        let connection = try SQLiteConnection(path: library.url.path, access: .readWrite, busyTimeout: 5)
        try connection.execute(
            """
            UPDATE ATRANSACTION SET ZAUTHOR = (SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ZAUTHORTS), \
            ZPROCESSID = (SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ZPROCESSIDTS), \
            ZBUNDLEID = (SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ZBUNDLEIDTS), \
            ZCONTEXTNAME = (SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ZCONTEXTNAMETS), \
            ZAUTHORTS = NULL, ZPROCESSIDTS = NULL, ZBUNDLEIDTS = NULL, ZCONTEXTNAMETS = NULL WHERE Z_PK < 4
            """)
        try comparesTransactions(format)
    }

    @Test(arguments: [
        "changeType == 2", "changeType != 0", "changeID > 3", "changeID IN {1, 4}", "changedEntity == 'Tag'",
        "changedEntity.name == 'Author'", "changedEntity.name != 'Author'",
        "transaction.author == 'import'", "transaction.author != 'import'", "transaction.contextName == nil",
        "transaction.transactionNumber < 3 AND changeType == 0", "transaction.author IN {'sync', 'App'}",
        "NOT (transaction.author == 'import' OR changeType == 2)",
    ])
    func changesAreTheSameAsInMemory(format: String) throws {
        let predicate = NSPredicate(format: format)
        let all = try transactions(request(.transactions, nil))
        let wanted = all.flatMap { $0.changes ?? [] }.filter { change in
            // A name stands for an entity in SQL.
            guard format.contains("changedEntity ==") else { return predicate.evaluate(with: change) }
            return change.changedObjectID.entity.name == "Tag"
        }
        #expect(!wanted.isEmpty)
        let found = try changes(request(.changes, predicate))
        #expect(found.map(\.changeID) == wanted.map(\.changeID))
        #expect(found.map(\.changedObjectID) == wanted.map(\.changedObjectID))
        #expect(try run(request(.changes, predicate), .count) as? Int == wanted.count)
        let within = try transactions(request(.changes, predicate))
        #expect(within.flatMap { $0.changes ?? [] }.map(\.changeID) == wanted.map(\.changeID))
        #expect(within.map(\.transactionNumber) == Set(found.compactMap { $0.transaction?.transactionNumber }).sorted())
        let bare = try run(request(.changes, predicate), .transactionsOnly) as? [NSPersistentHistoryTransaction]
        #expect(bare?.map(\.transactionNumber) == within.map(\.transactionNumber))
        let sets = try run(request(.changes, predicate), .objectIDs) as? [String: Set<NSManagedObjectID>]
        #expect(sets?.values.reduce(Set()) { $0.union($1) } == Set(wanted.map(\.changedObjectID)))
    }

    @Test func changesOfObjectsByThemAndByTheirIDs() throws {
        let tags = try context.performAndWait {
            try context.fetchAll("Tag").sorted { $0.objectID.predicateText < $1.objectID.predicateText }
        }
        let (first, others) = (tags[0], Array(tags.dropFirst()))
        func find(_ format: String, _ arguments: Any...) throws -> [Int64] {
            try changes(request(.changes, NSPredicate(format: format, argumentArray: arguments))).map(\.changeID)
        }
        #expect(try find("changedObjectID == %@", first.objectID) == [1, 4])
        #expect(try find("changedObjectID == %@", first) == [1, 4])
        #expect(try find("%@ == changedObjectID", first.objectID) == [1, 4])
        #expect(try find("changedObjectID != %@ AND changeType == 1", first.objectID) == [])
        #expect(try find("changedObjectID IN %@", others.map(\.objectID)) == [5, 7, 8])
        #expect(try find("NOT changedObjectID IN %@", tags.map(\.objectID)).count == 3)
        #expect(try find("changedEntity == %@", library.model.entitiesByName["Author"]!).count == 1)
        #expect(try find("changedObjectID.entity.name == %@", "Author").count == 1)
        // The same key and entity, in a store that is another.
        let other = try StoredLibrary()
        let foreign = other.context.insert("Tag", ["word": "x"])
        try other.context.save()
        #expect(try find("changedObjectID == %@", foreign.objectID) == [])
    }

    @Test func timesTokensAndStores() throws {
        let all = try transactions(request(.transactions, nil))
        let middle = all[2]
        func find(_ format: String, _ arguments: Any...) throws -> [Int64] {
            try transactions(request(.transactions, NSPredicate(format: format, argumentArray: arguments)))
                .map(\.transactionNumber)
        }
        #expect(try find("timestamp > %@", middle.timestamp) == [4, 5, 6])
        #expect(try find("timestamp <= %@ AND author != %@", middle.timestamp, "app") == [2, 3])
        #expect(try find("token > %@ AND author == %@", middle.token, "import") == [6])
        #expect(try find("storeID == %@", middle.storeID).count == 6)
        #expect(try find("storeID != %@", middle.storeID) == [])
    }

    /// After a token, and by a predicate: the everyday request of a program that follows others.
    @Test func afterATokenByAPredicate() throws {
        let all = try transactions(request(.transactions, nil))
        for (predicate, wanted) in [("author != 'import'", [3, 4, 5]), ("author == 'import'", [6])]
            as [(String, [Int64])]
        {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: all[1].token)
            let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
            fetch.predicate = NSPredicate(format: predicate)
            request.fetchRequest = fetch
            #expect(try transactions(request).map(\.transactionNumber) == wanted)
            let byDate = NSPersistentHistoryChangeRequest.fetchHistory(after: all[1].timestamp)
            byDate.fetchRequest = fetch
            #expect(try transactions(byDate).map(\.transactionNumber) == wanted)
            #expect(try run(byDate, .count) as? Int == wanted.count)
        }
    }

    // MARK: Order and limits

    @Test func limitsAndOrdersAreOfWhatTheRequestIsAbout() throws {
        let backwards = [NSSortDescriptor(key: "transactionNumber", ascending: false)]
        #expect(try transactions(request(.transactions, nil, limit: 2)).map(\.transactionNumber) == [1, 2])
        #expect(try transactions(request(.transactions, nil, limit: 2, offset: 3)).map(\.transactionNumber) == [4, 5])
        #expect(try transactions(request(.transactions, nil, offset: 4)).map(\.transactionNumber) == [5, 6])
        #expect(
            try transactions(request(.transactions, nil, limit: 2, sort: backwards)).map(\.transactionNumber) == [6, 5])
        #expect(try run(request(.transactions, nil, limit: 1), .count) as? Int == 3)
        #expect(try changes(request(.transactions, nil, limit: 1)).map(\.changeID) == [1, 2, 3])
        #expect(try changes(request(.changes, nil, limit: 2)).map(\.changeID) == [1, 2])
        #expect(try changes(request(.changes, nil, limit: 2, offset: 2)).map(\.changeID) == [3, 4])
        #expect(try run(request(.changes, nil, limit: 5), .count) as? Int == 5)
        let latest = [NSSortDescriptor(key: "changeID", ascending: false)]
        #expect(try changes(request(.changes, nil, limit: 2, sort: latest)).map(\.changeID) == [8, 7])
        // The changes of transactions come in the transactions' order.
        #expect(try changes(request(.transactions, nil, limit: 3, sort: backwards)).map(\.changeID) == [8, 7, 6])
        #expect(try changes(request(.transactions, nil, sort: backwards)).map(\.changeID) == [8, 7, 6, 5, 4, 1, 2, 3])
        let byAuthor = [NSSortDescriptor(key: "author", ascending: true)]
        // As fetches order text: capitals first; nil comes first.
        #expect(
            try transactions(request(.transactions, nil, sort: byAuthor)).map(\.transactionNumber) == [
                3, 4, 1, 2, 6, 5,
            ])
    }

    /// Changes alone keep the transactions they belong to: their author is at hand.
    @Test func changesAloneKnowTheirTransactions() throws {
        let changes = try changes(request(.transactions, NSPredicate(format: "author == 'import'")))
        #expect(changes.map { $0.transaction?.author } == ["import", "import"])
        #expect(changes.first?.transaction?.changes == nil)
        #expect(changes.first?.updatedProperties?.map(\.name) == ["word"])
    }

    @Test func whatHistoryCannotBeAsked() throws {
        for (about, predicate, key) in [
            (.transactions, NSPredicate(format: "auther == 'a'"), "auther"),
            (.transactions, NSPredicate(format: "ANY changes.changeType == 1"), "changes.changeType"),
            (.changes, NSPredicate(format: "author == 'a'"), "author"),
        ] as [(About, NSPredicate, String)] {
            let error = #expect(throws: NSError.self) { try run(request(about, predicate), .count) }
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSCoreDataError)
            #expect(error?.localizedDescription.contains("keypath \(key) not found in entity") == true)
            #expect(error?.localizedRecoverySuggestion?.isEmpty == false)
        }
        let block = NSPredicate { _, _ in true }
        let error = #expect(throws: NSError.self) { try run(request(.transactions, block), .statusOnly) }
        #expect(error?.localizedDescription.contains("BLOCKPREDICATE") == true)
        let sort = [NSSortDescriptor(key: "changes", ascending: true)]
        #expect(throws: NSError.self) { try run(request(.transactions, nil, sort: sort), .transactionsOnly) }
    }
}

extension NSManagedObjectID {
    /// The key as a text that sorts.
    fileprivate var predicateText: String {
        String(repeating: "0", count: 8 - uriRepresentation().lastPathComponent.count)
            + uriRepresentation().lastPathComponent
    }
}
