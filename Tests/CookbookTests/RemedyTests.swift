#if !canImport(ObjectiveC)
import Foundation
import MagicalRecord
import MagicalRecordTesting
import Testing

/// What the alarm advises compiles as it is printed: it stands here as code, and is looked up in this file.
@Suite(.addressBook) struct RemedyTests {
    /// The code of the remedies. Never run.
    private static func compiled(
        _ request: NSFetchRequest<User>, _ context: NSManagedObjectContext, _ entity: NSEntityDescription,
        _ values: [String], _ value: String, _ objects: [User], _ condition: MagicalRecord.Condition<User>
    ) throws {
        func use(_: Any) {}
        request.relationshipKeyPathsForPrefetching = ["messages"]
        use(User.all.prefetching(.path("messages")))
        request.relationshipKeyPathsForPrefetching = ["team.members"]
        use(User.all.prefetching(.path("team.members")))
        request.returnsObjectsAsFaults = false
        use(NSPredicate(format: "SELF IN %@", objects))
        use(NSPredicate(format: "displayName IN %@", values))
        request.propertiesToGroupBy = ["displayName"]
        use(try User.all.count(by: \.displayName))
        use(try context.count(for: request))
        use(try User.count(where: condition))
        request.fetchLimit = 1
        try context.execute(NSBatchDeleteRequest(fetchRequest: request))
        request.predicate = NSPredicate(format: "displayName == %@", value)
        use(try User.findAll(where: condition))
        request.sortDescriptors = [NSSortDescriptor(key: "displayName", ascending: true)]
        entity.indexes = [
            NSFetchIndexDescription(
                name: "byBalance",
                elements: [
                    NSFetchIndexElementDescription(
                        property: entity.propertiesByName["balance"]!, collationType: .binary)
                ])
        ]
    }

    private static let code: String = {
        let source = (try? String(contentsOfFile: #filePath, encoding: .utf8)) ?? ""
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        let body = lines.drop { !$0.contains("func compiled(") }.prefix { $0 != "    }" }
        return withoutSpaces(body.joined())
    }()

    private static func withoutSpaces(_ text: some StringProtocol) -> String {
        String(text.filter { !$0.isWhitespace })
    }

    /// Twenty users with a message and a team each.
    init() async throws {
        try await MagicalRecord.save { context in
            for number in 0..<20 as Range<Int64> {
                let user = try User.create(in: context)
                user.userID = number
                user.displayName = "User \(number)"
                user.team = try Team.create(in: context)
                try Message.create(in: context).sender = user
            }
        }
    }

    /// What a program is told.
    ///
    /// - Parameter text: the remedy, with § for each piece of code.
    private func expect(
        _ kind: Instruments.Finding.Kind, of key: String? = nil, _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Void
    ) async throws {
        let found = try await Instruments.findings { try await MagicalRecord.read { try body($0) } }
        let finding = try #require(
            found.first { $0.kind == kind && (key == nil || $0.keyPath == key) }, "\(found)",
            sourceLocation: sourceLocation)
        var rest = finding.remedy[...]
        let pieces = text.components(separatedBy: "§")
        for (index, words) in pieces.enumerated() {
            let next =
                words.isEmpty
                ? rest.endIndex..<rest.endIndex
                : rest.range(of: words, options: index == pieces.count - 1 ? [.anchored, .backwards] : [])
            let place = try #require(next, "\(finding.remedy)", sourceLocation: sourceLocation)
            let code = Self.withoutSpaces(rest[..<place.lowerBound])
            #expect(index > 0 || code.isEmpty, "\(finding.remedy)", sourceLocation: sourceLocation)
            #expect(
                index == 0 || !code.isEmpty && Self.code.contains(code), "\(finding.remedy)",
                sourceLocation: sourceLocation)
            rest = rest[place.upperBound...]
        }
        #expect(rest.isEmpty, "\(finding.remedy)", sourceLocation: sourceLocation)
    }

    @Test func ofARelationship() async throws {
        try await expect(
            .repeatedRelationshipFault, "Prefetch it with the fetch of User: §, or MagicalRecord's §."
        ) { context in
            for user in try User.findAll(in: context) { _ = user.messages.count }
        }
    }

    @Test func ofARelationshipSeveralStepsAway() async throws {
        try await expect(
            .repeatedRelationshipFault, of: "members", "Prefetch it with the fetch of User: §, or MagicalRecord's §."
        ) { context in
            for user in try User.findAll(in: context) { _ = user.team?.members.count }
        }
    }

    @Test func ofFaults() async throws {
        try await expect(
            .repeatedFault,
            "Fetch the objects with their values: §, with includesPropertyValues left on. For objects that are at hand as "
                + "faults, fetch § once before the loop."
        ) { context in
            let request = NSFetchRequest<User>(entityName: "User")
            request.includesPropertyValues = false
            for user in try context.fetch(request) { _ = user.displayName }
        }
    }

    @Test func ofLookUps() async throws {
        try await expect(
            .repeatedFetch,
            "Fetch all with one request before the loop: §, and look them up in a dictionary by displayName."
        ) { context in
            for number in 0..<9 { _ = try User.findFirst(where: \.displayName == "User \(number)", in: context) }
        }
        try await expect(
            .repeatedFetch,
            "Count all values with one request: § and a count expression, or MagicalRecord's §."
        ) { context in
            for number in 0..<9 { _ = try User.count(where: \.displayName == "User \(number)", in: context) }
        }
    }

    @Test func ofWhatIsCountedAndDeleted() async throws {
        try await expect(
            .fetchToCount,
            "To count, use §, or MagicalRecord's §. To find out whether there is one, set §."
        ) { context in
            _ = try User.findAll(in: context).count
            _ = try Message.count(in: context)
        }
        let found = try await Instruments.findings {
            try await MagicalRecord.save { context in
                for message in try Message.findAll(in: context) { context.delete(message) }
            }
        }
        let remedy = try #require(found.first { $0.kind == .fetchToDelete }).remedy
        let code = try #require(remedy.dropFirst("Delete them in the store: ".count).split(separator: ". ").first)
        #expect(Self.code.contains(Self.withoutSpaces(code)))
    }

    @Test(.enabled(if: Instruments.CodePath.areKnown)) func ofWhatIsFilteredAndSorted() async throws {
        try await expect(.filterInMemory, "Give the fetch the condition: §, or MagicalRecord's §.") { context in
            _ = try User.findAll(in: context).filter { $0.displayName == "User 1" }
        }
        try await expect(.sortInMemory, "Have the store sort: §; for the first or last one, with §.") { context in
            _ = try User.findAll(in: context).sorted { ($0.displayName ?? "") < ($1.displayName ?? "") }
        }
    }

    @Test func ofAnIndex() async throws {
        try await MagicalRecord.save { context in
            for number in 0..<1200 { try User.create(in: context).balance = Double(number) }
        }
        try await expect(
            .missingIndex, "Declare a fetch index on User.balance: in the model editor, or §."
        ) { context in
            _ = try User.findAll(where: \.balance == 7, in: context)
        }
    }
}
#endif
