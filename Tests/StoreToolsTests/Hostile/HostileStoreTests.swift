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
            try MemoryUse.forgetPeak()
            var problems = try HostileUse.problems(shape, seed: seed)
            let memory = try MemoryUse.peak
            if memory > HostileUse.memoryLimit { problems.append("\(memory >> 20) MB") }
            #expect(problems == [], "MAGICALRECORD_HOSTILE_STORE=\(shape.name):\(seed):1")
        }
        try log.map { try Data("done".utf8).write(to: $0) }
    }

    @Test(.enabled(if: LongForm.isWanted && request == nil), arguments: HostileShape.names)
    func manyChangesAreAnswered(_ name: String) throws {
        for line in try HostileChild.run(name, count: Self.count) { Issue.record("\(line)") }
    }
}

/// Processes of the test program that take a hundred changes each, so that one that ends a process is known.
enum HostileChild {
    static func run(_ name: String, count: Int) throws -> [String] {
        let folder = try TemporaryFolder()
        let (log, output) = (folder.file("seed"), folder.file("output"))
        var lines: [String] = []
        var next = 0
        while next < count, lines.count < 200 {
            let part = min(100, count - next)
            let ending = try start("\(name):\(next):\(part)", log: log, output: output)
            let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
            lines += text.split(separator: "\n").map(String.init).filter { $0.contains("MAGICALRECORD_HOSTILE_STORE=") }
            let reached = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            if reached == "done" {
                next += part
            } else {
                let seed = Int(reached) ?? next
                lines.append("MAGICALRECORD_HOSTILE_STORE=\(name):\(seed):1 \(ending): \(text.suffix(600))")
                next = seed + 1
            }
        }
        return lines
    }

    /// Runs one process, and ends it if one change takes too long. Returns how it ended.
    private static func start(_ range: String, log: URL, output: URL) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--testing-library", "swift-testing", "--filter", "theRequestedChangesAreAnswered"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["MAGICALRECORD_HOSTILE_STORE": range, "MAGICALRECORD_HOSTILE_STORE_LOG": log.path]) { $1 }
        try Data().write(to: output)
        try? FileManager.default.removeItem(at: log)
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        var last = ("", Date())
        while process.isRunning {
            Thread.sleep(forTimeInterval: 0.1)
            let seed = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            if seed != last.0 { last = (seed, Date()) }
            if last.1.timeIntervalSinceNow < -6 * HostileUse.secondsLimit {
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                return "takes too long"
            }
        }
        process.waitUntilExit()
        return
            "ended by \(process.terminationReason == .uncaughtSignal ? "signal" : "exit") \(process.terminationStatus)"
    }
}
