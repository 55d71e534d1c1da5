import MagicalRecord
import MagicalRecordTesting
import Testing

// snippet
@Suite(.testStack(.named("Model", in: .module))) struct FriendTests {
    @Test func newUsersAreStrangers() async throws {
        try await MagicalRecord.save { context in try User.sample(in: context) }
        let isFriend = try await MagicalRecord.read { context in try User.findFirst(in: context)?.isFriend }
        #expect(isFriend == false)
    }

    @Test func friendsAreInTheFile() async throws {
        try await MagicalRecord.save { context in
            try User.sample(in: context) { $0.isFriend = true }
        }
        expect(contains: [[1]], by: "SELECT ZISFRIEND FROM ZUSER")
    }
}
// end

// snippet
extension Trait where Self == TestStackTrait {
    static var addressBook: Self { .testStack(.named("Model", in: .module), shape: .server) }
}

@Suite(.addressBook) struct StrangerTests {
    @Test func theyHaveNoMessages() async throws {
        try await MagicalRecord.save { context in
            let stranger = try User.sample(in: context)
            #expect(stranger.messages.isEmpty)
        }
    }
}
// end

enum OldStoresSnippets {
    static func inOneLine() throws {
        // snippet
        let folder = try #require(Bundle.module.url(forResource: "OldStores", withExtension: nil))
        MagicalRecordTesting.expectMigration(of: folder, to: .named("Tasks", in: .module))
        // end
    }

    static func allowing(_ versions: MagicalRecord.ModelVersions, in folder: URL) {
        // snippet
        let migration = MagicalRecord.Migration.through(versions, in: [.module])
        let outcomes = expectMigration(
            of: folder, to: .named("Tasks", in: .module), migration: migration, allowing: ["Task.title"])
        print(outcomes)
        // end
    }
}

@Suite struct TestingSnippets {
    @Test func withAStack() async throws {
        // snippet
        try await withTestStack(.named("Model", in: .module)) { stack in
            try await stack.save { context in try User.sample(in: context) { $0.displayName = "Ann" } }
            await stack.mergesHaveEnded()  // now the main context shows it
            let names = try storeRows(of: stack, "SELECT ZDISPLAYNAME FROM ZUSER WHERE ZISFRIEND = ?", 0)
            #expect(names == [["Ann"]])
        }
        // end
    }

    @Test func defaultsOfTasks() async throws {
        // snippet
        let stack = try MagicalRecord.Stack([.temporary], shape: .server, model: .named("Model", in: .module))
        try await MagicalRecord.withDefaultStack(stack) {
            try await MagicalRecord.save { context in try User.create(in: context) }  // into that stack
        }
        // end
        #expect(try await stack.read { try User.count(in: $0) } == 1)
    }
}
