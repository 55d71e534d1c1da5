import CoreDataModelBuilding
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

    static func run(_ words: [String], _ result: inout CommandResult) throws {
        let arguments = try Arguments(words, options: ["version", "configuration"], flags: ["json"])
        let version = try ModelInput.version(try arguments.one("MODEL"), named: arguments["version"])
        let hashes: [String: Data]
        do throws(ModelFormatError) {
            hashes = try version.model.versionHashes(configuration: arguments["configuration"])
        } catch {
            throw version.placed(error)
        }
        guard !hashes.isEmpty else {
            let part = arguments["configuration"].map { "the configuration \($0)" } ?? "the model"
            throw Diagnostic(
                message: "\(part) holds no entities, so that there are no hashes", file: version.file,
                advice: "Name another version or configuration")
        }
        let sorted = hashes.sorted(byText: \.key, .literal)
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
