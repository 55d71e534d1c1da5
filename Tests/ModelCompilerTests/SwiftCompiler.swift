import Foundation
import Testing

/// The compiler, for what is generated.
enum SwiftCompiler {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    /// The modules lie beside the test program.
    private static let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    static let hasModules = FileManager.default.fileExists(
        atPath: products.appendingPathComponent("Modules/CoreData.swiftmodule").path)
    static let need: Comment = "needs the module CoreData beside the test program"

    /// Expects files to compile without a warning.
    static func check(
        _ paths: [String], module: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-module-name", module, "-I",
                products.appendingPathComponent("Modules").path,
            ]
            + ["CSQLite", "CSwiftRuntime/include"].flatMap { folder in
                ["-Xcc", "-fmodule-map-file=\(root.path)/Sources/\(folder)/module.modulemap"]
            } + paths
        let output = Pipe()
        process.standardError = output
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)", sourceLocation: sourceLocation)
    }
}
