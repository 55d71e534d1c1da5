import MagicalRecord

/// What README and the framework's first page show.
enum FirstSteps {
    static func setUp() throws {
        // snippet
        try MagicalRecord.setUp(model: .named("Model", in: .module))  // model, store and contexts; in an app: setUp()
        // end
    }

    static func save() async throws {
        // snippet
        try await MagicalRecord.save { context in  // in the background, through to disk
            let ann = try User.findOrCreate(by: \.userID, 7, in: context)
            ann.displayName = "Ann"
            ann.isFriend = true
        }
        // end
    }

    @MainActor static func find() throws -> [User] {
        // snippet
        let friends = try User.findAll(
            where: { $0.isFriend && $0.displayName.contains("an", .caseInsensitive) },
            sortedBy: \.displayName)
        // end
        return friends
    }
}
