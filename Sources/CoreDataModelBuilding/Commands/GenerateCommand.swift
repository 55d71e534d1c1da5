import Foundation
import ModelFormat

/// `modelc generate`
package enum GenerateCommand: ModelCommand {
    package static let name = "generate"
    package static let summary = "write classes from a model, and bodies for @NSManaged members"
    package static let writesFiles = true
    package static let help = """
        usage: modelc generate classes MODEL -o FOLDER [--module NAME] [--version NAME] [--all]
                                   [--combined FILE] [--beside SOURCE]… [--allow-empty] [--json]
               modelc generate accessors -o FILE --module NAME [--model MODEL]… [--dependency NAME=PATH]…
                                   [--allow-empty] SOURCE…

        classes writes the managed object classes of a model, of a bundle those of its current version, for the entities
        whose code generation is "Class Definition" or "Category/Extension", as Xcode does. It fails if there are none.

          -o, --output FOLDER    where to write Thing+CoreDataClass.swift and Thing+CoreDataProperties.swift
          --version NAME         a version of a bundle, instead of the current one
          --all                  also for entities whose code generation is "Manual/None", to start classes by hand
          --module NAME          the module the classes are for; those the model places in another are left out
          --combined FILE        everything in one file instead
          --warn-built           warn of entities whose classes the build makes too
          --beside SOURCE        a Swift file, or a folder of them, that is compiled with the classes; needed where one
                                 declares a type named CoreData, Foundation or Swift; may be repeated
          --allow-empty          do not fail where there is nothing to write

        accessors writes one Swift file with bodies for every @NSManaged member found in the sources, and in the classes the
        models generate. Off Apple's platforms the compiler makes none. Compile it with the sources. It fails if there are
        no such members.

          --module NAME          the module the sources are compiled as
          --model MODEL          a model of the module; may be repeated
          --dependency NAME=PATH a source or model, or a folder of them, of a module the sources import; may be repeated
          SOURCE                 a Swift file, or a folder of them

        Both take --json: what was written and all problems, as JSON on the standard output.

        The build plugin CoreDataModelPlugin does both in a build.

        examples:
          modelc generate classes Model.xcdatamodeld -o Sources/App/Model --module App
          modelc generate accessors -o Accessors.swift --module App --model Model.xcdatamodeld Sources/App

        """

    package static func run(_ words: [String], _ result: inout CommandResult) throws {
        let arguments = try Arguments(
            words, options: ["output", "module", "combined", "model", "dependency", "version", "beside"],
            flags: ["all", "warn-built", "allow-empty", "json"],
            short: ["o": "output"])
        switch arguments.positional.first {
        case "classes": try classes(arguments, &result)
        case "accessors": try accessors(arguments, &result)
        default: throw UsageError("say what to generate: classes or accessors")
        }
    }

    private static func classes(_ arguments: Arguments, _ result: inout CommandResult) throws {
        guard arguments.positional.count == 2 else { throw UsageError("give one MODEL") }
        let version = try ModelInput.version(arguments.positional[1], named: arguments["version"])
        let name = URL(fileURLWithPath: arguments.positional[1]).deletingPathExtension().lastPathComponent
        var shadowed: Set<String> = []
        for path in arguments.all("beside") { shadowed.formUnion(try shadowedModules(path)) }
        let generator = ClassGenerator(
            model: version.model, module: arguments["module"], name: name, shadowedModules: shadowed)
        if arguments["combined"] ?? arguments["output"] == nil {
            throw UsageError("say where to write, with -o FOLDER")
        }
        let all = arguments.has("all")
        for entity in generator.entitiesOfOtherModules(all: false) {
            result.report(
                Diagnostic(
                    severity: .warning,
                    message: "the class \(entity.className ?? "") belongs to another module than "
                        + "\(arguments["module"] ?? "") and is not generated",
                    file: version.file, line: version.lines[entity.name], entity: entity.name,
                    advice: "Set its module to the current product module, or its code generation to Manual/None"))
        }
        if !arguments.has("allow-empty"), let reason = generator.reasonForNothing(all: all) {
            return result.report(
                Diagnostic(
                    message: "no class was written: \(reason.message)", file: version.file, advice: reason.advice))
        }
        if let file = arguments["combined"] {
            try FileOutput.write(generator.combinedSource(), to: file)
            result.written.append(file)
            return
        }
        guard let folder = arguments["output"] else { return }
        for file in generator.files(all: all) {
            let path = folder + "/" + file.name
            try FileOutput.write(file.source, to: path)
            result.written.append(path)
            result.output += path + "\n"
        }
        guard arguments.has("warn-built") else { return }
        for entity in version.model.entities where entity.codeGeneration != .manual && entity.swiftClassName != nil {
            result.report(
                Diagnostic(
                    severity: .warning, message: "the build makes this entity's class too", file: version.file,
                    line: version.lines[entity.name], entity: entity.name,
                    advice: "Set its code generation to Manual/None"))
        }
    }

    private static func accessors(_ arguments: Arguments, _ result: inout CommandResult) throws {
        guard let output = arguments["output"] else { throw UsageError("say where to write, with -o FILE") }
        guard let module = arguments["module"] else { throw UsageError("name the module, with --module NAME") }
        let dependencies = try dependencies(arguments.all("dependency"))
        let condition = BuildCondition(modules: Set(dependencies.map(\.module)))
        var models: [Model] = []
        var files: [ScannedFile] = []
        for path in arguments.positional.dropFirst() {
            for file in try sources(path) where file != output {
                let source = String(decoding: try readData(file), as: UTF8.self)
                files.append(DeclarationScanner.scan(source, path: file, condition: condition))
            }
        }
        let declared = Set(files.flatMap(\.types).filter { $0.path.count == 1 }.map { $0.path[0] })
        let shadowed = GeneratedNames.modules.intersection(declared)
        var generated: [ScannedFile] = []
        for path in arguments.all("model") {
            let model = try ModelInput.version(path, named: nil).model
            models.append(model)
            let source = ClassGenerator(model: model, module: module, shadowedModules: shadowed).combinedSource()
            generated.append(DeclarationScanner.scan(source, path: path, condition: condition))
        }
        let sourceFiles = files
        files = generated + files
        let imported = ImportedModules(dependencies)
        var generator = AccessorGenerator(module: module, files: files, imported: imported, models: models)
        let written = generator.run()
        for problem in written.problems { result.report(problem) }
        guard result.status == 0 else { return }
        if models.count == 1 {
            let classes = SourceClasses(sourceFiles, module: module, imported: imported)
            for warning in classes.warnings(about: models[0]) { result.report(warning) }
        }
        guard written.hasBodies || arguments.has("allow-empty") else {
            return result.report(
                Diagnostic(
                    message: "no body was written: there is no @NSManaged member in the \(files.count) files read",
                    advice: "Name the sources of the classes, and with --model the models that generate some"))
        }
        try FileOutput.write(written.source, to: output)
        result.written.append(output)
    }

    /// Returns the sources and models of other modules, given as `NAME=PATH`.
    static func dependencies(_ texts: [String]) throws -> [(module: String, files: [String])] {
        var dependencies: [(module: String, files: [String])] = []
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw UsageError("--dependency \(text): write NAME=PATH") }
            let files = try sources(parts[1]) + models(parts[1])
            if let index = dependencies.firstIndex(where: { $0.module == parts[0] }) {
                dependencies[index].files += files
            } else {
                dependencies.append((parts[0], files))
            }
        }
        return dependencies
    }

    /// Returns the modules used by generated code that a type of the same name in the sources shadows.
    private static func shadowedModules(_ path: String) throws -> Set<String> {
        var found: Set<String> = []
        for file in try sources(path) {
            found.formUnion(GeneratedNames.shadowed(by: try readData(file), path: file))
        }
        return found
    }

    static func readData(_ path: String) throws -> Data {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Diagnostic(message: "the file cannot be read", file: path)
        }
        return data
    }

    /// Returns a source model, or those in a folder at any depth.
    static func models(_ path: String) -> [String] {
        let kinds: Set<String> = ["xcdatamodeld", "xcdatamodel"]
        if kinds.contains((path as NSString).pathExtension) { return [path] }
        // An enumerator does not follow its root if that is a symbolic link.
        guard let walk = FileManager.default.enumerator(atPath: path + "/.") else { return [] }
        var models: [String] = []
        for case let name as String in walk where kinds.contains((name as NSString).pathExtension) {
            models.append(path + "/" + name)
            walk.skipDescendants()
        }
        return models.sorted()
    }

    /// Returns a Swift file, or those in a folder at any depth.
    static func sources(_ path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Diagnostic(message: "there is no such file", file: path)
        }
        guard isFolder.boolValue else { return [path] }
        if ["xcdatamodeld", "xcdatamodel"].contains((path as NSString).pathExtension) { return [] }
        let names = (FileManager.default.enumerator(atPath: path + "/.")?.allObjects as? [String]) ?? []
        return names.filter { $0.hasSuffix(".swift") }.sorted().map { path + "/" + $0 }
    }
}
