import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Random edits, saves, rollbacks, undos, refreshes, merges and deletions in several contexts, compared with plain graphs.
///
/// `COREDATA_RANDOM_STEPS=1000000 swift test --filter RandomGraphTests` runs that many steps of each test instead of those
/// that fit into everyday runs, 12,800 in all; `COREDATA_RANDOM_SEED` sets the first seed. A failure prints its seed and the last steps
/// (`COREDATA_RANDOM_LOG` of them). A run is repeated exactly with `SWIFT_DETERMINISTIC_HASHING=1` and fixed addresses
/// (`setarch -R`): the order of sets goes by both.
@Suite("Random edits")
struct RandomGraphTests {
    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
    private static let firstSeed = UInt64(setting("COREDATA_RANDOM_SEED") ?? 1)

    /// Runs worlds of some hundred steps each.
    private func run(_ steps: Int, _ store: StoreKind, _ shape: GraphWorld.Shape, every: Int) throws {
        let steps = Self.setting("COREDATA_RANDOM_STEPS") ?? steps
        let length = 400
        let worlds = max(1, steps / length)
        var failures: [String] = []
        for round in 0..<worlds {
            let seed = Self.firstSeed + UInt64(round)
            var weak = WeakThings()
            do {
                let world = try GraphWorld(seed: seed, store: store, shape: shape)
                weak.watch(world)
                do {
                    for step in 1...length {
                        try world.step()
                        if step % every == 0 { try world.check() }
                        if step % 100 == 50 { weak.watch(world) }
                    }
                } catch {
                    let last = world.steps.suffix(Self.setting("COREDATA_RANDOM_LOG") ?? 40).joined(separator: "\n")
                    failures.append("Seed \(seed), step \(world.steps.count): \(error)\nThe last steps:\n\(last)")
                    print(failures.last!)
                    if failures.count > 4 { break }
                }
            }
            let leaks = weak.leaks
            guard leaks.isEmpty else {
                Issue.record("Seed \(seed): still alive: \(leaks)")
                return
            }
        }
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n\n"))")
    }

    @Test func oneContextInMemory() throws { try run(LongForm.choose(2_400, long: 16_000), .memory, .alone, every: 8) }
    @Test func oneContextInSQLite() throws { try run(LongForm.choose(1_000, long: 6_000), .sqlite, .alone, every: 16) }
    @Test func aFamilyOfContextsInMemory() throws {
        try run(LongForm.choose(2_000, long: 16_000), .memory, .family, every: 20)
    }
    @Test(.enabled(if: StoreKind.hasServer, StoreKind.needsServer)) func oneContextInPostgreSQL() throws {
        try run(LongForm.choose(800, long: 6_000), .postgreSQL, .alone, every: 16)
    }
    @Test(.enabled(if: StoreKind.hasServer, StoreKind.needsServer)) func aFamilyOfContextsInPostgreSQL() throws {
        try run(LongForm.choose(800, long: 6_000), .postgreSQL, .family, every: 40)
    }
    @Test func aFamilyOfContextsInSQLite() throws {
        try run(LongForm.choose(1_000, long: 6_000), .sqlite, .family, every: 40)
    }
}
