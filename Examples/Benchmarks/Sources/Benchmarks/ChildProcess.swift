import Foundation
import Workloads

/// This very program, run again with other arguments.
enum ChildProcess {
    /// Runs a subcommand and returns what it printed. Its error output goes to ours.
    ///
    /// - Parameter copy: The copy of the program to run; by default the program itself.
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
