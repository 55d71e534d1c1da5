import AddressBookService
import Foundation
import Testing

/// Tests of the routes of contacts. Each test has its own store.
@Suite("Contacts") struct ContactTests {
    @Test(arguments: TestStore.all) func aContactIsCreatedReadChangedAndDeleted(_ store: TestStore) async throws {
        try await store.withService { service in
            let created = try await service.send(
                .post, "/contacts", #"{"user_id": 7, "user_name": "ann", "display_name": "Ann", "is_friend": true}"#,
                .created)
            #expect(created["display_name"] == "Ann" && created["is_friend"] == true)
            #expect(try await service.send(.get, "/contacts/7").text == created.text)
            let changed = try await service.send(.patch, "/contacts/7", #"{"display_name": "Anna", "status": 2}"#)
            #expect(changed["display_name"] == "Anna" && changed["status"] == 2 && changed["user_name"] == "ann")
            #expect(try await service.send(.get, "/contacts/7").text == changed.text)
            try await service.send(.delete, "/contacts/7", nil, .noContent)
            try await service.send(.get, "/contacts/7", nil, .notFound)
        }
    }

    @Test(arguments: TestStore.all) func whatIsNotThereIsNotFound(_ store: TestStore) async throws {
        try await store.withService { service in
            let answer = try await service.send(.get, "/contacts/7", nil, .notFound)
            #expect(answer.error["key"] as? String == "user_id")
            try await service.send(.patch, "/contacts/7", "{}", .notFound)
            try await service.send(.delete, "/contacts/7", nil, .notFound)
            try await service.send(.get, "/friends", nil, .notFound)
        }
    }

    @Test(arguments: TestStore.all) func theSecondContactOfAnIDIsAConflict(_ store: TestStore) async throws {
        try await store.withService { service in
            try await service.add("Ann")
            let answer = try await service.send(.post, "/contacts", TestService.record(1, "Bob"), .conflict)
            #expect(answer.error["entity"] as? String == "User" && answer.error["key"] as? String == "user_id")
            #expect(try await service.send(.get, "/contacts").names == ["Ann"])
        }
    }

    @Test(arguments: TestStore.all) func oneOfManyCreatesTheContact(_ store: TestStore) async throws {
        try await store.withService { service in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await service.status(.post, "/contacts", TestService.record(1, "Name \(number)")).code
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [201: 1, 409: 19])
        }
    }

    @Test(arguments: TestStore.all) func changesAtTheSameTimeAreAllKept(_ store: TestStore) async throws {
        try await store.withService { service in
            try await service.add("Ann")
            let changes = [#""balance": 5"#, #""email": "a@b.c""#, #""status": 1"#, #""country_code": 49"#]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for change in changes {
                    group.addTask { try await service.send(.patch, "/contacts/1", "{\(change)}") }
                }
                try await group.waitForAll()
            }
            let contact = try await service.send(.get, "/contacts/1")
            #expect(contact["balance"] == 5 && contact["email"] == "a@b.c")
            #expect(contact["status"] == 1 && contact["country_code"] == 49)
        }
    }

    /// Bodies that are refused, with the key that the response names.
    private static let refused: [(body: String, key: String?)] = [
        (#"{"user_id": 1, "user_name": "a", "display_name": ""}"#, "display_name"),
        (#"{"user_id": 1, "user_name": "a"}"#, "display_name"),
        (#"{"user_name": "a", "display_name": "Ann"}"#, "user_id"),
        (#"{"user_id": "one", "user_name": "a", "display_name": "Ann"}"#, "user_id"),
        (#"{"user_id": 1, "user_name": "a", "display_name": "Ann", "status": 9}"#, "status"),
        (#"{"user_id": 1, "user_name": "a", "display_name": "Ann", "is_friend": [1]}"#, "is_friend"),
        (#"{"user_id": 1, "#, nil), ("[]", nil), ("", nil),
    ]

    @Test(arguments: TestStore.all) func badContactsAreRefusedWithTheirKey(_ store: TestStore) async throws {
        try await store.withService { service in
            for (body, key) in Self.refused {
                let answer = try await service.send(.post, "/contacts", body, .badRequest)
                #expect(answer.error["entity"] as? String == "User", "\(answer.text)")
                #expect(answer.error["key"] as? String == key, "\(answer.text)")
            }
            #expect(try await service.send(.get, "/contacts").names == [])
        }
    }

    @Test(arguments: TestStore.all) func badChangesChangeNothing(_ store: TestStore) async throws {
        try await store.withService { service in
            try await service.add("Ann")
            let before = try await service.send(.get, "/contacts/1").text
            for body in [#"{"display_name": ""}"#, #"{"user_id": 2}"#, #"{"balance": "much"}"#, "no"] {
                try await service.send(.patch, "/contacts/1", body, .badRequest)
            }
            try await service.send(.patch, "/contacts/one", "{}", .badRequest)
            #expect(try await service.send(.get, "/contacts/1").text == before)
        }
    }

    @Test func aBodyOfMoreThanTheLimitIsRefused() async throws {
        try await TestStore.sqlite.withService { service in
            let name = String(repeating: "a", count: 70_000)
            try await service.send(.post, "/contacts", TestService.record(1, name), .contentTooLarge)
        }
    }
}
