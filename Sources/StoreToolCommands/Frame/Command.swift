import CoreDataModelBuilding
import StoreTools

/// A command of `storetool`.
package protocol Command: SendableMetatype {
    static var name: String { get }
    /// One line for the list of commands.
    static var summary: String { get }
    /// The positional arguments, such as `STORE QUERY`.
    static var usage: String { get }
    /// The description of the command, in paragraphs.
    static var details: String { get }
    static var options: [CommandOption] { get }
    static var examples: [CommandExample] { get }

    /// Reads the arguments.
    ///
    /// - Throws: `UsageError`, or `StoreToolError` for a malformed query.
    init(_ arguments: Arguments) throws
    /// Runs the command and returns the exit code: 0, or 1 for findings and differences.
    func run(_ console: Console) throws -> Int32
}

/// An option of a command.
package struct CommandOption: Sendable {
    let name: String
    /// The placeholder of the value; nil for a flag.
    let value: String?
    let text: String

    package init(_ name: String, _ value: String? = nil, _ text: String) {
        (self.name, self.value, self.text) = (name, value, text)
    }

    static let json = CommandOption("json", nil, "the result, or the error, as JSON")
    static let model = CommandOption(
        "model", "MODEL", "the model, for a store without one: .momd, .mom or .xcdatamodel")
}

/// An example of a command line.
package struct CommandExample: Sendable {
    package let words: String
    let text: String

    package init(_ words: String, _ text: String) { (self.words, self.text) = (words, text) }
}

extension Command {
    /// Parses a command line without the program's and the command's name.
    static func parse(_ words: [String]) throws -> Self {
        let arguments = try Arguments(
            words, options: Set(options.filter { $0.value != nil }.map(\.name)),
            flags: Set(options.filter { $0.value == nil }.map(\.name)))
        guard !arguments.positional.contains("") else { throw UsageError("an argument is empty") }
        return try Self(arguments)
    }

    /// The help.
    static var help: String {
        let names = options.map { "--\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
        let width = names.map(\.count).max() ?? 0
        let lines = zip(names, options).map { name, option in
            "  " + name + String(repeating: " ", count: width - name.count + 2) + option.text
        }
        let shown = examples.map { "  storetool \($0.words)\n      \($0.text)" }
        return """
            storetool \(name): \(summary)

            usage: storetool \(name) \(usage)\(options.isEmpty ? "" : " [OPTIONS]")

            \(details)

            options:
            \(lines.joined(separator: "\n"))

            examples:
            \(shown.joined(separator: "\n"))

            """
    }
}

extension Arguments {
    /// Returns the positional arguments, as many as there are names.
    func positional(_ names: String...) throws -> [String] {
        guard positional.count >= names.count else { throw UsageError("\(names[positional.count]) is missing") }
        guard positional.count == names.count else {
            throw UsageError("“\(positional[names.count])” is one argument too many")
        }
        return positional
    }

    /// Returns the value of an option as a number that is not negative.
    func number(_ option: String) throws -> Int? {
        guard let text = self[option] else { return nil }
        guard let number = Int(text), number >= 0 else { throw UsageError("--\(option) takes a number, not “\(text)”") }
        return number
    }
}
