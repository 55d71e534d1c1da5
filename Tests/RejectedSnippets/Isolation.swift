import MagicalRecord

// Objects belong to the queue of their context, and lists of objects to the main actor. These get there by ways that the
// compiler sees without following the data.

private final class Basket {
    var count = 0
}

private enum Returning {
    static func fromASave() async throws {
        // error: type 'User' does not conform to the 'Sendable' protocol
        let user: User? = try await MagicalRecord.save { context in try User.findFirst(in: context) }
        _ = user
    }

    static func fromARead() async throws {
        // error: type 'User' does not conform to the 'Sendable' protocol
        let users = try await MagicalRecord.read { context in try User.findAll(in: context) }
        _ = users
    }

    static func withAnOutcome(_ stack: MagicalRecord.Stack) async throws {
        // error: type 'User' does not conform to the 'Sendable' protocol
        let user: User = try await stack.saveReportingOutcome { context in try User.create(in: context) }.value
        _ = user
    }

    static func fromADatabase(_ database: MagicalRecord.Database) async throws {
        // error: type 'User' does not conform to the 'Sendable' protocol
        let users = try await database.read("people") { context in try User.findAll(in: context) }
        _ = users
    }

    static func outOfAnActor(_ ledger: Ledger) async {
        // error: non-Sendable type 'User?' of property 'user' cannot exit actor-isolated context
        let user = await ledger.user
        print(user?.displayName ?? "")
    }
}

private actor Ledger: MagicalRecord.ContextOwner {
    nonisolated let executor: MagicalRecord.ContextExecutor

    init(_ stack: MagicalRecord.Stack) {
        executor = MagicalRecord.ContextExecutor(stack.newContext(named: "ledger"))
    }

    var user: User? { try? User.findFirst(in: context) }
}

private enum Capturing {
    @MainActor static func anObjectInASave(_ stack: MagicalRecord.Stack) async throws {
        let user = try User.findFirst(in: stack.mainContext)
        try await stack.save { _ in
            // error: capture of 'user' with non-Sendable type 'User?' in a '@Sendable' closure
            user?.displayName = "Ann"
        }
    }

    @MainActor static func anObjectToBeFoundAgain(_ user: User) async throws {
        try await MagicalRecord.save { context in
            // error: capture of 'user' with non-Sendable type 'User' in a '@Sendable' closure
            try user.in(context).displayName = "Ann"
        }
    }

    @MainActor static func anObjectInAWrite(_ user: User, _ database: MagicalRecord.Database) async throws {
        try await database.save("people") { _ in
            // error: capture of 'user' with non-Sendable type 'User' in a '@Sendable' closure
            user.balance = 5
        }
    }

    static func aReference(_ basket: Basket) async throws {
        try await MagicalRecord.save { context in
            // error: capture of 'basket' with non-Sendable type 'Basket' in a '@Sendable' closure
            basket.count = try User.count(in: context)
        }
    }

    static func aVariable() async throws {
        var count = 0
        try await MagicalRecord.save { context in
            // error: mutation of captured var 'count' in concurrently-executing code
            count = try User.count(in: context)
        }
        _ = count
    }
}

private enum Watching {
    static func offTheMainActor() async throws {
        // error: main actor-isolated instance method 'observeObjects(in:)' cannot be called from outside
        for try await users in User.all.observeObjects() { _ = users }
    }

    static func aQueryOffTheMainActor() async throws {
        // error: main actor-isolated instance method 'observeObjects(in:)' cannot be called from outside
        for try await users in User.where({ $0.isFriend }).observeObjects() { _ = users }
    }

    actor Reader {
        func onAnotherActor() async throws {
            // error: main actor-isolated instance method 'observeObjects(in:)' cannot be called from outside
            for try await users in User.where({ $0.isFriend }).observeObjects() { _ = users }
        }
    }

    static func objectsAsValues() {
        // error: type 'User' does not conform to the 'Sendable' protocol
        _ = User.all.observe { Array($0) }
    }

    static func listsAsValues() {
        // error: type 'MagicalRecord.ResultList<User>' does not conform to the 'Sendable' protocol
        _ = User.all.observe { $0 }
    }

    static func differencesAsValues() {
        // error: type 'MagicalRecord.ResultsDifference<User>' does not conform to the 'Sendable' protocol
        _ = User.all.observe { $0.difference }
    }

    static func aReferenceInTheMapping(_ basket: Basket) {
        _ = User.all.observe { list in
            // error: capture of 'basket' with non-Sendable type 'Basket' in a '@Sendable' closure
            basket.count = list.count
            return list.count
        }
    }
}
