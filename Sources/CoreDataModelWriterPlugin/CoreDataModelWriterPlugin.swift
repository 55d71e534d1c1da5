import Foundation
import PackagePlugin

/// Writes or updates the data models of a package's targets from their managed object classes.
///
/// `swift package generate-model [--target NAME]… [--new-version] [--replace] [--remove] [--check]`; on a Mac, with
/// `MAGICALRECORD_OWN_COREDATA=1` in the environment.
///
/// The model of a target is the `.xcdatamodeld` among its files, or a new `Model.xcdatamodeld` in its folder. `modelc model`
/// explains what is read from the classes. Paths in the output are relative to the package's folder.
@main
struct CoreDataModelWriterPlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var rest = ArgumentExtractor(arguments)
        let names = rest.extractOption(named: "target")
        let versions = rest.extractOption(named: "version")
        let flags = ["new-version", "replace", "remove", "check"].filter { rest.extractFlag(named: $0) > 0 }
        if rest.extractFlag(named: "help") > 0 || !rest.remainingArguments.isEmpty || versions.count > 1 {
            print(
                """
                usage: swift package generate-model [--target NAME]… [--new-version [--version NAME]] [--replace] [--remove] \
                [--check]

                Writes the data model of a target from its managed object classes, or adds to it what they say. Add
                --allow-writing-to-package-directory before generate-model to be asked nothing.

                  --target NAME    a target, by default all that have managed object classes; may be repeated
                  --new-version    write the change into a new version of the model, and make it the current one
                  --version NAME   the name of the new version; by default the next number
                  --replace        change the current version where it differs: for models that no released program has
                  --remove         also remove the properties that the classes no longer have
                  --check          write nothing; fail if the classes and the model differ
                """)
            return
        }
        let targets = try names.isEmpty ? context.package.targets : context.package.targets(named: names)
        let tool = try modelCompiler(in: context)
        var count = 0
        var failure: Failure?
        for case let target as any SourceModuleTarget in targets {
            guard !names.isEmpty || target.kind != .test && hasClasses(target) else { continue }
            let status = try run(
                tool, in: context.package.directoryURL,
                ["model", "--from", path(target.directoryURL, in: context.package), "--module", target.moduleName]
                    + dependencies(of: target, in: context.package) + flags.map { "--" + $0 }
                    + versions.flatMap { ["--version", $0] })
            if status != 0 { failure = failure ?? Failure(target: target.name, status: status) }
            count += 1
        }
        if let failure { throw failure }
        if count == 0 {
            Diagnostics.warning(
                "No target has managed object classes: declare classes that inherit from NSManagedObject, with @NSManaged "
                    + "properties, or name a target with --target")
        }
    }

    private func modelCompiler(in context: PluginContext) throws -> URL {
        #if os(macOS)
        // The manifest includes the tool only if requested.
        guard let tool = try? context.tool(named: "modelc") else { throw MissingTool() }
        return tool.url
        #else
        return try context.tool(named: "modelc").url
        #endif
    }

    /// Returns whether a target's sources mention managed objects.
    private func hasClasses(_ target: any SourceModuleTarget) -> Bool {
        target.sourceFiles(withSuffix: "swift").contains { file in
            let text = (try? String(contentsOf: file.url, encoding: .utf8)) ?? ""
            return text.contains("NSManagedObject") && (text.contains("@NSManaged") || text.contains("@Stored"))
        }
    }

    /// Returns the sources of the targets that may declare types of managed properties.
    private func dependencies(of target: any SourceModuleTarget, in package: Package) -> [String] {
        target.recursiveTargetDependencies.compactMap { $0 as? SwiftSourceModuleTarget }
            .filter { dependency in
                dependency.kind == .generic
                    && dependency.sourceFiles(withSuffix: "swift").contains { _ in true }
                    && !dependency.directoryURL.path.contains("/Sources/MagicalRecord")
            }
            .flatMap { ["--dependency", "\($0.moduleName)=\(path($0.directoryURL, in: package))"] }
    }

    /// Returns the path of a folder: relative to the package's folder if it is inside, or else absolute.
    private func path(_ folder: URL, in package: Package) -> String {
        let root = package.directoryURL.path + "/"
        return folder.path.hasPrefix(root) ? String(folder.path.dropFirst(root.count)) : folder.path
    }

    private func run(_ tool: URL, in folder: URL, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = tool
        process.currentDirectoryURL = folder
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private struct MissingTool: Error, CustomStringConvertible {
        var description: String {
            """
            On a Mac the package does not build its tools for models. Run the command with MAGICALRECORD_OWN_COREDATA=1 in the \
            environment.
            """
        }
    }

    /// The exit status of a failed run of the tool, which has printed the reason.
    private struct Failure: Error, CustomStringConvertible {
        var target: String
        var status: Int32
        var description: String {
            status == 1
                ? "the classes of \(target) and its model differ"
                : "the model of \(target) was not written: modelc ended with status \(status)"
        }
    }
}
