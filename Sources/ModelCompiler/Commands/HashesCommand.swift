import Foundation
import ModelFormat

/// `modelc hashes`
enum HashesCommand: ModelCommand {
    static let name = "hashes"
    static let summary = "print the version hash of every entity"
    static let help = """
        usage: modelc hashes MODEL [--version NAME] [--configuration NAME] [--json]

        Prints a line per entity, sorted by name: the name, a tab, and its version hash in hexadecimal digits. A store opens
        with a model if the hashes in the store's metadata are these.

          --version NAME         a version of a bundle, instead of the current one
          --configuration NAME   only the entities of a configuration
          --json                 an object with the hashes, the digest and the checksum of the whole

        examples:
          modelc hashes AddressBook.xcdatamodeld
          modelc hashes App.momd --version "Model 2" --json

        """

    static func run(_ words: [String], _ result: inout ModelTool.Result) throws {
        let arguments = try Arguments(words, options: ["version", "configuration"], flags: ["json"])
        let version = try ModelInput.version(try arguments.one("MODEL"), named: arguments["version"])
        let hashes: [String: Data]
        do throws(ModelFormatError) {
            hashes = try version.model.versionHashes(configuration: arguments["configuration"])
        } catch {
            throw version.placed(error)
        }
        let sorted = hashes.sorted { literallyPrecedes($0.key, $1.key) }
            .map { (name: $0.key, hex: $0.value.map { String(format: "%02x", $0) }.joined()) }
        guard arguments.has("json") else {
            result.output = sorted.map { "\($0.name)\t\($0.hex)\n" }.joined()
            return
        }
        result.output =
            JSONText.object([
                ("entities", JSONText.object(sorted.map { ($0.name, JSONText.string($0.hex)) })),
                ("digest", JSONText.string(Model.versionHashesDigest(hashes))),
                ("checksum", JSONText.string(Model.versionChecksum(hashes))),
            ]) + "\n"
    }
}

/// Finds the model a command line names.
enum ModelInput {
    /// A version of the bundle at a path: the one named, else the current one.
    static func version(_ path: String, named name: String?) throws -> ModelBundle.Version {
        let bundle = try ModelBundle(contentsOf: URL(fileURLWithPath: path))
        let wanted = name ?? bundle.currentVersionName
        guard let version = bundle.versions.first(where: { $0.name == wanted }) else {
            let names = bundle.versions.map(\.name).joined(separator: ", ")
            throw Diagnostic(
                message: "there is no version \(wanted)", file: path, advice: "The versions are \(names)")
        }
        return version
    }
}

/// Writes JSON in the order given, two spaces a level.
enum JSONText {
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20: result += String(format: "\\u%04x", scalar.value)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    static func object(_ entries: [(String, String)]) -> String {
        guard !entries.isEmpty else { return "{}" }
        let lines = entries.map { "  \(string($0.0)): \(indented($0.1))" }
        return "{\n\(lines.joined(separator: ",\n"))\n}"
    }

    static func array(_ items: [String]) -> String {
        guard !items.isEmpty else { return "[]" }
        return "[\n\(items.map { "  " + indented($0) }.joined(separator: ",\n"))\n]"
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
    }
}
