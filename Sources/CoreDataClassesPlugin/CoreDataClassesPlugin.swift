import Foundation
import PackagePlugin

/// Generates the managed object classes of a package's models into its sources, for packages that commit them.
///
/// `swift package generate-model-classes [--target NAME]… [--output FOLDER]`; on a Mac, with `MAGICALRECORD_OWN_COREDATA=1` in
/// the environment.
///
/// The classes of `Name.xcdatamodeld` are written to the folder `NameClasses` next to it, or to the given one. The build also
/// generates classes for entities with the code generation "Class Definition" or "Category/Extension"; set it to "Manual/None"
/// in the model.
/// "Manual/None" in the model.
@main
struct CoreDataClassesPlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var rest = ArgumentExtractor(arguments)
        let names = rest.extractOption(named: "target")
        let output = rest.extractOption(named: "output").first
        if rest.extractFlag(named: "help") > 0 || !rest.remainingArguments.isEmpty {
            print("usage: swift package generate-model-classes [--target NAME]… [--output FOLDER]")
            return
        }
        let targets = try names.isEmpty ? context.package.targets : context.package.targets(named: names)
        let tool = try modelCompiler(in: context)
        var count = 0
        var failure: Failure?
        for case let target as any SourceModuleTarget in targets {
            for model in models(in: target.directoryURL) {
                let folder =
                    output.map { context.package.directoryURL.appendingPathComponent($0) }
                    ?? model.deletingPathExtension().deletingLastPathComponent()
                    .appendingPathComponent(model.deletingPathExtension().lastPathComponent + "Classes")
                let status = try run(
                    tool,
                    [
                        "generate", "classes", model.path, "--all", "--warn-built", "-o", folder.path, "--module",
                        target.moduleName, "--beside", target.directoryURL.path,
                    ])
                if status != 0 { failure = failure ?? Failure(status: status) }
                count += 1
            }
        }
        if let failure { throw failure }
        if count == 0 { Diagnostics.warning("No target has a data model (.xcdatamodeld or .xcdatamodel)") }
    }

    private func modelCompiler(in context: PluginContext) throws -> URL {
        #if os(macOS)
        // The manifest includes the tool only if requested.
        guard let tool = try? context.tool(named: "CoreDataModelBuilder") else { throw MissingTool() }
        return tool.url
        #else
        return try context.tool(named: "CoreDataModelBuilder").url
        #endif
    }

    private func models(in folder: URL) -> [URL] {
        let folder = folder.resolvingSymlinksInPath()
        guard let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return [] }
        var models: [URL] = []
        for case let url as URL in walk where ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) {
            models.append(url)
            walk.skipDescendants()
        }
        return models.sorted { $0.path < $1.path }
    }

    private func run(_ tool: URL, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = tool
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private struct MissingTool: Error, CustomStringConvertible {
        var description: String {
            """
            On a Mac the package does not build its tools for models. Run the command with MAGICALRECORD_OWN_COREDATA=1 in the \
            environment, or choose Editor > Create NSManagedObject Subclass in Xcode.
            """
        }
    }

    /// The exit status of a failed run of the tool, which has printed the reason.
    private struct Failure: Error, CustomStringConvertible {
        var status: Int32
        var description: String { "writing classes failed with status \(status)" }
    }
}
