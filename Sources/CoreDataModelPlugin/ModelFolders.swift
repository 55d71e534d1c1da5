import Foundation
import PackagePlugin

/// A model in the files of a target.
struct ModelFolder {
    let url: URL
    /// True if it contains versions, and thus compiles to a folder.
    let isBundle: Bool
    /// True if it is a mapping model.
    let isMapping: Bool
    /// The input files of the compiled model.
    let files: [URL]

    var name: String { url.deletingPathExtension().lastPathComponent }

    init(url: URL) {
        self.url = url
        isBundle = url.pathExtension == "xcdatamodeld"
        isMapping = url.pathExtension == "xcmappingmodel"
        let walk = FileManager.default.enumerator(
            at: url.resolvingSymlinksInPath(), includingPropertiesForKeys: nil)
        let names: Set<String> = ["contents", "elements", ".xccurrentversion", "xcmapping.xml"]
        files = (walk?.compactMap { $0 as? URL } ?? []).filter { names.contains($0.lastPathComponent) }
            .sorted { $0.path < $1.path }
    }
}

/// Finds models.
enum ModelFolders {
    /// Returns the models and mapping models in a target's folder, at any depth.
    static func models(in target: any SourceModuleTarget) -> [ModelFolder] {
        // An enumerator does not follow its root if that is a symbolic link.
        let folder = target.directoryURL.resolvingSymlinksInPath()
        guard let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return [] }
        var models: [ModelFolder] = []
        for case let url as URL in walk {
            switch url.pathExtension {
            case "xcdatamodeld", "xcdatamodel", "xcmappingmodel":
                models.append(ModelFolder(url: url))
                walk.skipDescendants()
            case "momd", "build":
                walk.skipDescendants()
            default: break
            }
        }
        return models.sorted { $0.url.path < $1.url.path }
    }
}
