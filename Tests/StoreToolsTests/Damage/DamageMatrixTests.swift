import Foundation
import MagicalRecordTestSupport
import StoreTools
import Testing

/// Every kind of damage to every shape of store: what is found of it, and what a rescue restores.
///
/// The normal run takes a sample. The long form takes all pairs with several seeds, and prints a table; it is also written to
/// the file that `MAGICALRECORD_DAMAGE_TABLE` names. `MAGICALRECORD_DAMAGE=shape:kind:seed` runs the pairs that match; each
/// part may be `*`.
@Suite("Rescue of damaged stores", .enabled(if: DamageRecovery.isPossible, "needs the sqlite3 shell"))
struct DamageMatrixTests {
    struct Pair: Sendable, CustomTestStringConvertible {
        let shape: DamageShape
        let kind: DamageKind
        let seed: UInt64
        var testDescription: String { "\(shape.name):\(kind.name):\(seed)" }
    }

    /// The pairs of the normal run: each kind once, with shapes in turn.
    static let sample: [Pair] = {
        let shapes = DamageShape.all.filter { !$0.isLarge }
        return DamageKind.all.enumerated().compactMap { index, kind in
            let start = index * 7 % shapes.count
            let turn = shapes[start...] + shapes[..<start]
            return turn.first { shape in
                guard let store = try? DamageStore.of(shape) else { return false }
                return (try? kind.damaged(store, seed: 1)) ?? nil != nil
            }.map { Pair(shape: $0, kind: kind, seed: 1) }
        }
    }()

    /// Damage that rescues once did not mend: page sizes without header, required objects that are nil, pages of other tables
    /// in place of pairs, and single bits of tables' names, sizes of records and the model.
    static let regressions: [Pair] = [
        ("types-novacuum", "page-1-zeroed", 1), ("unique", "required-null", 1), ("ordered", "leaf-copied", 2),
        ("ordered", "leaves-swapped", 5), ("ordered", "bits-flipped", 5), ("links", "bits-flipped", 7),
        ("composites", "bits-flipped", 7), ("many-to-many", "bits-flipped", 6),
    ].compactMap { shape, kind, seed -> Pair? in
        guard let shape = DamageShape.named(shape), let kind = DamageKind.all.first(where: { $0.name == kind }) else {
            return nil
        }
        return Pair(shape: shape, kind: kind, seed: UInt64(seed))
    }

    static let chosen: [Pair] = {
        guard let text = ProcessInfo.processInfo.environment["MAGICALRECORD_DAMAGE"] else { return [] }
        let parts = text.split(separator: ":").map(String.init) + ["*", "*", "*"]
        return pairs(seeds: parts[2] == "*" ? [1, 2, 3] : [UInt64(parts[2]) ?? 1]).filter {
            (parts[0] == "*" || parts[0] == $0.shape.name) && (parts[1] == "*" || parts[1] == $0.kind.name)
        }
    }()

    static func pairs(seeds: [UInt64]) -> [Pair] {
        DamageShape.all.flatMap { shape in
            DamageKind.all.flatMap { kind in seeds.map { Pair(shape: shape, kind: kind, seed: $0) } }
        }
    }

    @Test(.disabled(if: LongForm.isWanted || !chosen.isEmpty)) func aSampleOfDamageIsFoundAndRescued() throws {
        #expect(Self.regressions.count == 8)
        try expect(Self.sample + Self.regressions)
    }

    @Test(.enabled(if: LongForm.isWanted && chosen.isEmpty)) func allDamageIsFoundAndRescued() throws {
        // The shape with many rows takes long: one seed.
        try expect(Self.pairs(seeds: [1, 2, 3]).filter { !$0.shape.isLarge || $0.seed == 1 })
    }

    @Test(.enabled(if: !chosen.isEmpty)) func theChosenDamageIsFoundAndRescued() throws { try expect(Self.chosen) }

    private func expect(_ pairs: [Pair]) throws {
        let results = try DamageResults(pairs.count)
        DispatchQueue.concurrentPerform(iterations: pairs.count) { index in
            let pair = pairs[index]
            results.set(
                index,
                Result {
                    try DamageMeasure(store: DamageStore.of(pair.shape), kind: pair.kind, seed: pair.seed).run()
                })
        }
        let measured = try results.all()
        let failed = measured.filter { !$0.problems.isEmpty }
        let wantsTable = LongForm.isWanted || !Self.chosen.isEmpty
        if wantsTable { print(DamageResult.table(measured)) }
        if let path = ProcessInfo.processInfo.environment["MAGICALRECORD_DAMAGE_TABLE"] {
            try DamageResult.table(measured).write(toFile: path, atomically: true, encoding: .utf8)
        }
        for result in failed {
            Issue.record("\(result.shape):\(result.kind):\(result.seed): \(result.problems.joined(separator: " | "))")
        }
        if wantsTable { print("\(measured.count) damaged stores, \(failed.count) with problems") }
    }

    @Test(arguments: DamageShape.all) func healthyStoresHaveNoFindings(_ shape: DamageShape) throws {
        let store = try DamageStore.of(shape)
        let (report, files) = try DamageChecks.check(store.files)
        #expect(report.findings.map(\.description) == [])
        #expect(report.condition == .readable)
        #expect(files == store.files.files)
    }
}
