import CoreData
import CoreDataModelBuilding
import CoreDataStoreFiles
import Foundation
import ModelFormat
import StoreTools

/// A store that is opened through a coordinator: its place, type and model.
struct StoreFile {
    let url: URL
    let type: String

    /// The types by their names on command lines.
    static let types = ["sqlite": NSSQLiteStoreType, "xml": NSXMLStoreType, "binary": NSBinaryStoreType]

    /// Creates a store from an argument: a path, or the URL of a registered store type.
    ///
    /// - Parameter typeName: The value of `--type` or `--from-type`; nil to look at the file or its extension.
    init(_ argument: String, type typeName: String?, exists: Bool) throws {
        let isURL = argument.contains("://")
        guard let url = isURL ? URL(string: argument) : URL(fileURLWithPath: argument) else {
            throw UsageError("“\(argument)” is no URL")
        }
        self.url = url
        if let typeName {
            guard let type = Self.types[typeName.lowercased()] else {
                throw UsageError("“\(typeName)” is no type of stores: sqlite, xml or binary")
            }
            self.type = type
        } else if isURL && !url.isFileURL {
            type = NSPersistentStoreCoordinator.type(ofStoreAt: url)
        } else if exists, let found = Self.typeByContent(url) {
            type = found
        } else {
            type = try Self.typeByExtension(url)
        }
    }

    /// Returns the type of an existing file by its first bytes; nil if it cannot be read.
    private static func typeByContent(_ url: URL) -> String? {
        guard let head = try? ReadableFile(url.path).read(upToCount: 16), !head.isEmpty else { return nil }
        if head.starts(with: Data("SQLite format 3\0".utf8)) { return NSSQLiteStoreType }
        return head.starts(with: Data("<?xml".utf8)) ? NSXMLStoreType : NSBinaryStoreType
    }

    private static func typeByExtension(_ url: URL) throws -> String {
        switch url.pathExtension.lowercased() {
        case "sqlite", "sqlite3", "db", "store", "": return NSSQLiteStoreType
        case "xml": return NSXMLStoreType
        case "binary", "bin", "plist": return NSBinaryStoreType
        default:
            throw UsageError(
                "the extension of \(url.lastPathComponent) names no type of stores; --type takes sqlite, xml or binary")
        }
    }

    /// Checks that the file of an existing store can be read.
    func requireExistence() throws {
        guard url.isFileURL else { return }
        if type == NSSQLiteStoreType {
            let condition = StoreCondition.of(url)
            guard [.readable, .inUse].contains(condition) else { throw condition.error(url) }
        } else if !FileManager.default.fileExists(atPath: url.path) {
            throw StoreCondition.missing.error(url)
        }
    }

    /// Returns the model that a command line names, or that of the store.
    ///
    /// - Parameter url: The store, or a copy of it.
    func model(_ arguments: Arguments, at url: URL) throws -> NSManagedObjectModel {
        if let path = arguments["model"] {
            let bundle = try ModelFile.bundle(path)
            return try ModelFile.model(path, version: bundle.currentVersionName)
        }
        if type == NSSQLiteStoreType || !url.isFileURL {
            do {
                return try NSManagedObjectModel(cachedInStoreAt: url)
            } catch let error as NSError where error.code == NSMigrationMissingSourceModelError {}
        }
        throw StoreToolError(
            .noModel, "The store \(self.url.lastPathComponent) keeps no model of itself.",
            advice: "Pass the one it was made with: --model MODEL.", url: url)
    }
}
