import MagicalRecord

enum SavingSnippets {
    static func returning() async throws -> NSManagedObjectID {
        // snippet
        let id = try await MagicalRecord.save { context in
            let user = try User.create(in: context)
            user.displayName = "Ann"
            return try user.permanentID()
        }
        // end
        return id
    }

    static func dropping() async throws {
        // snippet
        try await MagicalRecord.save { context in try User.create(in: context) }
        // end
    }

    static func outcomes(stack: MagicalRecord.Stack) async throws {
        // snippet
        let (count, outcome) = try await stack.saveReportingOutcome { context in
            try User.deleteAll(where: \.isFriend == false, in: context)
        }
        if outcome == .store { print("\(count) users deleted") }
        // end
    }

    static func steps(context: NSManagedObjectContext) throws {
        // snippet
        try context.save(to: .parent)  // one step: .parent, .store or .nothingToSave
        try context.save(to: .store)  // all the way
        // end
    }

    static func transfer(id: NSManagedObjectID) async throws {
        // snippet
        let name = try await MagicalRecord.read { context in try User.find(id: id, in: context)?.displayName }
        // end
        _ = name
    }

    static func transfer(user: User, other: NSManagedObjectContext) throws {
        // snippet
        let same = try user.in(other)
        // end
        _ = same
    }
}

enum ThreadSnippets {
    @MainActor static func identities(user: User) async throws {
        // snippet
        let id = user.objectID
        try await MagicalRecord.save { context in
            try User.find(id: id, in: context)?.displayName = "Ann"
        }
        // end
    }

    static func oneState() async throws -> ([String], Int) {
        // snippet
        let (friends, count) = try await MagicalRecord.read { context in
            let friends = try User.findAll(where: \.isFriend == true, in: context).compactMap(\.displayName)
            return (friends, try User.count(where: \.isFriend == true, in: context))
        }
        // end
        return (friends, count)
    }

    @MainActor static func queries(user: User) async throws -> [String?] {
        // snippet
        let unread = Message.where { $0.sender == user && $0.length > 0 }
        let texts = try await MagicalRecord.read { context in try unread.values(of: \.text, in: context) }
        // end
        return texts
    }
}

enum ConflictSnippets {
    static func again() async throws {
        // snippet
        try await MagicalRecord.save(onConflict: .retry(times: 3)) { context in
            try User.findFirst(where: \.userID == 7, in: context)?.balance += 5
        }
        // end
    }

    static func overwriting() async throws {
        // snippet
        try await MagicalRecord.save(onConflict: .merge(.mergeByPropertyObjectTrump)) { context in
            try User.findFirst(where: \.userID == 7, in: context)?.displayName = "Ann"
        }
        // end
    }

    static func exclusively() async throws {
        // snippet
        try await MagicalRecord.save(isolation: .exclusive) { context in
            try User.findFirst(where: \.userID == 7, in: context)?.balance += 5
        }
        // end
    }

    static func exclusiveOnThisThread() throws {
        // snippet
        try MagicalRecord.saveAndWait(isolation: .exclusive) { context in
            try User.findFirst(where: \.userID == 7, in: context)?.balance += 5
        }
        // end
    }
}

// snippet
final class People: MagicalRecord.Database, @unchecked Sendable {
    func befriend(_ id: Int64) async throws {
        try await save("people", waitingForMerges: true) { context in
            try User.findFirst(where: \.userID == id, in: context)?.isFriend = true
        }
    }

    func friends() async throws -> [String] {
        try await read("people") { context in
            try User.findAll(where: \.isFriend == true, in: context).compactMap(\.displayName)
        }
    }
}
// end

enum DatabaseSnippets {
    static func use() async throws {
        // snippet
        try await People.shared.befriend(7)
        // end
    }

    static func conflicts() async throws {
        // snippet
        try await People.shared.save("people", onConflict: .retry(times: 3)) { context in
            try User.findFirst(where: \.userID == 7, in: context)?.balance += 5
        }
        try await People.shared.save("people", isolation: .exclusive) { context in
            try User.findFirst(where: \.userID == 7, in: context)?.balance += 5
        }
        // end
    }
}

enum Cancelling {
    static func reset() {
        // snippet
        let work = Task {
            try await MagicalRecord.save { context in
                for user in try User.findAll(in: context) {
                    try Task.checkCancellation()
                    user.balance = 0
                }
            }
        }
        work.cancel()
        // end
    }
}

// snippet
actor Ledger: MagicalRecord.ContextOwner {
    nonisolated let executor: MagicalRecord.ContextExecutor

    init(_ stack: MagicalRecord.Stack) {
        executor = MagicalRecord.ContextExecutor(stack.newContext(named: "ledger"))
    }

    func pay(_ amount: Double, to id: Int64) throws {
        try User.findFirst(where: \.userID == id, in: context)?.balance += amount
        try context.save(to: .store)
    }
}
// end
