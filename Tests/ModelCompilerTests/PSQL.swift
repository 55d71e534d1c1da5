#if PostgreSQL
import Foundation
import PostgreSQLTestSupport

/// The program `psql`, in a schema of the tests' server.
struct PSQL {
    let url: URL
    /// The name of the role and of its schema.
    var schema: String { url.user ?? "" }

    /// Runs a body with a new schema.
    static func withSchema(_ body: (PSQL) throws -> Void) throws {
        let url = try TestServer.makeSchema()
        defer { TestServer.removeSchema(url) }
        try body(PSQL(url: url))
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/psql")

    /// Runs a script; returns the rows that it selects, with `|` between columns.
    ///
    /// - Throws: ``Failure`` with the text of the first error.
    @discardableResult
    func run(_ script: String) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory
        let (input, output) = (
            folder.appendingPathComponent(UUID().uuidString), folder.appendingPathComponent(UUID().uuidString)
        )
        defer { for file in [input, output] { try? FileManager.default.removeItem(at: file) } }
        try Data(script.utf8).write(to: input)
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/psql")
        process.arguments = [url.absoluteString, "-XqAt", "-v", "ON_ERROR_STOP=1", "-f", input.path]
        let handle = try FileHandle(forWritingTo: output)
        defer { try? handle.close() }
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        guard process.terminationStatus == 0 else { throw Failure(description: text) }
        return text.split(separator: "\n").map(String.init)
    }
}
#endif
