import Foundation

/// The exit status and the output of a program.
struct ProgramResult {
    var status: Int32
    var output: String
    var errors: String

    /// Runs a program of the search path with a text as its standard input.
    static func of(_ words: [String], input: String = "", in folder: URL? = nil) throws -> ProgramResult {
        let files = FileManager.default
        let place = files.temporaryDirectory.appendingPathComponent("Program-\(UUID().uuidString)")
        try files.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: place) }
        // Files, not pipes, so that no side waits for the other.
        let names = ["input", "output", "errors"].map { place.appendingPathComponent($0) }
        try Data(input.utf8).write(to: names[0])
        for name in names.dropFirst() { try Data().write(to: name) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = folder
        process.standardInput = try FileHandle(forReadingFrom: names[0])
        process.standardOutput = try FileHandle(forWritingTo: names[1])
        process.standardError = try FileHandle(forWritingTo: names[2])
        var environment = ProcessInfo.processInfo.environment
        environment["PSQL_PAGER"] = ""
        environment["PGCLIENTENCODING"] = "UTF8"
        environment["LC_ALL"] = "C.UTF-8"
        process.environment = environment
        try process.run()
        process.waitUntilExit()
        return ProgramResult(
            status: process.terminationStatus, output: try String(contentsOf: names[1], encoding: .utf8),
            errors: try String(contentsOf: names[2], encoding: .utf8))
    }
}
