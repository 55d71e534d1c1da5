import CoreDataModelBuilding
import Foundation
import ModelFormat

/// `modelc show`
enum ShowCommand: ModelCommand {
    static let name = "show"
    static let summary = "print a model, or the model a store carries, as text"
    static let help = """
        usage: modelc show MODEL [--version NAME] [--json]

        Prints a model in readable text: every entity with its properties, indexes, constraints and version hash, then
        fetch requests and configurations. MODEL may be a source model, a compiled one, a mapping model, or a SQLite store,
        which carries the model it was last opened with.

          --version NAME   a version of a bundle, instead of the current one
          --json           JSON instead of text

        examples:
          modelc show AddressBook.xcdatamodeld
          modelc show App.momd --version "Model 2"
          modelc show ~/Library/App/Store.sqlite --json | jq '.entities[].name'
          modelc show V1toV2.xcmappingmodel

        """

    static func run(_ words: [String], _ result: inout CommandResult) throws {
        let arguments = try Arguments(words, options: ["version"], flags: ["json"])
        let path = try arguments.one("MODEL")
        if ModelInput.isMapping(path) {
            let url = URL(fileURLWithPath: path)
            let mapping = try MappingModel(contentsOf: url)
            let name = url.deletingPathExtension().lastPathComponent
            result.output =
                arguments.has("json")
                ? MappingText.json(mapping, name: name).text + "\n" : MappingText.text(mapping, name: name)
            return
        }
        let bundle = try ModelInput.bundle(path)
        let version = try ModelInput.version(path, named: arguments["version"])
        result.output =
            arguments.has("json")
            ? try ModelJSON.model(version, in: bundle).text + "\n"
            : try ModelText(version: version, bundle: bundle).write()
    }
}
