import MagicalRecord

enum CookbookSnippets {
    static func launch() throws {
        // snippet
        do {
            try MagicalRecord.setUp(.sqlite(named: "AddressBook"))
        } catch MagicalRecordError.Code.alreadySetUp {
            // Fine: somebody was here before.
        }
        // end
    }

    static func logIn(userName: String, folder: URL) async throws {
        // snippet
        try await MagicalRecord.tearDown()
        try MagicalRecord.setUp(.sqlite(named: userName, in: folder))
        // end
    }

    static func logOutForGood() async throws {
        // snippet
        try await MagicalRecord.tearDown(deletingStores: true)
        // end
    }

    static func cache(folder: URL) throws {
        // snippet
        let cache = try MagicalRecord.Stack([.sqlite(named: "Cache", in: folder)], migration: .recreating)
        // end
        _ = cache
    }

    static func sync(page: @escaping @Sendable () throws -> Data?) async throws -> Int {
        // snippet
        let report = try await MagicalRecord.importAll(User.self, from: .stream(page))
        guard report.failures.isEmpty else { throw report.failures[0].error }
        return report.inserted
        // end
    }

    static func removeStale(ids: [Int64]) async throws {
        // snippet
        try await MagicalRecord.save { context in
            try User.deleteAll(where: { !$0.userID.in(ids) }, in: context)
        }
        // end
    }

    @MainActor static func badge() throws -> Int {
        // snippet
        let unread = try Message.count(where: \.sentAt != nil && \.sender?.isFriend == true)
        // end
        return unread
    }

    static func latest(context: NSManagedObjectContext) throws -> Message? {
        // snippet
        let latest = try Message.findFirst(
            sortedBy: \.sentAt, .descending, prefetching: [.relationship(\.sender)], in: context)
        // end
        return latest
    }

    static func ranking() async throws -> [(Int32, Double)] {
        // snippet
        try await MagicalRecord.read { context in
            try User.all.sum(of: \.balance, by: \.countryCode, in: context)
                .map { ($0.key, $0.value) }
                .sorted { $0.1 > $1.1 }
        }
        // end
    }

    static func move(from old: MagicalRecord.Stack, to new: MagicalRecord.Stack) async throws {
        // snippet
        let json = try await old.read { context in try User.findAll(in: context).exportedJSON() }
        try await new.importAll(User.self, from: .data(json))
        // end
    }

    static func retry(id: Int64) async throws {
        // snippet
        try await MagicalRecord.save(onConflict: .retry(times: 3)) { context in
            let user = try User.findOrCreate(by: \.userID, id, in: context)
            user.isFriend = true
        }
        // end
    }

    static func count(id: Int64, amount: Double, stack: MagicalRecord.Stack) async throws {
        // snippet
        let balance = try await stack.save(isolation: .exclusive) { context in
            let user = try User.findOrCreate(by: \.userID, id, in: context)
            user.balance += amount
            return user.balance
        }
        // end
        _ = balance
    }

    static func logging() {
        // snippet
        MagicalRecord.setLoggingLevel(.warn)
        MagicalRecord.setLogHandler { kind, message in print(kind, message) }
        MagicalRecord.setErrorHandler { error in print("legacy call failed:", error) }
        // end
    }

    static func server() throws -> MagicalRecord.Stack {
        // snippet
        let stack = try MagicalRecord.Stack(
            [.sqlite(named: "AddressBook", in: URL(fileURLWithPath: "/var/lib/app"))], shape: .server,
            model: .named("Model", in: .module))
        // end
        return stack
    }
}
