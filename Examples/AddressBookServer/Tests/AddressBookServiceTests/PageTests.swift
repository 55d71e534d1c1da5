import AddressBookService
import Testing

/// Tests of pages of contacts.
@Suite("Pages") struct PageTests {
    private static func names(_ service: TestService, size: Int, after cursor: String?) async throws -> [String] {
        var (names, cursor): ([String], String?) = ([], cursor)
        repeat {
            let page = try await service.send(.get, "/contacts?size=\(size)" + (cursor.map { "&after=\($0)" } ?? ""))
            names += page.names
            cursor = page["next"]
        } while cursor != nil
        return names
    }

    @Test(arguments: TestStore.all) func pagesFollowEachOther(_ store: TestStore) async throws {
        try await store.withService { service in
            try await service.add("Dora", "Emil", "Fritz", "Emil", "Ann")
            for size in 1...6 {
                let names = try await Self.names(service, size: size, after: nil)
                #expect(names == ["Ann", "Dora", "Emil", "Emil", "Fritz"])
            }
        }
    }

    @Test(arguments: TestStore.all) func pagesStayInPlaceWhileOthersWrite(_ store: TestStore) async throws {
        try await store.withService { service in
            try await service.add("B", "D", "F", "H")
            let first = try await service.send(.get, "/contacts?size=2")
            #expect(first.names == ["B", "D"])
            let cursor: String? = first["next"]
            // Before and after the cursor, the contact at it, and the next one.
            try await service.add(5, "A")
            try await service.add(6, "C")
            try await service.add(7, "D")
            try await service.add(8, "G")
            try await service.send(.delete, "/contacts/2", nil, .noContent)
            try await service.send(.delete, "/contacts/3", nil, .noContent)
            #expect(try await Self.names(service, size: 2, after: cursor) == ["D", "G", "H"])
        }
    }

    @Test(arguments: TestStore.all) func contactsAreFoundByAPartOfTheirName(_ store: TestStore) async throws {
        try await store.withService { service in
            try await service.add("Marie", "Emma", "Omar", "Ann")
            let page = try await service.send(.get, "/contacts?name=MA&size=2")
            #expect(page.names == ["Emma", "Marie"])
            let next: String? = page["next"]
            #expect(try await service.send(.get, "/contacts?name=MA&after=\(next ?? "")").names == ["Omar"])
        }
    }

    @Test func badPagesAreRefused() async throws {
        try await TestStore.sqlite.withService { service in
            for query in ["size=0", "size=ten", "size=1001", "after=nowhere"] {
                try await service.send(.get, "/contacts?" + query, nil, .badRequest)
            }
        }
    }
}
