import Foundation
import ModelFormat

/// The search for compiled models.
///
/// The package manager copies a target's resources to a separate bundle beside the executable (`Package_Target` with the
/// extension `resources` or `bundle`), which on Linux is not part of the main bundle.
enum ModelSearch {
    /// The folders of the executable and of the main bundle's resources, without duplicates.
    static let foldersBesideProgram: [URL] = {
        if let (folder, _) = plainProgram { return [URL(fileURLWithPath: folder, isDirectory: true)] }
        var folders: [URL] = []
        for url in [
            Bundle.main.resourceURL, Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent(),
        ] {
            guard let url = url?.standardizedFileURL, !folders.contains(url) else { continue }
            folders.append(url)
        }
        return folders
    }()

    /// The resource bundles beside the program, the one of the program's target first.
    static let resourceBundlesBesideProgram: [URL] = {
        let program = ProcessInfo.processInfo.processName
        let bundles = foldersBesideProgram.flatMap { contents(of: $0, endingIn: bundleEndings) }
        let own = bundles.filter { $0.deletingPathExtension().lastPathComponent.hasSuffix("_\(program)") }
        return own + bundles.filter { !own.contains($0) }
    }()

    /// Returns the model file of a name: in the main bundle or its folder, or else in a resource bundle beside the program.
    /// Compiled forms take precedence over source forms.
    static func url(forModelNamed name: String) -> URL? {
        if let url = urlBesideProgram(forModelNamed: name) { return url }
        for folder in foldersBesideProgram + resourceBundlesBesideProgram {
            for kind in modelExtensions {
                let url = folder.appendingPathComponent(name).appendingPathExtension(kind)
                if FileManager.default.fileExists(atPath: url.path) { return url }
            }
        }
        return nil
    }

    /// Returns the model file beside a plain executable or in a resource bundle there; nil if there is none.
    private static func urlBesideProgram(forModelNamed name: String) -> URL? {
        guard !name.utf8.contains(UInt8(ascii: "/")), let (folder, programName) = plainProgram else { return nil }
        // Reading the folder once finds both models and bundles. Every match is checked for existence: a link may be broken,
        // and equal names may have different Unicode forms.
        let names = (try? FileAccess.names(inFolder: folder, endingIn: modelEndings + bundleEndings)) ?? []
        for ending in modelEndings where names.contains(name + ending) {
            let path = folder + "/" + name + ending
            if FileAccess.isFolder(path) != nil { return modelURL(path) }
        }
        let bundles = names.filter { name in bundleEndings.contains { name.hasSuffix($0) } }
        let own = bundles.filter { bundle in bundleEndings.contains { bundle.hasSuffix("_" + programName + $0) } }
        for bundle in own + bundles.filter({ !own.contains($0) }) {
            for ending in modelEndings {
                let path = folder + "/" + bundle + "/" + name + ending
                if FileAccess.isFolder(path) != nil { return modelURL(path) }
            }
        }
        return nil
    }

    private static func modelURL(_ path: String) -> URL {
        URL(fileURLWithPath: path, isDirectory: !path.hasSuffix(".mom"))
    }

    private static let modelEndings = modelExtensions.map { "." + $0 }
    private static let bundleEndings = [".resources", ".bundle"]

    /// The folder and name of an executable beside its resources, determined by system calls: Foundation's first access to the
    /// main bundle takes longer than opening a store. nil if the main bundle may have another structure.
    private static let plainProgram: (folder: String, name: String)? = {
        guard let program = programPath else { return nil }
        let (folder, name) = split(program)
        let folderName = split(folder).name
        guard !folder.isEmpty, !["bin", "sbin", "libexec", "Contents", "Linux"].contains(folderName),
            FileAccess.isFolder(program + ".resources") == nil
        else { return nil }
        return (folder, name)
    }()

    /// Splits a path into its folder, without the slash, and the last component.
    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
        return (String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
    }

    private static var programPath: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            let count = readlink("/proc/self/exe", buffer.baseAddress!, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
        }
    }

    /// Returns all versions of the models in the bundles.
    static func allVersions(in bundles: [Bundle]?) -> [NSManagedObjectModel] {
        modelFiles(in: bundles).flatMap(versions)
    }

    /// Returns all versions in a model file, the current one first. Unusable versions are logged and skipped.
    static func versions(at url: URL) -> [NSManagedObjectModel] {
        do {
            let bundle = try ModelBundle(contentsOf: url)
            let current = bundle.versions.filter { $0.name == bundle.currentVersionName }
            let others = bundle.versions.filter { $0.name != bundle.currentVersionName }
            return try (current + others).map { version in
                let model = try NSManagedObjectModel(values: version.model)
                model.localization.noteModelFile(url)
                model.versionBundles = NSManagedObjectModel.versionBundle(of: url).map { [$0] }
                return model
            }
        } catch {
            NSLog("CoreData: error: Failed to load model at %@: %@", url.path, "\(error)")
            return []
        }
    }

    /// Returns the model files in the bundles. For nil, those of the main bundle; if it has none, those in the resource bundles
    /// of the program's target; if these have none, those in all resource bundles beside the program.
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

    /// Returns the model files in a folder, without source forms that have a compiled form beside them.
    private static func modelFiles(inFolder folder: URL) -> [URL] {
        var names: Set<String> = []
        let files = contents(of: folder, endingIn: modelEndings)
        return modelExtensions.flatMap { kind in files.filter { $0.pathExtension == kind } }.filter {
            names.insert($0.deletingPathExtension().lastPathComponent).inserted
        }
    }

    private static let modelExtensions = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]

    private static func contents(of folder: URL, endingIn suffixes: [String]) -> [URL] {
        let names = (try? FileAccess.names(inFolder: FileAccess.path(of: folder), endingIn: suffixes)) ?? []
        return names.map { folder.appendingPathComponent($0).standardizedFileURL }
    }
}
