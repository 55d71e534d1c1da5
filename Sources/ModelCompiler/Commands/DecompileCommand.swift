import CoreDataModelBuilding
import Foundation
import ModelFormat

/// `modelc decompile`
enum DecompileCommand: ModelCommand {
    static let name = "decompile"
    static let summary = "write a compiled model, or a store's, as XML that Xcode opens"
    static let writesFiles = true
    static let help = """
        usage: modelc decompile MODEL [-o OUTPUT] [--version NAME] [--json]

        Writes a model in Xcode's source form: an .xcdatamodeld with all versions, or an .xcdatamodel with one. MODEL may be
        a compiled model, a SQLite store, or a source model, such as one in the binary form of Xcode 3.
        What the XML form cannot hold is listed, and left out.

          -o, --output OUTPUT   the .xcdatamodeld or .xcdatamodel to write; by default named like the model, in the
                                current folder
          --version NAME        only this version of a bundle
          --json                what was written and all problems, as JSON on the standard output

        examples:
          modelc decompile App.momd -o App.xcdatamodeld
          modelc decompile Store.sqlite -o Found.xcdatamodel

        """

    static func run(_ words: [String], _ result: inout CommandResult) throws {
        let arguments = try Arguments(words, options: ["output", "version"], flags: ["json"], short: ["o": "output"])
        let path = try arguments.one("MODEL")
        var bundle = try ModelInput.bundle(path)
        let output = arguments["output"] ?? bundle.name + ".xcdatamodeld"
        if let name = arguments["version"] {
            bundle = ModelBundle(
                name: bundle.name, versions: [try ModelInput.version(path, named: name)], currentVersionName: name)
        }
        guard output.hasSuffix(".xcdatamodeld") || output.hasSuffix(".xcdatamodel") else {
            throw UsageError("the output must end in .xcdatamodeld or .xcdatamodel")
        }
        let written = output.hasSuffix(".xcdatamodel") ? bundle.currentVersion.map { [$0] } ?? [] : bundle.versions
        for version in written {
            for key in version.unknownKeys() {
                result.report(Diagnostic(unknownKey: key, file: version.file ?? path))
            }
            for part in version.model.warnings(lines: version.lines) where part.code == .unsupported {
                var warning = Diagnostic(part)
                warning.file = version.file ?? path
                result.report(warning)
            }
            for loss in version.model.partsWithoutXMLForm() {
                var warning = Diagnostic(loss)
                warning.severity = .warning
                warning.file = version.file ?? path
                result.report(warning)
            }
        }
        try bundle.writeSource(to: URL(fileURLWithPath: output))
        result.written.append(output)
    }
}
