import CoreData
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
        let description = try StoreDescription(StoreReader(url).database)
        guard let model = description.model else {
            throw StoreToolError(
                .noModel, description.modelProblem ?? "The store \(url.lastPathComponent) has no model.",
                advice: "Name a model instead.", url: url)
        }
        let name = url.deletingPathExtension().lastPathComponent
        return ModelBundle(
            name: name, versions: [ModelBundle.Version(name: name, model: model)], currentVersionName: name)
    }

    /// Loads a version of a model at a path.
    static func model(_ path: String, version: String) throws -> NSManagedObjectModel {
        let url = URL(fileURLWithPath: path)
        if isStore(url) {
            let copy = try TemporaryCopy(url, StoreCondition.of(url))
            defer { withExtendedLifetime(copy) {} }
            return try NSManagedObjectModel(cachedInStoreAt: copy?.url ?? url)
        }
        let places = ["mom", "xcdatamodel"].map { url.appendingPathComponent("\(version).\($0)") }
        let place = places.first { FileManager.default.fileExists(atPath: $0.path) } ?? url
        if let model = NSManagedObjectModel(contentsOf: place) { return model }
        throw StoreToolError(
            .noModel, "The version \(version) of the model \(path) cannot be read.",
            advice: "“modelc show” says what is wrong with it.", url: url)
    }
}
