import CoreDataTestSupport
import Foundation

/// Processes of the test program that take a hundred changes of files each, so that a change that ends one is known.
///
/// A variable of the environment names the shape, the first change and their number; the process writes the change it begins to
/// the file that a second variable names, with `_LOG` behind its name, and `done` at the end.
struct HostileChild {
    /// The name of the test that takes the changes.
    let test: String
    let variable: String
    /// The seconds after which a process is ended if it has begun no other change.
    let seconds: Double

    /// Takes changes of a shape; returns what is wrong, each with the variable's value that repeats it.
    func run(_ shape: String, count: Int) throws -> [String] {
        let folder = try TemporaryFolder()
        let (log, output) = (folder.file("seed"), folder.file("output"))
        var lines: [String] = []
        var next = 0
        while next < count, lines.count < 200 {
            let part = min(100, count - next)
            let ending = try start("\(shape):\(next):\(part)", log: log, output: output)
            let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
            lines += text.split(separator: "\n").map(String.init).filter { $0.contains(variable + "=") }
            let reached = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            if reached == "done" {
                next += part
            } else {
                let seed = Int(reached) ?? next
                lines.append("\(variable)=\(shape):\(seed):1 \(ending): \(text.suffix(600))")
                next = seed + 1
            }
        }
        return lines
    }

    /// Runs one process, and ends it if one change takes too long. Returns how it ended.
    private func start(_ range: String, log: URL, output: URL) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--testing-library", "swift-testing", "--filter", test]
        process.environment = ProcessInfo.processInfo.environment.merging(
            [variable: range, variable + "_LOG": log.path]) { $1 }
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
            if last.1.timeIntervalSinceNow < -seconds {
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
