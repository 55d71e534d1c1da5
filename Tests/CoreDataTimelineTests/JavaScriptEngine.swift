import Foundation
import Testing

/// Runs JavaScript without a page, in Node.
enum JavaScriptEngine {
    static let program: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").lazy
        .map { "\($0)/node" }.first { access($0, X_OK) == 0 }

    static func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        let process = Process(), output = Pipe(), errors = Pipe()
        process.executableURL = URL(fileURLWithPath: try #require(program))
        process.arguments = arguments
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let failures = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text, failures)
    }

    /// The value of an expression in which the declarations of a file of the page are known.
    static func value<Value: Decodable>(of expression: String, in file: String, as type: Value.Type) throws -> Value {
        let script = try PageFileTests.text(file) + "\nconsole.log(JSON.stringify(\(expression)));"
        let result = try run(["-e", script])
        #expect(result.status == 0, "\(result.errors)")
        return try JSONDecoder().decode(type, from: Data(result.output.utf8))
    }
}
