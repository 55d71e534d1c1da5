import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import StoreTools

/// Damages a store, checks and rescues it, and compares the outcome with what was there before and what `.recover` finds.
struct DamageMeasure {
    let store: DamageStore
    let kind: DamageKind
    let seed: UInt64

    private struct Outcome {
        let folder: TemporaryFolder
        let damaged: URL
        let rescued: URL
        let report: RescueReport
    }

    /// Returns nil if the store has nothing that the kind could damage.
    func run() throws -> DamageResult? {
        guard let files = try kind.damaged(store, seed: seed) else { return nil }
        var result = DamageResult(shape: store.shape.name, kind: kind.name, seed: seed)
        result.live = store.snapshot.objects.count
        let recovery = try DamageRecovery(files, store.rows)
        result.recovered = recovery.found.count
        let folder = try TemporaryFolder()
        let original = folder.file("original")
        try FileManager.default.createDirectory(at: original, withIntermediateDirectories: true)
        let damaged = try files.write(to: original)
        check(damaged, files, &result)
        let start = Date()
        do {
            let outcome = try rescue(damaged, in: folder, &result)
            result.seconds = -start.timeIntervalSinceNow
            try examine(outcome, recovery, files, &result)
        } catch {
            result.problems.append("rescue: \(error) \((error as? StoreToolError)?.underlying ?? "")")
        }
        let after = try DamageFiles(original)
        if after.files != files.files { result.problems.append("the original was changed") }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter {
            !$0.hasPrefix("original")
        }
        let strange = names.filter { !$0.hasPrefix("Rescued") && !$0.hasPrefix(".Rescued") }
        if !strange.isEmpty { result.problems.append("files beside the destination: \(strange)") }
        return result
    }

    // MARK: Steps

    private func check(_ damaged: URL, _ files: DamageFiles, _ result: inout DamageResult) {
        do {
            let report = try StoreCheck(damaged).run()
            result.condition = Self.name(report.condition)
            result.findings = Self.counts(report.findings.map { $0.rule.rawValue })
            guard report.isHealthy else { return }
            switch kind.expectation {
            case .anything: break
            case .finding: result.problems.append("check finds nothing")
            case .findingIfNotIntact:
                if try !Self.isIntact(files) { result.problems.append("check finds nothing") }
            }
        } catch {
            result.condition = "error"
            result.problems.append("check: \(error)")
        }
    }

    private func rescue(_ damaged: URL, in folder: TemporaryFolder, _ result: inout DamageResult) throws -> Outcome {
        let rescued = folder.file("Rescued.sqlite")
        var rescue = StoreRescue(damaged)
        let report: RescueReport
        do {
            report = try rescue.write(to: rescued)
        } catch let error as StoreToolError where error.code == .noModel {
            result.isModelGiven = true
            rescue.model = store.model
            report = try rescue.write(to: rescued)
        }
        return Outcome(folder: folder, damaged: damaged, rescued: rescued, report: report)
    }

    private func examine(
        _ outcome: Outcome, _ recovery: DamageRecovery, _ files: DamageFiles, _ result: inout DamageResult
    ) throws {
        do {
            let sql = try DamageSQL(outcome.rescued, readOnly: true)
            let integrity = try sql.texts("PRAGMA integrity_check")
            if integrity != ["ok"] { result.problems.append("integrity_check: \(integrity.prefix(2))") }
        }
        let check = try StoreCheck(outcome.rescued).run()
        let unmendable = DamageChecks.unmendable(check.findings, outcome.report)
        result.remaining = Self.counts(unmendable.map { $0.rule.rawValue })
        let findings = check.findings.filter { !unmendable.contains($0) }
        if !findings.isEmpty || check.condition != .readable {
            result.problems.append(
                "check of the rescued store: \(check.condition) \(findings.prefix(3).map(\.description))")
        }
        let model = store.shape.model()
        let rescued: DamageSnapshot
        do {
            rescued = try DamageSnapshot(
                outcome.rescued, model: model, options: store.shape.options, isLarge: store.shape.isLarge)
        } catch {
            result.problems.append("does not open: \(error)")
            return
        }
        result.rescued = rescued.objects.filter { store.snapshot.objects[$0.key]?.values == $0.value.values }.count
        result.extra = rescued.objects.keys.filter { store.snapshot.objects[$0] == nil }.count
        compare(rescued, recovery, files, &result)
        examine(outcome.report, rescued, recovery, &result)
    }

    // MARK: Comparison

