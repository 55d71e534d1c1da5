import CoreDataModelBuilding
import Foundation
import ModelFormat

/// `modelc model`
enum ModelFromClassesCommand: ModelCommand {
    static let name = "model"
    static let summary = "write or update a model from managed object classes"
    static let writesFiles = true
    static let help = """
        usage: modelc model --from SOURCE… [MODEL] [--module NAME] [--new-version [--version NAME]] [--replace]
                            [--remove] [--check] [--dependency NAME=PATH]… [--json]

        Writes MODEL, an .xcdatamodeld, from the managed object classes in Swift sources: entities, attributes and
        relationships from the @NSManaged and @Stored properties, parents from superclasses, inverses where only one fits.
        Other facts are stated in functions with a parameter of the type MagicalRecord.EntityDeclaration: unique keys,
        indexes, delete rules, defaults, limits.

        An existing model is updated: what the classes say and the model lacks is added, everything else in the file stays
        as it is. Where both say something else the command fails, with the lines of the sources, and writes nothing.

          --from SOURCE          a Swift file, or a folder of them; may be repeated
          MODEL                  the model; by default the one in the first SOURCE, or Model.xcdatamodeld there
          --module NAME          the module the sources are compiled as; by default the name of the first SOURCE
          --new-version          write a new version instead, make it the current one, and tell what modelc diff says. The
                                 classes are right where the two differ
          --version NAME         the name of the new version; by default the next number
          --replace              change the current version where it differs from the classes. Stores of this version
                                 cannot be opened afterwards: only for models that no released program has
          --remove               also remove the properties that the classes no longer have
          --check                write nothing; exit with 1 if the classes and the model differ
          --dependency NAME=PATH a source or model, or a folder of them, of a module the sources import; may be repeated
          --json                 what was written and all problems, as JSON on the standard output

        swift package generate-model runs the command for the targets of a package.

        examples:
          modelc model --from Sources/App
          modelc model --from Sources/App --new-version
          modelc model --from Sources/App Sources/App/Shop.xcdatamodeld --check

        """

    static func run(_ words: [String], _ result: inout CommandResult) throws {
        let arguments = try Arguments(
            words, options: ["from", "module", "version", "dependency"],
            flags: ["new-version", "replace", "remove", "check", "json"])
        let sources = arguments.all("from")
        guard let first = sources.first else { throw UsageError("say where the classes are, with --from SOURCE") }
        guard arguments.positional.count < 2 else { throw UsageError("give one MODEL") }
        guard arguments["version"] == nil || arguments.has("new-version") else {
            throw UsageError("--version goes with --new-version")
        }
        let module = arguments["module"] ?? URL(fileURLWithPath: first).deletingPathExtension().lastPathComponent
        let path = try arguments.positional.first ?? modelPath(beside: first)
        let classes = try SourceClasses(sources, module: module, dependencies: arguments.all("dependency"))
        let exists = FileManager.default.fileExists(atPath: path)
        let edited = exists ? try EditedModel(at: path) : nil
        var merged = classes.merged(
            into: edited?.model ?? Model(), others: try otherModels(beside: first, than: path))
        for problem in merged.notes + merged.problems { result.report(problem) }
        guard result.status == 0 || merged.isComplete else { return nothingWritten(&result) }
        guard merged.classCount > 0 else {
            throw Diagnostic(
                message: "there is no managed object class in the \(classes.fileCount) files read", file: first,
                advice: "Declare classes that inherit from NSManagedObject, with @NSManaged properties")
        }
        if arguments.has("remove") {
            merged.removeUnclassed()
        } else {
            for difference in merged.unclassed { result.report(difference.diagnostic) }
        }
        if !arguments.has("new-version"), !arguments.has("replace"), !arguments.has("check") {
            for difference in merged.disagreements { result.report(difference.diagnostic) }
        }
        guard result.status == 0 else { return nothingWritten(&result) }
        let differs = merged.differs
        if arguments.has("check") {
            for difference in merged.additions + merged.disagreements + merged.removals {
                var diagnostic = difference.diagnostic
                diagnostic.severity = .note
                result.output += diagnostic.description + "\n"
            }
            result.output += differs ? "" : "\(path) says what the classes say\n"
            result.status = differs ? 1 : 0
            return
        }
        guard differs else {
            result.output += "\(path) says what the classes say\n"
            return
        }
        // Fails before anything is written.
        var trial = edited
        trial?.model = merged.model
        if let problem = (trial?.newProblems ?? merged.model.problems()).first { throw problem }
        for finding in lintErrors(in: merged, of: path, original: edited?.original) { result.report(finding) }
        guard result.status == 0 else { return nothingWritten(&result) }
        if arguments.has("new-version"), let trial {
            try writeVersion(of: path, trial, named: arguments["version"], &result)
        } else if let edited = trial {
            try edited.write()
            result.written.append(edited.file)
        } else {
            try create(path, merged.model, &result)
        }
        for difference in merged.additions { result.output += "  + \(difference.text)\n" }
        for difference in merged.disagreements { result.output += "  ~ \(difference.text)\n" }
        for difference in merged.removals { result.output += "  - \(difference.text)\n" }
    }

