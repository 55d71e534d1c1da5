import Foundation
import PackagePlugin

/// Compiles the Core Data models of a target, and implements its `@NSManaged` members.
///
/// On a Mac it does nothing: Xcode compiles models, and Apple's runtime implements the members. If a Mac builds for Linux, with
/// `MAGICALRECORD_OWN_COREDATA=1`, the plugin works as on Linux.
///
/// For every `Name.xcdatamodeld` in the target the build adds `Name.momd` to its resources, and generates the classes that the
/// model declares for code generation; for every `Name.xcmappingmodel` it adds `Name.cdm`. All sources of the target are
/// scanned for `@NSManaged`, because off Apple's platforms the compiler only declares such members. Commands run again only if
/// a model or a source has changed.
@main
struct CoreDataModelPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        #if os(macOS)
        // The manifest includes the tool only if a Mac builds for Linux.
        guard (try? context.tool(named: "CoreDataModelBuilder")) != nil else { return [] }
        #endif
        let module = (target as? SwiftSourceModuleTarget)?.moduleName ?? target.moduleName
        let build = ModelBuild(
            tool: try context.tool(named: "CoreDataModelBuilder").url, output: context.pluginWorkDirectoryURL,
            module: module)
        let found = ModelFolders.models(in: target)
        for (name, urls) in Dictionary(grouping: found.map(\.url), by: \.lastPathComponent) where urls.count > 1 {
            Diagnostics.error(
                """
                \(target.name) has \(urls.count) models named \(name), and resources lie in one folder: rename one of \
                \(urls.map(\.path).sorted().joined(separator: ", "))
                """)
        }
        let models = found.filter { !$0.isMapping }
        let sources = target.sourceFiles(withSuffix: "swift").map(\.url)
        return found.filter(\.isMapping).map { build.command(forMapping: $0) }
            + models.flatMap { build.commands(for: $0, beside: sources) } + [
                build.accessors(for: target, models: models)
            ]
    }
}

/// The commands that build a target's models.
struct ModelBuild {
    let tool: URL
    let output: URL
    let module: String

    /// Returns the commands that compile a model and generate its classes.
    ///
    /// - Parameter sources: the sources compiled with the classes; their types may shadow names of the frameworks.
    func commands(for model: ModelFolder, beside sources: [URL]) -> [Command] {
        let compiled = output.appendingPathComponent(model.name + (model.isBundle ? ".momd" : ".mom"))
        let classes = output.appendingPathComponent(model.name + "+CoreDataClasses.swift")
        return [
            .buildCommand(
                displayName: "Compile model \(model.name)", executable: tool,
                arguments: ["compile", model.url.path, "-o", compiled.path, "--module", module],
                inputFiles: model.files, outputFiles: [compiled]),
            .buildCommand(
                displayName: "Write the classes of model \(model.name)", executable: tool,
                arguments: [
                    "generate", "classes", model.url.path, "--combined", classes.path, "--module", module,
                    "--allow-empty",
                ] + sources.flatMap { ["--beside", $0.path] },
                inputFiles: model.files + sources, outputFiles: [classes]),
        ]
    }

    /// Returns the command that compiles a mapping model.
    func command(forMapping mapping: ModelFolder) -> Command {
        let compiled = output.appendingPathComponent(mapping.name + ".cdm")
        return .buildCommand(
            displayName: "Compile mapping model \(mapping.name)", executable: tool,
            arguments: ["compile", mapping.url.path, "-o", compiled.path], inputFiles: mapping.files,
            outputFiles: [compiled])
    }

    /// Returns the command that generates the implementations of the target's managed members.
    func accessors(for target: any SourceModuleTarget, models: [ModelFolder]) -> Command {
        let file = output.appendingPathComponent("ManagedAccessors.swift")
        let sources = target.sourceFiles(withSuffix: "swift").map(\.url)
        var arguments = ["generate", "accessors", "--module", module, "-o", file.path, "--allow-empty"]
        for model in models { arguments += ["--model", model.url.path] }
        var inputs = sources + models.flatMap(\.files)
        for dependency in dependencies(of: target) {
            arguments += ["--dependency", "\(dependency.moduleName)=\(dependency.directoryURL.path)"]
            inputs += dependency.sourceFiles(withSuffix: "swift").map(\.url)
            inputs += ModelFolders.models(in: dependency).flatMap(\.files)
        }
        return .buildCommand(
            displayName: "Write the managed accessors of \(module)", executable: tool,
            arguments: arguments + sources.map(\.path), inputFiles: inputs, outputFiles: [file])
    }

    /// Returns the Swift targets that may declare types of managed properties: those of packages that the target depends on.
    private func dependencies(of target: any SourceModuleTarget) -> [SwiftSourceModuleTarget] {
        target.recursiveTargetDependencies.compactMap { $0 as? SwiftSourceModuleTarget }
            .filter { $0.kind == .generic && !Self.ownModules.contains($0.moduleName) }
    }

    /// The modules with types that are known without scanning their sources.
    private static let ownModules: Set<String> = [
        "CoreData", "CoreDataMemoryStorage", "CoreDataModelBuilding", "CoreDataRowStorage", "CoreDataRuntimeSupport",
        "CoreDataSQLQueries",
        "CoreDataSQLiteStorage", "MagicalRecord", "MagicalRecordTesting", "ModelCompiler", "ModelFormat",
        "ModelPredicates", "PredicateFormat",
    ]
}