    private func compare(
        _ rescued: DamageSnapshot, _ recovery: DamageRecovery, _ files: DamageFiles, _ result: inout DamageResult
    ) {
        var missing: [String] = []
        var changed: [String] = []
        var unrelated: [String] = []
        let losesFile = kind.name == "external-missing"
        for row in recovery.found {
            guard let before = store.snapshot.objects[row] else { continue }
            guard let after = rescued.objects[row] else {
                missing.append("\(before.entity)/p\(row.key)")
                continue
            }
            result.found += 1
            if after.entity == before.entity { result.entity += 1 }
            let differs =
                before.values.keys.first { after.values[$0] != before.values[$0] }
                ?? after.values.keys.first { before.values[$0] == nil }
            if differs == nil || losesFile && differs == "image" {
                result.values += 1
            } else {
                changed.append("\(before.entity)/p\(row.key).\(differs ?? "")")
            }
            for (name, target) in before.toOne where rescued.objects[target] != nil {
                result.expectedRelations += 1
                if after.toOne[name] == target {
                    result.relations += 1
                } else {
                    unrelated.append("\(before.entity)/p\(row.key).\(name)")
                }
            }
            for (name, members) in before.toMany {
                guard let table = store.joins["\(before.entity).\(name)"] else { continue }
                // Either column may be that of the row's side.
                let pairs = recovery.pairs[table] ?? []
                let expected = members.filter {
                    rescued.objects[$0] != nil
                        && (pairs.contains([row.key, $0.key]) || pairs.contains([$0.key, row.key]))
                }
                let present = after.toMany[name] ?? []
                result.expectedRelations += expected.count
                let right =
                    store.snapshot.ordered.contains("\(before.entity).\(name)")
                    ? Self.inOrder(expected, present) : expected.filter(Set(present).contains).count
                result.relations += right
                if right < expected.count { unrelated.append("\(before.entity)/p\(row.key).\(name)") }
            }
        }
        let tolerated = kind.name == "uniqueness-violated" ? 2 : 0
        if missing.count > tolerated {
            result.problems.append(
                "\(missing.count) rows of .recover are missing: \(missing.sorted().prefix(4).joined(separator: " "))")
        }
        let count = recovery.found.count
        if result.entity * 100 < count * 95 {
            result.problems.append("\(count - result.entity) of \(count) rows not under their entity")
        }
        if result.values * 100 < count * 95 {
            result.problems.append(
                "\(changed.count) of \(count) rows with other values: \(changed.sorted().prefix(4).joined(separator: " "))"
            )
        }
        if result.relations * 100 < result.expectedRelations * 95 {
            result.problems.append(
                "\(result.expectedRelations - result.relations) of \(result.expectedRelations) relations missing: "
                    + unrelated.sorted().prefix(4).joined(separator: " "))
        }
    }

    /// Returns how many of the expected members are there, in the same order.
    private static func inOrder(_ expected: [DamageSnapshot.Key], _ present: [DamageSnapshot.Key]) -> Int {
        let wanted = Set(expected)
        let there = present.filter { wanted.contains($0) }
        return there == expected ? expected.count : zip(there, expected).prefix { $0 == $1 }.count
    }

    /// The counts of the report are those of the new store; a row that is not there is reported as lost.
    private func examine(
        _ report: RescueReport, _ rescued: DamageSnapshot, _ recovery: DamageRecovery, _ result: inout DamageResult
    ) {
        let counts = Dictionary(grouping: rescued.objects.values, by: \.entity).mapValues(\.count)
        let kept = Dictionary(report.entities.map { ($0.entity, $0.kept) }, uniquingKeysWith: +).filter { $0.value > 0 }
        if kept != counts {
            result.problems.append(
                "kept \(kept.sorted { $0.key < $1.key }), stored \(counts.sorted { $0.key < $1.key })")
        }
        let missing = recovery.found.filter { rescued.objects[$0] == nil }.count
        let lost = report.entities.map(\.lost).reduce(0, +)
        if lost < missing { result.problems.append("\(missing) rows missing, \(lost) reported as lost") }
        for entity in report.entities {
            let there = entity.lostKeys.filter { key in
                rescued.objects.contains { $0.key.key == key && $0.value.entity == entity.entity }
            }
            // A key may be of two damaged rows, of which one was kept.
            if there.count > entity.lost { result.problems.append("\(entity.entity): kept rows are reported as lost") }
        }
    }

    // MARK: Helpers

    private static func isIntact(_ files: DamageFiles) throws -> Bool {
        let folder = try TemporaryFolder()
        guard let sql = try? DamageSQL(try files.write(to: folder.url)) else { return false }
        return (try? sql.texts("PRAGMA integrity_check")) == ["ok"]
    }

    private static func counts(_ names: [String]) -> [String] {
        Dictionary(grouping: names) { $0 }.mapValues(\.count).sorted { $0.key < $1.key }
            .map { $1 == 1 ? $0 : "\($0)×\($1)" }
    }

    private static func name(_ condition: StoreCondition) -> String {
        String("\(condition)".prefix { $0 != "(" })
    }
}
