import Foundation
import ModelFormat

/// What the program `modelc` does, without the process around it.
public enum ModelTool {
    /// What a run gave.
    public struct Result: Sendable, Hashable {
        /// The process's exit status: 0 done, 1 the answer is no (differences, findings), 2 the command line is wrong,
        /// 3 something failed.
        public var status: Int32 = 0
        /// What the command printed.
        public var output = ""
        /// Errors and warnings, in the form compilers print.
        public var errors = ""
        /// The files and folders written.
        var written: [String] = []
        /// What `errors` says, as values.
        var diagnostics: [Diagnostic] = []
    }

    /// Runs a command line, given without the program's name.
    public static func run(_ words: [String]) -> Result {
        var result = Result()
        guard let name = words.first, !["help", "--help", "-h"].contains(name) else {
            let topic = words.dropFirst().first
            result.output = topic.flatMap { topic in commands.first { $0.name == topic }?.help } ?? overview
            return result
        }
        if name == "--version" {
            result.output = "modelc 1.0\n"
            return result
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            result.errors = "modelc: error: there is no command \(name). modelc --help lists them\n"
            result.status = 2
            return result
        }
        if words.contains("--help") || words.contains("-h") {
            result.output = command.help
            return result
        }
        do {
            try command.run(Array(words.dropFirst()), &result)
        } catch let error as UsageError {
            result.errors += "modelc \(name): error: \(error.message). modelc \(name) --help explains\n"
            result.status = 2
        } catch let error as ModelFormatError {
            result.report(Diagnostic(error))
        } catch let error as Diagnostic {
            result.report(error)
        } catch {
            result.errors += "modelc \(name): error: \(error.localizedDescription)\n"
            result.diagnostics.append(Diagnostic(message: error.localizedDescription))
            result.status = 3
        }
        if command.writesFiles, words.contains("--json"), result.status != 2 {
            result.output = report(result).text + "\n"
        }
        return result
    }

    /// What a run wrote, and what it had to say.
    private static func report(_ result: Result) -> JSON {
        .object([
            ("written", .array(result.written.map { .string($0) })),
            (
                "problems",
                .array(
                    result.diagnostics.map { problem in
                        .sparse([
                            ("severity", .string(problem.severity.rawValue)), ("file", .optional(problem.file)),
                            ("line", problem.line.map { .number($0) } ?? .null),
                            ("column", problem.column.map { .number($0) } ?? .null),
                            ("entity", .optional(problem.entity)),
                            ("property", .optional(problem.property)), ("message", .string(problem.message)),
                            ("advice", .optional(problem.advice)),
                        ])
                    })
            ),
        ])
    }

    private static let commands: [any ModelCommand.Type] = [
        CompileCommand.self, GenerateCommand.self, ShowCommand.self, DiffCommand.self, LintCommand.self,
        DiagramCommand.self, HashesCommand.self, DecompileCommand.self,
    ]

    private static var overview: String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let lines = commands.map {
            "  " + $0.name.padding(toLength: width, withPad: " ", startingAt: 0) + "  " + $0.summary
        }
        return """
            modelc works with Core Data models: source (.xcdatamodeld, .xcdatamodel), compiled (.momd, .mom), in SQLite stores,
            and mapping models (.xcmappingmodel, .cdm).

            usage: modelc COMMAND …

            \(lines.joined(separator: "\n"))

            modelc COMMAND --help explains a command.
            Exit status: 0 done; 1 the answer is no; 2 wrong command line; 3 failure.

            """
    }
}

/// One of the program's commands.
protocol ModelCommand: SendableMetatype {
    static var name: String { get }
    static var summary: String { get }
    static var help: String { get }
    /// Whether what the command gives are files, so that its JSON tells which.
    static var writesFiles: Bool { get }
    static func run(_ words: [String], _ result: inout ModelTool.Result) throws
}

extension ModelCommand {
    static var writesFiles: Bool { false }
}

extension ModelTool.Result {
    /// Prints an error or warning; an error makes the run a failure.
    mutating func report(_ diagnostic: Diagnostic) {
        errors += diagnostic.description + "\n"
        diagnostics.append(diagnostic)
        if diagnostic.severity == .error { status = 3 }
    }
}
