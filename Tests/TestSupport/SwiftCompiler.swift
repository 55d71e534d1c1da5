#if !canImport(Darwin)
import Foundation
import Testing

/// The compiler, for what is generated and for what must not compile.
public enum SwiftCompiler {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    /// The modules lie beside the test program.
    private static let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    public static let hasModules = FileManager.default.fileExists(
        atPath: products.appendingPathComponent("Modules/CoreData.swiftmodule").path)
    public static let need: Comment = "needs the module CoreData beside the test program"

    /// Expects files to compile without a warning.
    public static func check(
        _ paths: [String], module: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (succeeded, messages) = try compile(["-warnings-as-errors", "-module-name", module] + paths)
        #expect(succeeded, "\(messages)", sourceLocation: sourceLocation)
    }

    /// Expects a source not to compile.
    ///
    /// - Returns: the errors, a line each.
    public static func errors(in source: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("Source-\(UUID().uuidString).swift")
        defer { try? FileManager.default.removeItem(at: file) }
        try source.write(to: file, atomically: true, encoding: .utf8)
        let (succeeded, messages) = try compile(["-diagnostic-style", "llvm", "-module-name", "Source", file.path])
        #expect(!succeeded, "This should not compile.", sourceLocation: sourceLocation)
        return messages.split(separator: "\n").filter { $0.contains(" error: ") }.map(String.init)
    }

    /// The arguments for modules of libraries that only the package's traits need.
    private static var libraries: [String] {
        #if PostgreSQL
        ["-Xcc", "-fmodule-map-file=\(root.path)/Sources/CCoreDataPostgreSQL/module.modulemap"]
            + ["-Xcc", "-I/usr/include/postgresql"]
        #else
        []
        #endif
    }

    private static func compile(_ arguments: [String]) throws -> (succeeded: Bool, messages: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["swiftc", "-typecheck", "-swift-version", "6", "-I", products.appendingPathComponent("Modules").path]
            + ["CCoreDataSQLite", "CCoreDataRuntime/include"].flatMap { folder in
                ["-Xcc", "-fmodule-map-file=\(root.path)/Sources/\(folder)/module.modulemap"]
            } + libraries + arguments
        let output = Pipe()
        process.standardError = output
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus == 0, text)
    }
}
#endif
