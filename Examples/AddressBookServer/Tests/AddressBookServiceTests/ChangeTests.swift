import AddressBookService
import Foundation
import MagicalRecord
import Testing

/// Tests of the feed of changes.
@Suite("Changes") struct ChangeTests {
    private static func token(_ service: TestService) async throws -> String {
        try #require(try await service.send(.get, "/changes")["token"])
    }

    @Test(arguments: TestStore.all) func eachChangeIsSeenOnce(_ store: TestStore) async throws {
        try await store.withService { service in
            try await service.add("Ann")
            var token = try await Self.token(service)
            func expect(_ changes: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
                let list = try await service.send(.get, "/changes?after=\(token)")
                #expect(list.changes == changes && list["hasMore"] == false, sourceLocation: sourceLocation)
                token = try #require(list["token"])
            }
            try await expect()
            try await service.add(2, "Bob")
            try await expect("insert 2")
            try await service.send(.patch, "/contacts/1", #"{"status": 1}"#)
            try await service.send(.patch, "/contacts/2", #"{"status": 1}"#)
            try await expect("update 1", "update 2")
            try await service.send(.delete, "/contacts/2", nil, .noContent)
            try await expect("delete 2")
            try await service.add(3, "Cid")
            try await service.send(.delete, "/contacts/3", nil, .noContent)
            try await expect("insert 3", "delete 3")
            // Changes nothing.
            try await service.send(.patch, "/contacts/1", #"{"status": 1}"#)
            try await service.send(.post, "/contacts", TestService.record(1, "Ann"), .conflict)
            try await expect()
        }
    }

    @Test(arguments: TestStore.all) func theFeedBeginsNowInAnEmptyStoreToo(_ store: TestStore) async throws {
        try await store.withService { service in
            let token = try await Self.token(service)
            try await service.add("Ann")
            #expect(try await service.send(.get, "/changes?after=\(token)").changes == ["insert 1"])
        }
    }

    @Test(arguments: TestStore.all) func savesAreReportedInPortions(_ store: TestStore) async throws {
        try await store.withService { service in
            var token = try await Self.token(service)
            try await service.add("Ann", "Bob", "Cid", "Dora", "Emil")
            var (portions, hasMore): ([[String]], Bool) = ([], true)
            while hasMore {
                let list = try await service.send(.get, "/changes?after=\(token)&limit=2")
                portions.append(list.changes)
                token = try #require(list["token"])
                hasMore = list["hasMore"] ?? false
            }
            #expect(portions == [["insert 1", "insert 2"], ["insert 3", "insert 4"], ["insert 5"]])
        }
    }

    @Test(arguments: TestStore.all) func aReaderMissesNothingWhileOthersWrite(_ store: TestStore) async throws {
        try await store.withService { service in
            var token = try await Self.token(service)
            let writers = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for writer in 0..<4 {
                        group.addTask {
                            for number in 1...15 { try await service.add(writer * 100 + number, "Name") }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            var seen: [String] = []
            let end = ContinuousClock.now + .seconds(60)
            while seen.count < 60, ContinuousClock.now < end {
                let list = try await service.send(.get, "/changes?after=\(token)&limit=3")
                seen += list.changes
                token = try #require(list["token"])
            }
            try await writers.value
            #expect(seen.sorted() == (0..<4).flatMap { w in (1...15).map { "insert \(w * 100 + $0)" } }.sorted())
        }
    }

    @Test(arguments: TestStore.all) func aTokenFromBeforeThePurgeIsGone(_ store: TestStore) async throws {
        try await store.withService { service in
            try await service.add("Ann")
            let old = try await Self.token(service)
            try await service.add(2, "Bob")
            let current = try await Self.token(service)
            try service.addressBook.purgeHistory(before: .distantFuture)
            let answer = try await service.send(.get, "/changes?after=\(old)", nil, .gone)
            #expect(answer.error["advice"] != nil)
            #expect(try await service.send(.get, "/changes?after=\(current)").changes == [])
            try await service.add(3, "Cid")
            #expect(try await service.send(.get, "/changes?after=\(current)").changes == ["insert 3"])
        }
    }

    @Test func badTokensAreRefused() async throws {
        try await TestStore.sqlite.withService { service in
            for query in ["after=nowhere", "after=", "after=YWJj", "limit=0", "limit=x"] {
                try await service.send(.get, "/changes?" + query, nil, .badRequest)
            }
        }
    }

    /// Tokens come from clients: none may end the process.
    @Test(arguments: TestStore.all) func damagedTokensAreRefused(_ store: TestStore) async throws {
        try await store.withService { service in
            try await service.add("Ann")
            let token = try await Self.token(service)
            let padding = String(repeating: "=", count: (4 - token.count % 4) % 4)
            let json = try #require(
                Data(base64Encoded: token.replacing("-", with: "+").replacing("_", with: "/") + padding))
            #expect(try HistoryToken(token)?.text == token)
            for index in json.indices {
                for replacement in "0\"A[,-".utf8 {
                    var damaged = json
                    damaged[index] = replacement
                    let text = damaged.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                    let status = try await service.status(.get, "/changes?after=\(text.replacing("=", with: ""))", "")
                    #expect([200, 400, 410].contains(status.code), "\(String(decoding: damaged, as: UTF8.self))")
                }
            }
        }
    }
}
