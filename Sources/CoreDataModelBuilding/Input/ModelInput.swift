import Foundation
import ModelFormat

/// Finds the model that a command line names.
package enum ModelInput {
    /// Reads a version of the bundle at a path: the named one, in full or without the bundle's name (`3` for `Model 3`), or
    /// else the current one.
    ///
    /// A store is treated as a bundle of one version, the model it was last opened with.
    package static func version(_ path: String, named name: String?) throws -> ModelBundle.Version {
        let bundle = try bundle(path)
        let wanted = name ?? bundle.currentVersionName
        let version =
            bundle.versions.first { $0.name == wanted }
            ?? bundle.versions.first { $0.name == "\(bundle.name) \(wanted)" }
        guard let version else {
            let names = bundle.versions.map(\.name).joined(separator: ", ")
            throw Diagnostic(
                message: "there is no version \(wanted)", file: path, advice: "The versions are \(names)")
        }
        return version
    }

    /// Reads all versions at a path: a model in any format, or the model in a SQLite store.
    package static func bundle(_ path: String) throws -> ModelBundle {
        let url = URL(fileURLWithPath: path)
        if StoreModel.isStore(url) {
            let name = url.deletingPathExtension().lastPathComponent
            let content = try StoreModel.content(url)
            var version = ModelBundle.Version(name: name, model: try StoreModel.read(content, of: url))
            version.cacheContent = content
            version.file = path
            return ModelBundle(name: name, versions: [version], currentVersionName: name)
        }
        if isMapping(path) {
            throw Diagnostic(
                message: "this is a mapping model, not a model", file: path,
                advice: "modelc show and modelc compile take mapping models")
        }
        do {
            return try ModelBundle(contentsOf: url)
        } catch {
            let models = modelsInFolder(url)
            guard error.code == .malformed, !models.isEmpty else { throw error }
            throw Diagnostic(
                message: "the folder is no model, but holds some", file: path,
                advice: "Name one of them: \(models.joined(separator: ", "))")
        }
    }

    private static func modelsInFolder(_ url: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.filter { ["xcdatamodeld", "momd"].contains(($0 as NSString).pathExtension) }.sorted()
    }

    /// Returns the paths of the source models in a folder at any depth.
    package static func sourceModels(in folder: String) -> [String] {
        GenerateCommand.models(folder.isEmpty ? "." : folder).map { $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0 }
    }

    /// Returns whether a path names a mapping model.
    package static func isMapping(_ path: String) -> Bool {
        let url = URL(fileURLWithPath: path)
        return ["xcmappingmodel", "cdm"].contains(url.pathExtension) || url.lastPathComponent == "xcmapping.xml"
    }
}