    private static func nothingWritten(_ result: inout CommandResult) {
        result.errors += "nothing was written\n"
    }

    /// Returns a folder of sources itself, and the folder that a source file lies in; empty for the working directory.
    private static func folder(of source: String) -> String {
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: source, isDirectory: &isFolder)
        return isFolder.boolValue ? source : (source as NSString).deletingLastPathComponent
    }

    /// Returns the one model beside sources, or the path of a new one.
    private static func modelPath(beside source: String) throws -> String {
        let folder = folder(of: source)
        let found = ModelInput.sourceModels(in: folder)
        guard found.count < 2 else {
            throw Diagnostic(
                message: "there are several models beside the sources", file: folder,
                advice: "Name one of them: \(found.joined(separator: ", "))")
        }
        return found.first ?? (folder.isEmpty ? "" : folder + "/") + "Model.xcdatamodeld"
    }

    /// Returns the current versions of the other models beside sources, which may have some of the classes.
    private static func otherModels(beside source: String, than path: String) throws -> [Model] {
        let own = URL(fileURLWithPath: path).standardizedFileURL
        return try ModelInput.sourceModels(in: folder(of: source))
            .filter { URL(fileURLWithPath: $0).standardizedFileURL != own }
            .map { try ModelInput.version($0, named: nil).model }
    }

    /// Returns the errors of `modelc lint` that the original model does not have, with their lines in the sources.
    private static func lintErrors(in merged: MergedModel, of path: String, original: Model?) -> [Diagnostic] {
        let old = Set(original.map { Linter.findings(in: $0) } ?? [])
        let stated = (merged.additions + merged.disagreements).map(\.diagnostic)
        return Linter.findings(in: merged.model).filter { $0.severity == .error && !old.contains($0) }.map { finding in
            let cause =
                stated.first { $0.entity == finding.entity && $0.property == finding.property }
                ?? stated.first { $0.entity == finding.entity && $0.property == nil }
            var diagnostic = finding.diagnostic(file: cause?.file ?? path, line: cause?.line)
            // A predicate with a former name can only be changed in the file that is written.
            if finding.rule == "bad-predicate" { diagnostic.severity = .warning }
            return diagnostic
        }
    }

    // MARK: Writing

    private static func create(_ path: String, _ model: Model, _ result: inout CommandResult) throws {
        let url = URL(fileURLWithPath: path)
        guard url.pathExtension == "xcdatamodeld" else {
            throw UsageError("\(path): the name of a new model must end in .xcdatamodeld")
        }
        let name = url.deletingPathExtension().lastPathComponent
        var document = try ModelDocument(xml: Data(ModelTemplate.empty.utf8)).model
        document.entities = model.entities
        document.composites = model.composites
        try SourceVersions.create(at: path, version: name, contents: document.xml())
        result.written.append(path)
        result.output += "created \(path)\n"
    }

    private static func writeVersion(
        of path: String, _ edited: EditedModel, named name: String?, _ result: inout CommandResult
    ) throws {
        var versions = try SourceVersions(at: path)
        let old = versions.current
        let new = name ?? versions.nextName
        // Fails before the version is made.
        _ = try edited.text()
        let comparison = try ModelComparison(old: edited.original, new: edited.model)
        try versions.add(new, copying: old)
        do {
            var copy = try EditedModel(at: path, version: new)
            copy.model = edited.model
            try copy.write()
            try versions.makeCurrent(new)
            result.written.append(copy.file)
        } catch {
            try? FileManager.default.removeItem(atPath: versions.folder(of: new))
            throw error
        }
        result.output += "added version \(new) to \(path), which is current now\n"
        result.output += DiffCommand.text(comparison, from: old, to: new) + "\n"
    }
}
