import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import StoreTools
import Testing

/// Files with random changes: a check and a rescue give an answer or an error, in 10 seconds and 512 MB, and write nothing
/// but the rescued store.
///
/// The normal run takes some mutations of each shape, in this process. The long form takes 10,000 of each in child processes of
/// the test program, and names the seeds that end one. `MAGICALRECORD_HOSTILE=shape:seed:count` repeats a range in this process,
/// and writes the seed to the file `MAGICALRECORD_HOSTILE_LOG` before each.
@Suite("Hostile stores are read") struct DamageHostileTests {
    static let secondsLimit = 10.0
    static let memoryLimit = 512 << 20
    private static let environment = ProcessInfo.processInfo.environment
    static let request = environment["MAGICALRECORD_HOSTILE"]
    static let shapes = DamageShape.all.filter { !$0.isLarge }
    static let count =
        environment["MAGICALRECORD_HOSTILE_COUNT"].flatMap { Int($0) } ?? LongForm.choose(4, long: 10_000)

    /// Uses one mutation; returns what is not as it must be.
    static func use(_ store: DamageStore, seed: UInt64) throws -> [String] {
        var mutation = DamageMutation(store, seed: seed)
        let files = try mutation.files()
        let folder = try TemporaryFolder()
        let original = folder.file("original")
        try FileManager.default.createDirectory(at: original, withIntermediateDirectories: true)
        let url = try files.write(to: original)
        let start = Date()
        var problems: [String] = []
        do {
            _ = try StoreCheck(url).run()
        } catch {
            if !(error is StoreToolError) { problems.append("check: \(type(of: error)) \(error)") }
        }
        let checked = -start.timeIntervalSinceNow
        do {
            var rescue = StoreRescue(url)
            if seed % 2 == 0 { rescue.model = store.model }
            rescue.restoresDeletedRows = seed % 8 == 3
            let report = try rescue.write(to: folder.file("Rescued.sqlite"))
            if seed % 4 == 0 {
                let findings = try StoreCheck(folder.file("Rescued.sqlite")).run().findings
                let unmendable = DamageChecks.unmendable(findings, report)
                let rest = findings.filter { !unmendable.contains($0) }
                if !rest.isEmpty { problems.append("rescued: \(rest.prefix(2))") }
            }
        } catch {
            if !(error is StoreToolError) { problems.append("rescue: \(type(of: error)) \(error)") }
        }
        let seconds = -start.timeIntervalSinceNow
        if max(checked, seconds - checked) > secondsLimit { problems.append("\(checked) s, \(seconds - checked) s") }
        if try DamageFiles(original).files != files.files { problems.append("the original was changed") }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        let strange = names.filter { $0 != "original" && !$0.hasPrefix("Rescued") && !$0.hasPrefix(".Rescued") }
        if !strange.isEmpty { problems.append("files beside the destination: \(strange)") }
        return problems
    }

    @Test(.disabled(if: LongForm.isWanted || request != nil), arguments: shapes)
    func someMutationsAreAnswered(_ shape: DamageShape) throws {
        let store = try DamageStore.of(shape)
        for seed in 0..<UInt64(Self.count) {
            let problems = try Self.use(store, seed: seed)
            #expect(problems == [], "MAGICALRECORD_HOSTILE=\(shape.name):\(seed):1")
        }
    }

    @Test(.enabled(if: request != nil)) func theRequestedMutationsAreAnswered() throws {
        let parts = (Self.request ?? "").split(separator: ":").map(String.init)
        let shape = try #require(DamageShape.named(parts[0]))
        let (first, count) = (UInt64(parts[1]) ?? 0, UInt64(parts[2]) ?? 1)
        let store = try DamageStore.of(shape)
        let log = Self.environment["MAGICALRECORD_HOSTILE_LOG"].map { URL(fileURLWithPath: $0) }
        for seed in first..<first + count {
            try log.map { try Data("\(seed)".utf8).write(to: $0) }
            try MemoryUse.forgetPeak()
            var problems = try Self.use(store, seed: seed)
            let memory = try MemoryUse.peak
            if memory > Self.memoryLimit { problems.append("\(memory >> 20) MB") }
            #expect(problems == [], "MAGICALRECORD_HOSTILE=\(shape.name):\(seed):1")
        }
        try log.map { try Data("done".utf8).write(to: $0) }
    }

    @Test(.enabled(if: LongForm.isWanted && request == nil), arguments: shapes)
    func manyMutationsAreAnswered(_ shape: DamageShape) throws {
        let child = HostileChild(
            test: "theRequestedMutationsAreAnswered", variable: "MAGICALRECORD_HOSTILE", seconds: 4 * Self.secondsLimit)
        for line in try child.run(shape.name, count: Self.count) { Issue.record("\(line)") }
    }
}
