import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import ModelCompiler
import Testing

@testable import CoreData

/// Random pairs of models with random data: migrated by the database and object by object, and compared with what the
/// changes mean, which the test knows by itself.
///
/// What cannot be carried over without a loss is refused, with the store as it was. Databases are SQLite's, and PostgreSQL's where
/// there is a server. `COREDATA_RANDOM_MIGRATIONS` is the number of
/// pairs of each kind.
@Suite(.slow)
struct RandomMigrationTests {
    private static let wanted = ProcessInfo.processInfo.environment["COREDATA_RANDOM_MIGRATIONS"].flatMap { Int($0) }

    private static let seeds =
        wanted.map { Array(0..<$0) } ?? Array(0..<LongForm.choose(8, long: 40)) + covering(0..<400, changes)
    private static let linkSeeds =
        wanted.map { Array(1000..<1000 + $0) }
        ?? Array(1000..<LongForm.choose(1008, long: 1050)) + covering(1000..<1400, linkChanges)

    /// The seeds that bring a kind of change which none before them has, beyond those that are tried anyway.
    private static func covering(_ seeds: Range<Int>, _ kinds: (Int) -> Set<Int>) -> [Int] {
        var seen: Set<Int> = []
        return seeds.enumerated().compactMap { place, seed in
            let isNew = !kinds(seed).isSubset(of: seen)
            seen.formUnion(kinds(seed))
            return isNew && place >= LongForm.choose(8, long: 50) ? seed : nil
        }
    }

    private static func changes(_ seed: Int) -> Set<Int> {
        var random = RandomSketches(seed: seed)
        _ = random.change(random.model())
        return random.kinds
    }

    private static func linkChanges(_ seed: Int) -> Set<Int> {
        var random = RandomSketches(seed: seed)
        _ = random.changeLinks(random.model())
        return random.linkKinds
    }

    private static let kinds = StoreKind.allCases.filter { $0 != .memory }

    @Test(arguments: seeds, kinds)
    func randomChangesKeepEveryValue(_ seed: Int, _ kind: StoreKind) throws {
        var random = RandomSketches(seed: seed)
        let old = random.model()
        let (new, words) = random.change(old)
        try migrate(seed, kind, old, new, words, &random)
    }

    @Test(arguments: linkSeeds, kinds)
    func randomChangesOfRelationshipsKeepEveryLink(_ seed: Int, _ kind: StoreKind) throws {
        var random = RandomSketches(seed: seed)
        let old = random.model()
        let (new, words) = random.changeLinks(old)
        try migrate(seed, kind, old, new, words, &random)
    }

    @Test func everyKindOfChangeOccurs() {
        let kinds = Self.seeds.map(Self.changes).reduce(into: Set()) { $0.formUnion($1) }
        let linkKinds = Self.linkSeeds.map(Self.linkChanges).reduce(into: Set()) { $0.formUnion($1) }
        #expect(kinds == Set(0..<RandomSketches.kindsOfChanges))
        #expect(linkKinds == Set(0..<RandomSketches.kindsOfLinkChanges))
    }

    /// The pairs are worth trying: many stores are refused, and many are not.
    @Test func bothOutcomesOccur() throws {
        let count = LongForm.choose(12, long: 60)
        let refused = try (1000..<1000 + count).filter { seed in
            var random = RandomSketches(seed: seed)
            let old = random.model()
            let (new, _) = random.changeLinks(old)
            let store = try MigrationStore()
            return try store.open(old.makeModel()) { context in
                random.fill(context, old)
                try context.save()
                context.reset()
                return !(try SketchGraph(context, old)).obstacles(from: old, to: new).isEmpty
            }
        }
        #expect((count / 4...count * 3 / 4).contains(refused.count), "\(refused.count) of \(count)")
    }

    private func migrate(
        _ seed: Int, _ kind: StoreKind, _ old: Sketch, _ new: Sketch, _ words: [String], _ random: inout RandomSketches
    ) throws {
        let (source, destination) = (old.makeModel(), new.makeModel())
        let store = try MigrationStore(type: kind.type)
        let before = try store.open(source) { context in
            random.fill(context, old)
            try context.save()
            context.reset()
            return try SketchGraph(context, old)
        }
        #expect(before.nodes.count > 10)
        let obstacles = before.obstacles(from: old, to: new)
        let story = Comment(rawValue: "seed \(seed): \(words.joined(separator: ", ")); \(obstacles.prefix(3))")

        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        let manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
        manager.usesStoreSpecificMigrationManager = false
        let other = try MigrationStore()
        func byObjects() throws {
            try manager.migrateStore(
                from: store.url, type: .init(rawValue: kind.type), mapping: mapping, to: other.url, type: .sqlite)
        }
        // What fails or is lost is announced.
        let difference = try ModelCompiler.ModelComparison(
            old: ModelValues.compared(source), new: ModelValues.compared(destination))
        guard obstacles.isEmpty else {
            #expect(difference.changes.contains { $0.effect >= .needsMapping && $0.reason.contains("134110") }, story)
            let schema = try store.schema()
            let failures = [failure(byObjects), failure { try store.migrate(to: destination) }]
            #expect(failures.map(\.?.code) == [NSMigrationError, NSMigrationError], story)
            #expect(try store.schema() == schema, story)
            #expect(failures[0]?.localizedFailureReason == failures[1]?.localizedFailureReason, story)
            let after = try store.open(source) { try SketchGraph($0, old) }
            #expect(after == before, story)
            return
        }
        let expected = before.expected(from: old, to: new)
        if expected.hasLost(before) { #expect(difference.changes.contains { $0.effect == .losesData }, story) }

        // Object by object, into another file.
        try byObjects()
        let inOther = try other.open(destination) { try SketchGraph($0, new) }
        #expect(inOther.differences(from: expected, old: old, new: new) == [], story)

        // In place.
        try store.migrate(to: destination)
        let inPlace = try store.open(destination) { try SketchGraph($0, new) }
        #expect(inPlace.differences(from: expected, old: old, new: new) == [], story)
        #expect(
            try store.schema().symmetricDifference(MigrationStore.schema(ofNewStore: destination, type: kind.type))
                == [],
            story)
        if kind == .sqlite { #expect(try StoreAuditor(store.url, destination.layouts).problems() == [], story) }
    }

    private func failure(_ body: () throws -> Void) -> NSError? {
        do {
            try body()
            return nil
        } catch { return error as NSError }
    }
}
