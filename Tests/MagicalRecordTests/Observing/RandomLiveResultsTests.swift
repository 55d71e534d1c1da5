import MagicalRecord
import Testing

/// Random edits in two contexts: the last list always equals a fetch, and a table kept by the differences equals the list.
@Suite("Live results under random edits", .timeLimit(.minutes(5)))
struct RandomLiveResultsTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        var seed: UInt64
        var isGrouped: Bool
        var isLimited: Bool
        var testDescription: String { "seed \(seed), grouped \(isGrouped), limited \(isLimited)" }
    }

    static let kinds = (1...4).flatMap { seed in
        [(false, false), (true, false), (false, true)].map {
            Kind(seed: UInt64(seed), isGrouped: $0.0, isLimited: $0.1)
        }
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    @Test("List, table and fetch agree", arguments: kinds)
    func agreement(_ kind: Kind) async throws {
        let stack = try AddressBook.stack(shape: .siblings)
        try AddressBook.fill(stack)
        let context = stack.newContext(), other = stack.newContext()
        for context in [context, other] {
            context.runAndWait {
                context.automaticallyMergesChangesFromParent = true
                context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
            }
        }
        var query = try MagicalRecord.Query<User>().where("isFriend == YES AND (team == nil OR team.name != 'Hidden')")
            .sorted(by: [.ascending(\.countryCode), .ascending(\.userID)])
        if kind.isLimited { query = query.limited(to: 4) }
        let live =
            kind.isGrouped
            ? query.observe(sectionedBy: \.countryCode, in: context, Snapshot.init)
            : query.observe(in: context, Snapshot.init)
        var lists = live.makeAsyncIterator()
        var random = Generator(state: kind.seed)
        var table: [[NSManagedObjectID]] = []
        Self.apply(try #require(try await lists.next()), to: &table)
        for round in 0..<25 {
            let seed = random.next()
            let writer = Bool.random(using: &random) ? context : other
            try await writer.perform {
                var random = Generator(state: seed)
                for _ in 0..<Int.random(in: 1...5, using: &random) { try Self.edit(writer, &random) }
                try writer.save()
            }
            // A last change that shows in every list marks the end of the round.
            try await context.perform {
                let marker = try User.findFirst(where: \.userID == 3, in: context)
                marker?.isFriend = true
                marker?.team = nil
                marker?.countryCode = -1
                marker?.email = "round \(round)"
                try context.save()
            }
            await other.settle()
            for _ in 0..<6 { await context.settle() }
            let list = try #require(try await lists.next())
            Self.apply(list, to: &table)
            let expected = try context.runAndWait { try query.findAll(in: context).map(\.objectID) }
            #expect(list.objectIDs == expected, "round \(round)")
            #expect(table.flatMap { $0 } == expected, "round \(round)")
            #expect(table.map(\.count) == list.sectionCounts, "round \(round)")
        }
    }

    private static func edit(_ context: NSManagedObjectContext, _ random: inout Generator) throws {
        let users = try User.findAll(where: \.userID != 3, sortedBy: \.userID, in: context)
        let user = users.randomElement(using: &random)
        switch Int.random(in: 0...6, using: &random) {
        case 0: user?.isFriend.toggle()
        case 1: user?.countryCode = Int32.random(in: 0...3, using: &random)
        case 2: user?.balance += 1
        case 3: if users.count > 3, let user { context.delete(user) }
        case 4:
            let teams = try Team.findAll(sortedBy: \.teamID, in: context)
            teams.randomElement(using: &random)?.name = Bool.random(using: &random) ? "Hidden" : "Seen"
        case 5: user?.team = try Team.findAll(sortedBy: \.teamID, in: context).randomElement(using: &random)
        default:
            let new = try User.create(in: context)
            new.userID = Int64.random(in: 100...1_000_000_000, using: &random)
            new.isFriend = true
            new.countryCode = Int32.random(in: 0...3, using: &random)
        }
    }

    /// A list, and what a list view would do to get there.
    private struct Snapshot: Sendable {
        let objectIDs: [NSManagedObjectID]
        let sectionCounts: [Int]
        let leaving: [MagicalRecord.ResultPosition]
        let deletedSections: [Int]
        let insertedSections: [Int]
        let arriving: [Place]

        struct Place: Sendable {
            let position: MagicalRecord.ResultPosition
            let id: NSManagedObjectID
        }

        init(_ list: MagicalRecord.ResultList<User>) {
            let difference = list.difference
            objectIDs = list.objectIDs
            sectionCounts = list.sections.map(\.count)
            leaving = difference.deletions.map(\.position) + difference.moves.map(\.old)
            (deletedSections, insertedSections) = (difference.deletedSections, difference.insertedSections)
            arriving =
                difference.insertions.map { Place(position: $0.position, id: $0.object.objectID) }
                + difference.moves.map { Place(position: $0.new, id: $0.object.objectID) }
        }
    }

    /// Changes a table as a list view would, from the difference alone.
    private static func apply(_ list: Snapshot, to table: inout [[NSManagedObjectID]]) {
        for position in list.leaving.sorted().reversed() { table[position.section].remove(at: position.item) }
        for section in list.deletedSections.reversed() { table.remove(at: section) }
        for section in list.insertedSections { table.insert([], at: section) }
        for place in list.arriving.sorted(by: { $0.position < $1.position }) {
            table[place.position.section].insert(place.id, at: place.position.item)
        }
    }
}
