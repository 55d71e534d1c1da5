import Foundation
import ModelFormat

/// Where compiled models may lie.
///
/// The package manager puts a target's resources into a bundle of its own beside the executable (`Package_Target`
/// with the extension `resources` or `bundle`), and on Linux the main bundle knows nothing of it.
enum ModelSearch {
    /// The folders of the executable and of the main bundle's resources, without duplicates.
    static let foldersBesideProgram: [URL] = {
        var folders: [URL] = []
        for url in [
            Bundle.main.resourceURL, Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent(),
        ] {
            guard let url = url?.standardizedFileURL, !folders.contains(url) else { continue }
            folders.append(url)
        }
        return folders
    }()

    /// The resource bundles beside the program, that of the program's own target first.
    static let resourceBundlesBesideProgram: [URL] = {
        let program = ProcessInfo.processInfo.processName
        let bundles = foldersBesideProgram.flatMap(contents).filter {
            $0.pathExtension == "resources" || $0.pathExtension == "bundle"
        }
        let own = bundles.filter { $0.deletingPathExtension().lastPathComponent.hasSuffix("_\(program)") }
        return own + bundles.filter { !own.contains($0) }
    }()

    /// The file of the model of that name: in the main bundle or its folder, else in a resource bundle beside the
    /// program. Compiled forms win over source forms.
    static func url(forModelNamed name: String) -> URL? {
        for folder in foldersBesideProgram + resourceBundlesBesideProgram {
            for kind in modelExtensions {
                let url = folder.appendingPathComponent(name).appendingPathExtension(kind)
                if FileManager.default.fileExists(atPath: url.path) { return url }
            }
        }
        return nil
    }

    /// The models, of their current versions, in the bundles. Files that cannot be read are logged and left out.
    static func models(in bundles: [Bundle]?) -> [NSManagedObjectModel] {
        modelFiles(in: bundles).compactMap { NSManagedObjectModel(contentsOf: $0) }
    }

    /// All versions of the models in the bundles.
    static func allVersions(in bundles: [Bundle]?) -> [NSManagedObjectModel] {
        modelFiles(in: bundles).flatMap(versions)
    }

    /// All versions in a model file, the current one first. Versions that cannot be used are logged and left out.
    static func versions(at url: URL) -> [NSManagedObjectModel] {
        do {
            let bundle = try ModelBundle(contentsOf: url)
            let current = bundle.versions.filter { $0.name == bundle.currentVersionName }
            let others = bundle.versions.filter { $0.name != bundle.currentVersionName }
            return try (current + others).map { try NSManagedObjectModel(values: $0.model) }
        } catch {
            NSLog("CoreData: error: Failed to load model at %@: %@", url.path, "\(error)")
            return []
        }
    }

    /// The model files in the bundles; for nil, those of the main bundle, and where it has none those of the resource
    /// bundles beside the program: of the program's own target, and where that has none, of all.
    static func modelFiles(in bundles: [Bundle]?) -> [URL] {
        guard let bundles else { return modelFilesOfProgram() }
        var files: [URL] = []
        for bundle in bundles {
            let found = bundle == .main ? modelFilesOfProgram() : modelFiles(of: bundle)
            files += found.filter { !files.contains($0) }
        }
        return files
    }

    private static func modelFiles(of bundle: Bundle) -> [URL] {
        var files: [URL] = []
        for folder in [bundle.resourceURL, bundle.bundleURL] {
            guard let folder = folder?.standardizedFileURL else { continue }
            files += modelFiles(inFolder: folder).filter { !files.contains($0) }
        }
        return files
    }

    private static func modelFilesOfProgram() -> [URL] {
        let inMain = foldersBesideProgram.flatMap(modelFiles(inFolder:))
        if !inMain.isEmpty { return inMain }
        let byBundle = resourceBundlesBesideProgram.map { bundle in
            (name: bundle.deletingPathExtension().lastPathComponent, files: modelFiles(inFolder: bundle))
        }
        let own = byBundle.filter { $0.name.hasSuffix("_\(ProcessInfo.processInfo.processName)") }.flatMap(\.files)
        return own.isEmpty ? byBundle.flatMap(\.files) : own
    }

    /// The model files of a folder. A source form beside its compiled form is left out.
    private static func modelFiles(inFolder folder: URL) -> [URL] {
        var names: Set<String> = []
        let files = contents(of: folder)
        return modelExtensions.flatMap { kind in files.filter { $0.pathExtension == kind } }.filter {
            names.insert($0.deletingPathExtension().lastPathComponent).inserted
        }
    }

    private static let modelExtensions = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]

    private static func contents(of folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appendingPathComponent($0).standardizedFileURL }
    }
}
