import Foundation
import ModelFormat
import ModelPredicates

/// `modelc compile`
package enum CompileCommand: ModelCommand {
    package static let name = "compile"
    package static let summary = "compile a model into a .momd or .mom, a mapping model into a .cdm"
    package static let writesFiles = true
    package static let help = """
        usage: modelc compile MODEL [-o OUTPUT] [--module NAME] [--json]
               modelc compile MAPPING [-o OUTPUT] [--source MODEL] [--destination MODEL] [--json]

        Compiles a model for the run time, as Xcode does in a build: an .xcdatamodeld becomes a .momd folder with one .mom
        per version and VersionInfo.plist, a lone .xcdatamodel becomes a .mom, an .xcmappingmodel becomes a .cdm.
        Warns of what Xcode compiles although it hardly does what was meant, such as inverses that do not match and
        invalid default values; of a bundle only in the current version. modelc lint finds more.

          -o, --output OUTPUT   what to write; by default named like the model, in the current folder
          --module NAME         the module of classes that the model writes as ".Class"
          --source MODEL        the old model of a mapping model, instead of the copy it carries
          --destination MODEL   the new model of a mapping model, instead of the copy it carries
          --json                what was written and all problems, as JSON on the standard output

        A mapping model carries copies of both models, made when it was last saved. Name the models when they have changed
        since: a mapping model serves only the stores and models whose version hashes it holds.

        examples:
          modelc compile AddressBook.xcdatamodeld
          modelc compile Sources/App/Model.xcdatamodeld -o build/Model.momd --module App
          modelc compile V1toV2.xcmappingmodel --source "Model.xcdatamodeld/Model.xcdatamodel" \\
            --destination "Model.xcdatamodeld/Model 2.xcdatamodel"

        """

    package static func run(_ words: [String], _ result: inout CommandResult) throws {
        let arguments = try Arguments(
            words, options: ["output", "module", "source", "destination"], flags: ["json"], short: ["o": "output"])
        let input = URL(fileURLWithPath: try arguments.one("MODEL"))
        if ["xcmappingmodel", "cdm"].contains(input.pathExtension) || input.lastPathComponent == "xcmapping.xml" {
            return try compileMapping(input, arguments, &result)
        }
        if arguments["source"] ?? arguments["destination"] != nil {
            throw UsageError("--source and --destination belong to mapping models")
        }
        let isLone = ["xcdatamodel", "mom"].contains(input.pathExtension)
        let name = input.deletingPathExtension().lastPathComponent
        let output = arguments["output"] ?? name + (isLone ? ".mom" : ".momd")
        var bundle = try ModelBundle(contentsOf: input)
        var problems: [Diagnostic] = []
        for index in bundle.versions.indices {
            let version = bundle.versions[index]
            problems += version.model.problems(lines: version.lines, file: version.file).map { Diagnostic($0) }
            bundle.versions[index].model.qualifyClassNames(module: arguments["module"])
        }
        guard problems.isEmpty else {
            for problem in problems { result.report(problem) }
            return
        }
        for version in bundle.versions {
            for key in version.unknownKeys() { result.report(Diagnostic(unknownKey: key, file: version.file)) }
        }
        if let current = bundle.currentVersion {
            for warning in current.model.warnings(lines: current.lines, file: current.file) {
                result.report(Diagnostic(warning))
            }
        }
        if output.hasSuffix(".mom") {
            guard let version = bundle.currentVersion else { throw UsageError("the model has no current version") }
            let archive: Data
            do throws(ModelFormatError) {
                archive = try version.model.archive(parser: FormatTextParser())
            } catch {
                throw version.placed(error)
            }
            try FileOutput.write(archive, to: output)
        } else {
            try bundle.writeCompiled(to: URL(fileURLWithPath: output), parser: FormatTextParser())
        }
        result.written.append(output)
    }

    private static func compileMapping(
        _ input: URL, _ arguments: Arguments, _ result: inout CommandResult
    ) throws {
        let isLoose = input.lastPathComponent == "xcmapping.xml"
        let named = isLoose ? input.deletingLastPathComponent() : input
        let output = arguments["output"] ?? named.deletingPathExtension().lastPathComponent + ".cdm"
        let mapping: MappingModel
        let warnings: [ModelFormatError]
        if input.pathExtension == "cdm" {
            mapping = try MappingModel(contentsOf: input)
            warnings = mapping.warnings(file: input.path)
            for key in MappingModel.unknownKeys(at: input) {
                result.report(Diagnostic(unknownKey: key, file: input.path))
            }
        } else {
            let document = try MappingDocument(contentsOf: input)
            mapping = try document.compiled(
                source: try arguments["source"].map { try ModelInput.version($0, named: nil).model },
                destination: try arguments["destination"].map { try ModelInput.version($0, named: nil).model })
            warnings = document.warnings()
        }
        for warning in warnings { result.report(Diagnostic(warning)) }
        try FileOutput.write(mapping.archive(), to: output)
        result.written.append(output)
    }
}

extension Model {
    /// Prepends the module to class names that leave it open: `.Thing` becomes `App.Thing`.
    mutating func qualifyClassNames(module: String?) {
        guard let module else { return }
        for index in entities.indices {
            if let name = entities[index].className, name.hasPrefix(".") { entities[index].className = module + name }
        }
    }
}
