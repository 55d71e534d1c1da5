import MagicalRecord

// Objects and lists that the compiler follows to another thread. On Apple's platforms it follows the elements of a loop with
// deployment targets from macOS 15 and iOS 18 on.

private enum Lists {
    static func waitingForTheMainActor() async throws {
        // error: non-Sendable 'MagicalRecord.LiveResults<User>'-typed result can not be returned from main actor-isolated
        for try await users in await User.all.observeObjects() { _ = users }
    }

    @MainActor static func toADetachedTask() async throws {
        for try await users in User.all.observeObjects() {
            // error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code
            Task.detached { print(users.count) }
        }
    }

    @MainActor static func anObjectOfTheList() async throws {
        for try await users in User.all.observeObjects() {
            let first = users.first
            // error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code
            Task.detached { print(first?.displayName ?? "") }
        }
    }

    @MainActor static func theSequence() async throws {
        let results = User.all.observeObjects()
        // error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code
        Task.detached {
            for try await users in results { print(users.count) }
        }
    }

    @MainActor static func aListTakenByHand() async throws {
        var lists = User.all.observeObjects().makeAsyncIterator()
        let users = try await lists.next()
        // error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code
        Task.detached { print(users?.count ?? 0) }
    }

    @MainActor static func aDifference() async throws {
        for try await difference in User.all.observeObjects().differences {
            // error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code
            Task.detached { print(difference.isEmpty) }
        }
    }

    @MainActor static func throughAStream() async throws {
        let stream = AsyncStream<MagicalRecord.ResultList<User>>.makeStream()
        for try await users in User.all.observeObjects() {
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
}
