import CoreDataModelBuilding
import Foundation
import ModelFormat

/// `modelc new`
enum NewCommand: ModelCommand {
    static let name = "new"
    static let summary = "write a source model with every kind of property, to start from"
    static let writesFiles = true
    static let help = """
        usage: modelc new MODEL [--empty] [--version NAME] [--json]

        Creates MODEL, an .xcdatamodeld with one version. The version has an example of every kind of entity and property,
        each explained by a comment; edit it with a text editor or with modelc add. Xcode opens it, too.
        Fails if there is something at MODEL already.

          --empty          no entities
          --version NAME   the name of the version; by default that of the model
          --json           what was written and all problems, as JSON on the standard output

        examples:
          modelc new Sources/App/Model.xcdatamodeld
          modelc new Model.xcdatamodeld --empty --version "Model 1"

        """

    static func run(_ words: [String], _ result: inout CommandResult) throws {
        let arguments = try Arguments(words, options: ["version"], flags: ["empty", "json"])
        let path = try arguments.one("MODEL")
        guard (path as NSString).pathExtension == "xcdatamodeld" else {
            throw UsageError("\(path): the name of a new model must end in .xcdatamodeld")
        }
        let name = arguments["version"] ?? URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        let text = arguments.has("empty") ? ModelTemplate.empty : ModelTemplate.complete
        try SourceVersions.create(at: path, version: name, contents: Data(text.utf8))
        let file = "\(path)/\(name).xcdatamodel/contents"
        result.written.append(path)
        result.output += file + "\n"
    }
}
