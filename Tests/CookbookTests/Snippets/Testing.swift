import MagicalRecord
import Testing

// snippet
@Suite struct FriendTests {
    let stack: MagicalRecord.Stack

    init() throws {
        stack = try MagicalRecord.Stack([.inMemory], shape: .server, model: .named("Model", in: .module))
    }

    @Test func newUsersAreStrangers() async throws {
        try await stack.save { context in try User.create(in: context).userID = 7 }
        let isFriend = try await stack.read { context in try User.findFirst(in: context)?.isFriend }
        #expect(isFriend == false)
    }
}
// end

enum TestingSnippets {
    static func waiting(stack: MagicalRecord.Stack) async throws {
        // snippet
        try await stack.save { context in try User.create(in: context).displayName = "Ann" }
        await stack.mergesHaveEnded()  // now the main context shows it
        // end
    }
}
