import CoreDataModelBuilding
import Foundation
import ModelFormat

/// `modelc version`
enum VersionCommand: ModelCommand {
    static let name = "version"
    static let summary = "add a version to a source model, choose the current one, list them"
    static let help = """
        usage: modelc version add MODEL NAME [--from VERSION] [--json]
               modelc version current MODEL NAME [--json]
               modelc version list MODEL [--json]

        add copies a version, and makes the copy the current version. Change a model in a new version once stores exist:
        they migrate from the old version to the current one, so the old one must stay as it is.
        current makes a version the current one, with which new stores are created. list marks it with *.
        MODEL is an .xcdatamodeld. NAME is the name of a version, without .xcdatamodel.

          --from VERSION   the version to copy, instead of the current one
          --json           what was written and all problems, or the list, as JSON on the standard output

        examples:
          modelc version add Model.xcdatamodeld "Model 2"
          modelc version current Model.xcdatamodeld Model
          modelc version list Model.xcdatamodeld

        """

    static func writesFiles(_ words: [String]) -> Bool { words.first != "list" }

    static func run(_ words: [String], _ result: inout CommandResult) throws {
        let arguments = try Arguments(words, options: ["from"], flags: ["json"])
        let action = arguments.positional.first
        guard action == "add" || arguments["from"] == nil else { throw UsageError("--from goes with add") }
        let operands = Array(arguments.positional.dropFirst())
        switch action {
        case "add": try add(operands, from: arguments["from"], &result)
        case "current": try choose(operands, &result)
        case "list": try list(operands, asJSON: arguments.has("json"), &result)
        default: throw UsageError("say what to do: add, current or list")
        }
    }

    private static func add(_ operands: [String], from: String?, _ result: inout CommandResult) throws {
        guard operands.count == 2 else { throw UsageError("give MODEL and NAME") }
        var versions = try SourceVersions(at: operands[0])
        let old = try from.map { name throws in try versions.version(named: name) } ?? versions.current
        let name = operands[1]
        try versions.add(name, copying: old)
        try versions.makeCurrent(name)
        result.written += [versions.folder(of: name), versions.path + "/.xccurrentversion"]
        result.output += "\(name) is a copy of \(old), and the current version: \(versions.folder(of: name))\n"
    }

    private static func choose(_ operands: [String], _ result: inout CommandResult) throws {
        guard operands.count == 2 else { throw UsageError("give MODEL and NAME") }
        var versions = try SourceVersions(at: operands[0])
        try versions.makeCurrent(try versions.version(named: operands[1]))
        result.written.append(versions.path + "/.xccurrentversion")
        result.output += "\(versions.current) is the current version\n"
    }

    private static func list(_ operands: [String], asJSON: Bool, _ result: inout CommandResult) throws {
        guard operands.count == 1 else { throw UsageError("give one MODEL") }
        let versions = try SourceVersions(at: operands[0])
        result.output =
            asJSON
            ? JSON.object([
                ("versions", .array(versions.names.map { .string($0) })), ("current", .string(versions.current)),
            ]).text + "\n"
            : versions.names.map { ($0 == versions.current ? "* " : "  ") + $0 + "\n" }.joined()
    }
}
