import CoreData
import Foundation
import Testing

/// Stores made by Apple's framework, outside the package; tests that need them skip where they are absent.
package enum RealStores {
    package static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("../shared/data/stores").standardizedFileURL

    package static var areAvailable: Bool { FileManager.default.fileExists(atPath: folder.path) }
    package static let comment: Comment =
        "The stores made by Apple's framework are not beside the package (../shared/data/stores)."

    /// One store and the model it was made with.
    package struct Sample: CustomTestStringConvertible, Sendable {
        package var store: String
        /// A path below the folder, or nil for the model in the store itself.
        package var model: String?
        package var testDescription: String { store }

        package init(store: String, model: String?) {
            self.store = store
            self.model = model
        }
    }

    package static let all = [
        Sample(
            store: "bookmarks/Bookmarks_V1.sqlite",
            model: "bookmarks/BookmarksModel.xcdatamodeld/BookmarksModel.xcdatamodel"),
        Sample(
            store: "bookmarks/Bookmarks_V2.sqlite",
            model: "bookmarks/BookmarksModel.xcdatamodeld/BookmarksModel 2.xcdatamodel"),
        Sample(
            store: "bookmarks/Bookmarks_V3.sqlite",
            model: "bookmarks/BookmarksModel.xcdatamodeld/BookmarksModel 3.xcdatamodel"),
        Sample(
            store: "bookmarks/Bookmarks_V5.sqlite",
            model: "bookmarks/BookmarksModel.xcdatamodeld/BookmarksModel 5.xcdatamodel"),
        Sample(
            store: "syncmetadata/SyncMetadata_V3.sqlite",
            model: "syncmetadata/SyncMetadata.xcdatamodeld/SyncMetadata 3.xcdatamodel"),
        Sample(store: "sample/SampleModel_V1.sqlite", model: "sample/SampleModel.xcdatamodeld/SampleModel.xcdatamodel"),
        Sample(store: "sample/SampleModel2_V1.sqlite", model: nil),
        Sample(
            store: "migration-example/CoreDataMigration_Example_1.sqlite",
            model: "migration-example/CoreDataMigration_Example.xcdatamodeld/CoreDataMigration_Example.xcdatamodel"),
        Sample(
            store: "migration-example/CoreDataMigration_Example_2.sqlite",
            model: "migration-example/CoreDataMigration_Example.xcdatamodeld/CoreDataMigration_Example 2.xcdatamodel"),
        Sample(
            store: "migration-example/CoreDataMigration_Example_3.sqlite",
            model: "migration-example/CoreDataMigration_Example.xcdatamodeld/CoreDataMigration_Example 3.xcdatamodel"),
        Sample(store: "recipes/Recipes.sqlite", model: "recipes/Recipes.xcdatamodeld/Recipes.xcdatamodel"),
    ]
}

extension RealStores {
    /// A copy of a store in a folder of its own.
    package struct Copy: Sendable {
        package let url: URL

        package func remove() { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    }

    package static func copy(of sample: Sample) throws -> Copy {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let source = self.folder.appendingPathComponent(sample.store)
        let target = folder.appendingPathComponent(source.lastPathComponent)
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: source.path + suffix) {
            try FileManager.default.copyItem(atPath: source.path + suffix, toPath: target.path + suffix)
        }
        return Copy(url: target)
    }
}

extension RealStores.Sample {
    /// Made by a framework from before models were kept in stores.
    package var isOld: Bool { store.hasPrefix("recipes") }
    package var sortsColumnsByName: Bool { !isOld }

    /// The model the store was made with.
    package func loadModel(_ copy: RealStores.Copy) throws -> NSManagedObjectModel {
        if let model {
            return try #require(
                NSManagedObjectModel(contentsOf: RealStores.folder.appendingPathComponent(model)),
                "The model \(model) cannot be read.")
        }
        return try NSManagedObjectModel(cachedInStoreAt: copy.url)
    }
}
