import Foundation
import ModelFormat

/// A program with a list of commands, independent of the process.
package struct CommandLineTool {
    /// The name of the program, for its messages.
    private let name: String
    /// The first paragraph of the help.
    private let purpose: String
    private let commands: [any ModelCommand.Type]

    package init(name: String, purpose: String, commands: [any ModelCommand.Type]) {
        self.name = name
        self.purpose = purpose
        self.commands = commands
    }

    /// The commands of a build: compiling models, and generating classes and the implementations of `@NSManaged` members.
    package static let forBuilds = CommandLineTool(
        name: "modelc", purpose: "modelc compiles Core Data models, and writes what their classes need.",
        commands: [CompileCommand.self, GenerateCommand.self])

    /// Runs a command line without the program's name.
    package func run(_ words: [String]) -> CommandResult {
        var result = CommandResult()
        guard let word = words.first, !["help", "--help", "-h"].contains(word) else {
            let topic = words.dropFirst().first
            result.output = topic.flatMap { topic in commands.first { $0.name == topic }?.help } ?? overview
            return result
        }
        if word == "--version" {
            result.output = "\(name) 1.0\n"
            return result
        }
        guard let command = commands.first(where: { $0.name == word }) else {
            result.errors = "\(name): error: there is no command \(word). \(name) --help lists them\n"
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
            result.errors += "\(name) \(word): error: \(error.message). \(name) \(word) --help explains\n"
            result.status = 2
        } catch let error as ModelFormatError {
            result.report(Diagnostic(error))
        } catch let error as Diagnostic {
            result.report(error)
        } catch {
            result.errors += "\(name) \(word): error: \(error.localizedDescription)\n"
            result.diagnostics.append(Diagnostic(message: error.localizedDescription))
            result.status = 3
        }
        if command.writesFiles(Array(words.dropFirst())), words.contains("--json"), result.status != 2 {
            result.output = result.json.text + "\n"
        }
        return result
    }

    private var overview: String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let lines = commands.map {
            "  " + $0.name.padding(toLength: width, withPad: " ", startingAt: 0) + "  " + $0.summary
        }
        return """
            \(purpose)

            usage: \(name) COMMAND …

            \(lines.joined(separator: "\n"))

            \(name) COMMAND --help explains a command.
            Exit status: 0 done; 1 the answer is no; 2 wrong command line; 3 failure.

            """
    }
}

/// A command of a program.
package protocol ModelCommand: SendableMetatype {
    static var name: String { get }
    static var summary: String { get }
    static var help: String { get }
    /// True if the command writes files; its JSON output then lists them.
    static var writesFiles: Bool { get }
    /// Returns whether a command line of the command writes files, if some do and others do not.
    static func writesFiles(_ words: [String]) -> Bool
    static func run(_ words: [String], _ result: inout CommandResult) throws
}

extension ModelCommand {
    package static var writesFiles: Bool { false }
    package static func writesFiles(_ words: [String]) -> Bool { writesFiles }
}
