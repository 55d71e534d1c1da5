import AddressBookService
import Foundation
import Testing

/// Tests of imports of lists.
@Suite("Imports") struct ImportTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("AddressBook/Sources/AddressBook/Resources/contacts.json")

    @Test(arguments: TestStore.all) func contactsComeBackAsTheyWereSent(_ store: TestStore) async throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        try await store.withService { service in
            let report = try await service.send(.post, "/imports", text)
            #expect(report["inserted"] == 2_400 && report["updated"] == 0)
            let again = try await service.send(.post, "/imports", text)
            #expect(again["inserted"] == 0 && again["updated"] == 0 && again["unchanged"] == 2_400)

            let sent = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
            let pairs = sent.map { ($0["user_id"] as? Int ?? 0, $0 as NSDictionary) }
            let expected = Dictionary(uniqueKeysWithValues: pairs)
            var count = 0
            var after = ""
            repeat {
                let page = try await service.send(.get, "/contacts?size=1000" + after)
                for contact in page.contacts {
                    #expect(expected[contact["user_id"] as? Int ?? 0] == contact as NSDictionary)
                }
                count += page.contacts.count
                let next: String? = page["next"]
                after = next.map { "&after=\($0)" } ?? ""
            } while !after.isEmpty
            #expect(count == 2_400)
        }
    }

    @Test(arguments: TestStore.all) func anImportUpdatesAndCreates(_ store: TestStore) async throws {
        try await store.withService { service in
            try await service.add("Ann", "Bob")
            let records = [TestService.record(2, "Bert"), TestService.record(3, "Cid"), TestService.record(1, "Ann")]
            let report = try await service.send(.post, "/imports", "[\(records.joined(separator: ","))]")
            #expect(report["inserted"] == 1 && report["updated"] == 1 && report["unchanged"] == 1)
            #expect(try await service.send(.get, "/contacts").names == ["Ann", "Bert", "Cid"])
        }
    }

    @Test(arguments: TestStore.all) func aBadRecordRefusesTheWholeList(_ store: TestStore) async throws {
        try await store.withService { service in
            let good = TestService.record(1, "Ann")
            let bad = #"{"user_id": 2, "user_name": "b", "display_name": "Bob", "balance": "much"}"#
            let answer = try await service.send(.post, "/imports", "[\(good),\(bad)]", .badRequest)
            #expect(answer.error["record"] as? Int == 1 && answer.error["key"] as? String == "balance")
            try await service.send(.post, "/imports", "[\(good),\(TestService.record(2, ""))]", .badRequest)
            try await service.send(.post, "/imports", "[\(good), {\"user_id\": ", .badRequest)
            try await service.send(.post, "/imports", "nothing", .badRequest)
            #expect(try await service.send(.get, "/contacts").names == [])
        }
    }
}
