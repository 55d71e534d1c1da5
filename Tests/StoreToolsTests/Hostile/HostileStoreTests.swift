import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Files that were changed on purpose: every way of reading them gives an answer or an error, in 10 seconds and 512 MB, and
/// writes nothing but what it was asked for.
///
/// The long form takes 10,000 changes of each shape in child processes of the test program, and names the seeds that end one.
/// `MAGICALRECORD_HOSTILE_STORE=shape:seed:count` takes a range in this process.
@Suite("Hostile files") struct HostileStoreTests {
    private static let environment = ProcessInfo.processInfo.environment
    static let request = environment["MAGICALRECORD_HOSTILE_STORE"]
    static let count = environment["MAGICALRECORD_HOSTILE_STORE_COUNT"].flatMap { Int($0) } ?? 10_000

    @Test(.disabled(if: LongForm.isWanted || request != nil), arguments: HostileShape.names)
    func someChangesAreAnswered(_ name: String) throws {
        let shape = try HostileShape.make(name)
        for seed in 0..<UInt64(4) {
            let problems = try HostileUse.problems(shape, seed: seed)
            #expect(problems == [], "MAGICALRECORD_HOSTILE_STORE=\(name):\(seed):1")
        }
    }

    @Test(.enabled(if: request != nil)) func theRequestedChangesAreAnswered() throws {
        let parts = (Self.request ?? "").split(separator: ":").map(String.init)
        let shape = try HostileShape.make(parts[0])
        let (first, count) = (UInt64(parts[1]) ?? 0, UInt64(parts[2]) ?? 1)
        let log = Self.environment["MAGICALRECORD_HOSTILE_STORE_LOG"].map { URL(fileURLWithPath: $0) }
        for seed in first..<first + count {
            try log.map { try Data("\(seed)".utf8).write(to: $0) }
            // The test has the changed files in memory.
            var own = 0
            var problems = try HostileUse.problems(shape, seed: seed) {
                try MemoryUse.forgetPeak()
                own = try MemoryUse.peak
            }
            let memory = try MemoryUse.peak - own
            if memory > HostileUse.memoryLimit { problems.append("\(memory >> 20) MB") }
            #expect(problems == [], "MAGICALRECORD_HOSTILE_STORE=\(shape.name):\(seed):1")
        }
        try log.map { try Data("done".utf8).write(to: $0) }
    }

    @Test(.enabled(if: LongForm.isWanted && request == nil), arguments: HostileShape.names)
    func manyChangesAreAnswered(_ name: String) throws {
        let child = HostileChild(
            test: "theRequestedChangesAreAnswered", variable: "MAGICALRECORD_HOSTILE_STORE",
            seconds: 6 * HostileUse.secondsLimit)
        for line in try child.run(name, count: Self.count) { Issue.record("\(line)") }
    }
}
