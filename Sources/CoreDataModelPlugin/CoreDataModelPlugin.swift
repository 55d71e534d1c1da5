import Foundation
import PackagePlugin

/// Compiles the Core Data models of a target, and gives its `@NSManaged` members bodies.
///
/// On a Mac it does nothing: Xcode compiles models, and Apple's runtime supplies the bodies. Where a Mac builds for
/// Linux, with `MAGICALRECORD_OWN_COREDATA=1`, the plugin works as on Linux.
///
/// For every `Name.xcdatamodeld` in the target the build gets `Name.momd` among its resources, and the classes the model
/// asks Xcode to generate; for every `Name.xcmappingmodel`, `Name.cdm`. All of the target's sources are looked through for `@NSManaged`, as off Apple's platforms the
/// compiler only declares such members. Nothing runs again unless a model or a source has changed.
@main
struct CoreDataModelPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        #if os(macOS)
        // The manifest brings the tool along only where a Mac builds for Linux.
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

    /// Compiles a model, and writes its classes.
    ///
    /// - Parameter sources: what the classes are compiled with, whose types may hide the frameworks' names.
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

    /// Compiles a mapping model.
    func command(forMapping mapping: ModelFolder) -> Command {
        let compiled = output.appendingPathComponent(mapping.name + ".cdm")
        return .buildCommand(
            displayName: "Compile mapping model \(mapping.name)", executable: tool,
            arguments: ["compile", mapping.url.path, "-o", compiled.path], inputFiles: mapping.files,
            outputFiles: [compiled])
    }

    /// Writes the bodies of the target's managed members.
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

    /// The Swift targets that may declare types of managed properties: those of packages the target depends on.
    private func dependencies(of target: any SourceModuleTarget) -> [SwiftSourceModuleTarget] {
        target.recursiveTargetDependencies.compactMap { $0 as? SwiftSourceModuleTarget }
            .filter { $0.kind == .generic && !Self.ownModules.contains($0.moduleName) }
    }

    /// The types of these modules are known without reading their sources.
    private static let ownModules: Set<String> = [
        "CoreData", "CoreDataMemoryStorage", "CoreDataModelBuilding", "CoreDataRowStorage", "CoreDataRuntimeSupport",
        "CoreDataSQLQueries",
        "CoreDataSQLiteStorage", "MagicalRecord", "MagicalRecordTesting", "ModelCompiler", "ModelFormat",
        "ModelPredicates", "PredicateFormat",
    ]
}
