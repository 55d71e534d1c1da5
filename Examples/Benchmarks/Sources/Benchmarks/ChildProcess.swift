import Foundation
import Workloads

/// Functions that run this program as a child process.
enum ChildProcess {
    /// Runs a subcommand and returns its standard output. Its standard error is inherited.
    ///
    /// - Parameter copy: the copy of the program to run; by default the program itself.
    /// - Throws: ``BenchmarkError`` if the subcommand exits with another status than 0.
    static func run(_ arguments: [String], with copy: ProgramCopy? = nil) throws -> Data {
        guard let program = copy?.program ?? Bundle.main.executableURL else {
            throw BenchmarkError("cannot find my own program file")
        }
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0, process.terminationReason == .exit else {
            throw BenchmarkError(
                "\(arguments.joined(separator: " ")): ended with status \(process.terminationStatus)")
        }
        return printed
    }
}
