import CoreDataModelBuilding
import CoreDataStoreFiles
import Foundation
import ModelFormat
import StoreTools

/// The models that a command line names: bundles of versions, single versions, and stores, which keep theirs.
enum ModelFile {
    private static func isStore(_ url: URL) -> Bool {
        (try? ReadableFile(url.path).read(upToCount: 15)) == Data("SQLite format 3".utf8)
    }

    /// Reads all versions at a path.
    static func bundle(_ path: String) throws -> ModelBundle {
        let url = URL(fileURLWithPath: path)
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw StoreToolError(
                .noModel, "There is no model at \(path).",
                advice: "Name a .momd, .mom, .xcdatamodeld or .xcdatamodel, or a store that contains its model.",
                url: url)
        }
        guard isStore(url) else { return try ModelInput.bundle(path) }
        let name = url.deletingPathExtension().lastPathComponent
        let version = ModelBundle.Version(name: name, model: try model(inStoreAt: url))
        return ModelBundle(name: name, versions: [version], currentVersionName: name)
    }

    /// Reads the current version at a path.
    static func current(_ path: String) throws -> Model {
        let bundle = try bundle(path)
        if let version = bundle.currentVersion ?? bundle.versions.last { return version.model }
        throw StoreToolError(.noModel, "The model \(path) has no version.", advice: "Name one that has.")
    }

    /// Reads the model in an SQLite store, changing no byte.
    static func model(inStoreAt url: URL) throws -> Model {
        let description = try StoreDescription(StoreReader(url).database)
        if let model = description.model { return model }
        throw StoreToolError(
            .noModel, "The store \(url.lastPathComponent) contains no model that can be read.",
            advice: "Name the file of the model instead.", url: url, underlying: description.modelProblem)
    }
}
