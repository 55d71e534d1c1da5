import CoreDataModelBuilding
import Foundation
import StoreTools

/// The program `storetool`, independent of the process.
public enum StoreTool {
    /// The commands, in the order of the help.
    package static let commands: [any Command.Type] = [
        InfoCommand.self, QueryCommand.self, GetCommand.self, FollowCommand.self, CheckCommand.self, RescueCommand.self,
        ExportCommand.self, DiffCommand.self,
        MigrateCommand.self, CopyCommand.self,
    ]

    /// Runs a command line without the program's name, with the standard output and error of the process, and returns the
    /// exit code: 0; 1 for findings or differences; 2 for an invalid command line or a store that cannot be read; 130 if
    /// interrupted.
    public static func main(_ words: [String]) -> Int32 {
        Interruption.install()
        return run(words, Console.ofProcess())
    }

    /// Runs a command line in the given surroundings.
    package static func run(_ words: [String], _ console: Console) -> Int32 {
        var status: Int32
        do {
            status = try dispatch(words, console)
            console.progressLine?.clear()
            try console.output.flush()
        } catch {
            console.progressLine?.clear()
            status = report(error, words, console)
        }
        return status
    }

    /// Parses a command line without running it.
    package static func parse(_ words: [String]) throws -> any Command {
        try command(words.first ?? "").parse(Array(words.dropFirst()))
    }

    private static func dispatch(_ words: [String], _ console: Console) throws -> Int32 {
        guard let word = words.first, !["help", "--help", "-h"].contains(word) else {
            let topic = words.dropFirst().first { !$0.hasPrefix("-") }
            try console.write(topic.map { try self.command($0).help } ?? overview)
            return 0
        }
        if word == "--version" {
            try console.line("storetool 1.0")
            return 0
        }
        let command = try self.command(word)
        // A value of an option may be “-h”; what comes after “--” is no option.
        if words.dropFirst().prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) {
            try console.write(command.help)
            return 0
        }
        return try command.parse(Array(words.dropFirst())).run(console)
    }

    private static func command(_ word: String) throws -> any Command.Type {
        if let command = commands.first(where: { $0.name == word }) { return command }
        let near = Suggestion.nearest(to: word, among: commands.map { $0.name })
        throw UsageError(
            word.hasPrefix("-")
                ? "There is no option \(word) here"
                : "There is no command “\(word)”" + (near.map { "; did you mean “\($0)”?" } ?? ""))
    }

    private static func report(_ error: any Error, _ words: [String], _ console: Console) -> Int32 {
        // The reader of the output needs no more of it.
        if error is OutputClosed { return 0 }
        let isInterruption =
            error is Interrupted || error is CancellationError || (error as? StoreToolError)?.code == .cancelled
        if isInterruption {
            _ = try? console.output.flush()
            return 130
        }
        let name = words.first.flatMap { word in commands.first { $0.name == word }?.name }
        let failure = Failure(error, command: name)
        if failure.code == "cancelled" { return 130 }
        let wantsJSON = words.contains("--json") || words.contains("--format=json")
        if wantsJSON, !console.hasOutput { _ = try? console.line(failure.json.text) }
        _ = try? console.output.flush()
        _ = try? console.errors.write(failure.line)
        _ = try? console.errors.flush()
        return 2
    }

    private static var overview: String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let lines = commands.map {
            "  " + $0.name + String(repeating: " ", count: width - $0.name.count + 2) + $0.summary
        }
        return """
            storetool opens the stores of Core Data, asks them, checks them, and saves what is in damaged ones.

            usage: storetool COMMAND …

            \(lines.joined(separator: "\n"))

            “storetool help COMMAND” explains a command, with examples.

            Stores are only read, except by the commands that say otherwise: no byte of them or beside them changes.
            With --json, results and errors ({"error": {…}}) are JSON on the standard output; an error is also one
            sentence on the standard error.

            Exit status: 0 done; 1 findings, differences or losses; 2 wrong command line, or it cannot be read;
            130 interrupted with Ctrl-C, which leaves everything as it was.

            """
    }
}
