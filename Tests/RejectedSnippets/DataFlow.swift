import MagicalRecord

// Objects and lists that the compiler follows to another thread.

private enum Lists {
    @MainActor static func toADetachedTask() async throws {
        for try await users in User.results() {
            // error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code
            Task.detached { print(users.count) }
        }
    }

    @MainActor static func anObjectOfTheList() async throws {
        for try await users in User.results() {
            let first = users.first
            // error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code
            Task.detached { print(first?.displayName ?? "") }
        }
    }

    @MainActor static func theSequence() async throws {
        let results = User.results()
        // error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code
        Task.detached {
            for try await users in results { print(users.count) }
        }
    }

    @MainActor static func aListTakenByHand() async throws {
        var lists = User.results().makeAsyncIterator()
        let users = try await lists.next()
        // error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code
        Task.detached { print(users?.count ?? 0) }
    }

    @MainActor static func aDifference() async throws {
        for try await difference in User.results().differences {
            // error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code
            Task.detached { print(difference.isEmpty) }
        }
    }

    @MainActor static func throughAStream() async throws {
        let stream = AsyncStream<MagicalRecord.ResultList<User>>.makeStream()
        for try await users in User.results() {
            // error: sending 'users' risks causing data races
            stream.continuation.yield(users)
        }
    }
}

private enum Objects {
    static func toTheMainActor(_ user: User) {
        // error: sending 'user' risks causing data races
        Task { @MainActor in print(user.displayName ?? "") }
        print(user)
    }

    @MainActor static func toADetachedTask(_ user: User) {
        let condition = MagicalRecord.Condition<Message> { $0.sender == user }
        // A condition holds the object's ID, and may go.
        Task.detached { print(try Message.count(where: condition)) }
        // error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code
        Task.detached { print(user.displayName ?? "") }
    }

    @MainActor static func aConditionMadeElsewhere(_ user: User) {
        // error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code
        Task.detached { print(try Message.count(where: { $0.sender == user })) }
    }

    private actor Ledger: MagicalRecord.ContextOwner {
        nonisolated let executor: MagicalRecord.ContextExecutor

        init(_ stack: MagicalRecord.Stack) {
            executor = MagicalRecord.ContextExecutor(stack.newContext(named: "ledger"))
        }

        var user: User? { try? User.findFirst(in: context) }
    }

    private static func outOfAnActor(_ ledger: Ledger) async {
        // error: non-Sendable type 'User?' of property 'user' cannot exit actor-isolated context
        let user = await ledger.user
        print(user?.displayName ?? "")
    }
}
