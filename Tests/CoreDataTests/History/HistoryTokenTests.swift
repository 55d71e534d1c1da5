import CoreData
import CoreDataTestSupport
import Testing

/// Requests over history that compare `token`.
@Suite("Tokens in history requests")
struct HistoryTokenTests {
    private let library: StoredLibrary
    /// Tokens after each of four saves.
    private let tokens: [NSPersistentHistoryToken]

    init() throws {
        library = try StoredLibrary(options: [NSPersistentHistoryTrackingKey: true])
        var tokens: [NSPersistentHistoryToken] = []
        for word in ["a", "b", "c", "d"] {
            library.context.insert("Tag", ["word": word])
            try library.context.save()
            tokens.append(try #require(library.coordinator.currentPersistentHistoryToken(fromStores: nil)))
        }
        self.tokens = tokens
    }

    private func find(_ format: String, _ arguments: Any...) throws -> [Int64] {
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = NSPredicate(format: format, argumentArray: arguments)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        let result = try library.context.execute(request) as? NSPersistentHistoryResult
        return (result?.result as? [NSPersistentHistoryTransaction] ?? []).map(\.transactionNumber)
    }

    @Test func everyComparison() throws {
        #expect(try find("token = %@", tokens[1]) == [2])
        #expect(try find("token == %@", tokens[3]) == [4])
        #expect(try find("token <= %@", tokens[1]) == [1, 2])
        #expect(try find("token < %@", tokens[1]) == [1])
        #expect(try find("token >= %@", tokens[2]) == [3, 4])
        #expect(try find("token > %@", tokens[2]) == [4])
        #expect(try find("token != %@", tokens[2]) == [1, 2, 4])
        #expect(try find("%@ < token", tokens[2]) == [4])
        #expect(try find("token IN %@", [tokens[0], tokens[3]]) == [1, 4])
        #expect(try find("token BETWEEN %@", [tokens[1], tokens[2]]) == [2, 3])
        #expect(try find("token > %@ AND NOT token == %@", tokens[0], tokens[2]) == [2, 4])
    }

    @Test func changesByTheirTransactionsToken() throws {
        let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
        fetch.predicate = NSPredicate(format: "transaction.token = %@", tokens[1])
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        request.resultType = .changesOnly
        let result = try library.context.execute(request) as? NSPersistentHistoryResult
        #expect((result?.result as? [NSPersistentHistoryChange])?.map(\.changeID) == [2])
    }

    private func history(after token: NSPersistentHistoryToken) throws -> [Int64] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try library.context.execute(request) as? NSPersistentHistoryResult
        return (result?.result as? [NSPersistentHistoryTransaction] ?? []).map(\.transactionNumber)
    }

    /// A token that knows nothing of a store which is in use beside its own is before all that happened there.
    @Test func aTokenFromBeforeAStoreWasAdded() throws {
        let other = try StoredLibrary(options: [NSPersistentHistoryTrackingKey: true])
        other.context.insert("Tag")
        try other.context.save()
        let token = try #require(other.coordinator.currentPersistentHistoryToken(fromStores: nil))
        try other.coordinator.remove(try #require(other.coordinator.persistentStores.first))
        let added = try library.coordinator.addPersistentStore(
            ofType: StoredLibrary.kind.type, configurationName: nil, at: other.url,
            options: [NSPersistentHistoryTrackingKey: true])
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        request.affectedStores = [try #require(library.coordinator.persistentStores.first { $0 !== added })]
        let result = try library.context.execute(request) as? NSPersistentHistoryResult
        #expect((result?.result as? [NSPersistentHistoryTransaction])?.map(\.transactionNumber) == [1, 2, 3, 4])
    }

    /// One of a store that is gone, as after a migration which made another of it, has expired: what was deleted before is in no
    /// history.
    @Test func aTokenOfAStoreThatIsGone() throws {
        let other = try StoredLibrary(options: [NSPersistentHistoryTrackingKey: true])
        other.context.insert("Tag")
        try other.context.save()
        let token = try #require(other.coordinator.currentPersistentHistoryToken(fromStores: nil))
        for format in ["token = %@", "token > %@"] {
            let error = #expect(throws: NSError.self) { try find(format, token) }
            #expect(error?.domain == NSCocoaErrorDomain)
            #expect(error?.code == NSPersistentHistoryTokenExpiredError)
        }
        let error = #expect(throws: NSError.self) { try history(after: token) }
        #expect(error?.code == NSPersistentHistoryTokenExpiredError)
        #expect(error?.localizedRecoverySuggestion?.contains("currentPersistentHistoryToken") == true)
    }

    @Test(arguments: ["token = %@", "token <= %@", "token < %@", "token != %@", "token >= %@", "%@ == token"])
    func tokensOfDeletedHistoryHaveExpired(format: String) throws {
        _ = try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: tokens[2]))
        let error = #expect(throws: NSError.self) { try find(format, tokens[1]) }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSPersistentHistoryTokenExpiredError)
        #expect(error?.localizedRecoverySuggestion?.isEmpty == false)
        #expect(throws: Never.self) { try find(format, tokens[2]) }
    }

    /// A reader that has seen everything up to what was deleted missed nothing.
    @Test func theLastDeletedTokenStillSaysWhatFollows() throws {
        _ = try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: tokens[2]))
        #expect(try find("token > %@", tokens[1]) == [3, 4])
        let error = #expect(throws: NSError.self) { try find("token > %@", tokens[0]) }
        #expect(error?.code == NSPersistentHistoryTokenExpiredError)
        let list = #expect(throws: NSError.self) { try find("token IN %@", [tokens[0], tokens[3]]) }
        #expect(list?.code == NSPersistentHistoryTokenExpiredError)
    }
}
