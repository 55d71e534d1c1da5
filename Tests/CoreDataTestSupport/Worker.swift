import Foundation
import MagicalRecordTestSupport
import Testing

/// A process that works on a store: the program of `Tests/StoreWorker`, which the package builds beside the tests.
package final class Worker {
    private let process = Process()
    private let output = Pipe()
    private var buffer = Data()

    /// - Parameters:
    ///   - program: a copy of the program, to be started where other files lie beside it.
    ///   - launcher: a command that starts the program, such as one that gives it namespaces of its own.
    package init(
        _ command: String, _ store: URL, _ arguments: [String] = [], program: URL? = nil, launcher: [String] = []
    ) throws {
        let place = store.isFileURL ? store.path : store.absoluteString
        let line = try launcher + [(program ?? Self.program()).path, command, place] + arguments
        process.executableURL = URL(fileURLWithPath: line[0])
        process.arguments = Array(line.dropFirst())
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        try output.fileHandleForWriting.close()
    }

    /// The program's file.
    package static func program() throws -> URL {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appendingPathComponent("CoreDataStoreWorker")
        let isThere = FileManager.default.isExecutableFile(atPath: program.path)
        try #require(isThere, "The program CoreDataStoreWorker was not built beside the tests.")
        return program
    }

    /// Copies the program to another place, where other files lie beside it.
    ///
    /// By a process of its own: a descriptor of this one, open for writing, could be inherited by a process that another test
    /// starts at the time, and a program that is open for writing cannot be started ("Text file busy").
    package static func copyProgram(to url: URL) throws {
        let copy = Process()
        copy.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        copy.arguments = ["cp", try program().path, url.path]
        try copy.run()
        copy.waitUntilExit()
        try #require(copy.terminationStatus == 0, "The program could not be copied to \(url.path).")
    }

    /// Waits until the process has reported a line.
    package func wait(for line: String) throws {
        while !lines.contains(line) {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "The worker ended without reporting “\(line)”: \(lines.suffix(3))")
            buffer += data
        }
    }

    /// Waits until the process has ended or reported a line of that kind last.
    package func wait(forLast kind: String) {
        while lines.last?.hasPrefix(kind) != true {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return }
            buffer += data
        }
    }

    /// Ends the process at once, as `kill -9` does.
    package func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        finish()
    }

    /// The process, for signals.
    package var identifier: Int32 { process.processIdentifier }

    /// Waits until the process has ended by itself; true if it did so in peace.
    @discardableResult
    package func finish() -> Bool {
        buffer += output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }

    /// What it has reported so far; a line cut off by its end is left out.
    package var lines: [String] {
        let text = String(decoding: buffer, as: UTF8.self)
        let complete = text.lastIndex(of: "\n").map { text[..<$0] } ?? ""
        return complete.split(separator: "\n").map(String.init)
    }

    /// The number in the last line of that kind.
    package func last(_ kind: String) -> Int? {
        lines.last { $0.hasPrefix(kind + " ") }.flatMap { Int($0.split(separator: " ")[1]) }
    }

    /// How many processes the tests kill: 8 by default; set `MAGICALRECORD_KILLS` for more.
    package static let kills =
        ProcessInfo.processInfo.environment["MAGICALRECORD_KILLS"].flatMap { Int($0) } ?? LongForm.choose(8, long: 24)
}
