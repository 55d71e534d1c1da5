import Foundation
import ModelFormat

/// Finds the model a command line names.
enum ModelInput {
    /// A version of the bundle at a path: the one named, else the current one.
    ///
    /// A store counts as a bundle of one version, the model it was last opened with.
    static func version(_ path: String, named name: String?) throws -> ModelBundle.Version {
        let bundle = try bundle(path)
        let wanted = name ?? bundle.currentVersionName
        guard let version = bundle.versions.first(where: { $0.name == wanted }) else {
            let names = bundle.versions.map(\.name).joined(separator: ", ")
            throw Diagnostic(
                message: "there is no version \(wanted)", file: path, advice: "The versions are \(names)")
        }
        return version
    }

    /// All versions at a path: a model in any form, or a SQLite store, which carries its own.
    static func bundle(_ path: String) throws -> ModelBundle {
        let url = URL(fileURLWithPath: path)
        if StoreModel.isStore(url) {
            let name = url.deletingPathExtension().lastPathComponent
            var version = ModelBundle.Version(name: name, model: try StoreModel.read(url))
            version.file = path
            return ModelBundle(name: name, versions: [version], currentVersionName: name)
        }
        return try ModelBundle(contentsOf: url)
    }

    /// Whether a path names a mapping model.
    static func isMapping(_ path: String) -> Bool {
        let url = URL(fileURLWithPath: path)
        return ["xcmappingmodel", "cdm"].contains(url.pathExtension) || url.lastPathComponent == "xcmapping.xml"
    }
}
