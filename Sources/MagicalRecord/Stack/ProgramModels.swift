import CoreData

/// The models of a program: those of its main bundle, or else of a resource bundle of a package.
///
/// SwiftPM copies the resources of a target to a separate bundle (`Package_Target.resources` on Linux, `Package_Target.bundle` on
/// Apple's platforms) beside the executable; Xcode copies it to the app's resources.
package struct ProgramModels {
    let main: Bundle
    let program: String

    /// Creates the search for a program with this main bundle and executable name.
    package init(main: Bundle = .main, program: String = ProcessInfo.processInfo.processName) {
        (self.main, self.program) = (main, program)
    }

    /// Returns the models of the main bundle, merged. If it has none, returns those of the resource bundle of the program's
    /// target, or else of the only resource bundle that has models; nil if there are none.
    ///
    /// - Throws: ``MagicalRecordError/Code/modelNotFound`` listing the models if several bundles have some, or if the models of
    ///   one bundle conflict.
    package func model() throws -> NSManagedObjectModel? {
        // Core Data's search of the main bundle covers folders of localizations as well.
        guard folders.flatMap(Self.models).isEmpty else { return try .mergedOrThrow(from: [main]) }
        let found = resourceBundles.filter { !Self.models(of: $0).isEmpty }
        let own = found.filter { $0.bundleURL.deletingPathExtension().lastPathComponent.hasSuffix("_\(program)") }
        let candidates = own.isEmpty ? found : own
        guard candidates.count <= 1 else { throw Self.ambiguous(candidates) }
        return try .mergedOrThrow(from: [candidates.first ?? main])
    }

    /// The error for a program without a model, naming the folders and bundles that were searched.
    package var notFound: MagicalRecordError {
        let bundles = resourceBundles.map(\.bundlePath)
        return MagicalRecordError(
            .modelNotFound,
            "No compiled model (.momd or .mom) was found in the main bundle (\(folders.map(\.path).joined(separator: ", "))) or "
                + (bundles.isEmpty
                    ? "beside it, where there are no resource bundles."
                    : "in the resource bundles \(bundles.joined(separator: ", "))."),
            advice:
                "Add the .xcdatamodeld to the target; in a package, to its resources, with the plugin CoreDataModelPlugin. For "
                + "a model in another place write setUp(model: .named(\"Model\", in: .module)), with that place's bundle."
        )
    }

    private static func ambiguous(_ bundles: [Bundle]) -> MagicalRecordError {
        let models = bundles.flatMap { bundle in
            Self.models(of: bundle).map { "\(bundle.bundleURL.lastPathComponent)/\($0.lastPathComponent)" }
        }
        let name = bundles.flatMap(Self.models)[0].deletingPathExtension().lastPathComponent
        return MagicalRecordError(
            .modelNotFound,
            "Several bundles beside the program have models, and none was chosen: \(models.joined(separator: ", ")).",
            advice: "Choose one in the target that contains it, as in setUp(model: .named(\"\(name)\", in: .module)); "
                + ".merged(from: bundles) merges those of several bundles.")
    }

    /// The folders of the main bundle and of the executable, without duplicates.
    private var folders: [URL] {
        var folders: [URL] = []
        for url in [main.resourceURL, main.bundleURL, main.executableURL?.deletingLastPathComponent()] {
            guard let url = url?.standardizedFileURL, !folders.contains(where: { $0.path == url.path }) else {
                continue
            }
            folders.append(url)
        }
        return folders
    }

    private var resourceBundles: [Bundle] {
        folders.flatMap { Self.contents(of: $0, ["resources", "bundle"]) }.compactMap { Bundle(url: $0) }
    }

    private static func models(of bundle: Bundle) -> [URL] {
        let inResources = bundle.resourceURL.map(models) ?? []
        return inResources.isEmpty ? models(in: bundle.bundleURL) : inResources
    }

    /// Returns the models in a folder, of each name the compiled form if there are several.
    private static func models(in folder: URL) -> [URL] {
        #if canImport(Darwin)
        let kinds = ["momd", "mom"]
        #else
        // The package's Core Data reads models that are not compiled.
        let kinds = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]
        #endif
        var names: Set<String> = []
        return kinds.flatMap { contents(of: folder, [$0]) }.filter {
            names.insert($0.deletingPathExtension().lastPathComponent).inserted
        }
    }

    private static func contents(of folder: URL, _ extensions: [String]) -> [URL] {
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).filter { extensions.contains($0.pathExtension) }.sorted { $0.path < $1.path }
    }
}
