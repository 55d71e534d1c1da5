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
            // It may contain a password.
            throw UsageError("an argument with “://” is no URL")
        }
        self.url = url
        if StoreCopy.isDatabase(url) { try StoreCopy.requireDatabases() }
        if let typeName {
            guard let type = Self.types[typeName.lowercased()] else {
                throw UsageError("“\(typeName)” is no type of stores: sqlite, xml or binary")
            }
            self.type = type
        } else if isURL && !url.isFileURL {
            type = NSPersistentStoreCoordinator.type(ofStoreAt: url)
        } else if exists {
            // What has no known beginning is reported as no store.
            type = Self.typeByContent(url) ?? NSSQLiteStoreType
        } else {
            type = try Self.typeByExtension(url)
        }
    }

    /// Returns the type of an existing file by its first bytes; nil for a file that is of no type.
    private static func typeByContent(_ url: URL) -> String? {
        guard let head = try? ReadableFile(url.path).read(upToCount: 16) else { return nil }
        let beginnings = [
            ("SQLite format 3\0", NSSQLiteStoreType), ("<?xml", NSXMLStoreType), ("CoreDat\u{1}", NSBinaryStoreType),
        ]
        return beginnings.first { head.starts(with: Data($0.0.utf8)) }?.1
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
    func model(_ arguments: Arguments) throws -> NSManagedObjectModel {
        if let model = try arguments.model() { return try NSManagedObjectModel(values: model) }
        if !url.isFileURL { return try NSManagedObjectModel(cachedInStoreAt: url) }
        guard type == NSSQLiteStoreType else {
            throw StoreToolError(
                .noModel, "The store \(url.lastPathComponent) contains no model: those of type \(type) have none.",
                advice: "Pass the one it was made with: --model MODEL.", url: url)
        }
        return try NSManagedObjectModel(values: ModelFile.model(inStoreAt: url))
    }
}

extension StoreFile {
    /// The path of a file, or a URL without passwords.
    var name: String { StoreCopy.name(of: url) }

    /// Returns the argument of a command line, without passwords.
    func nameAsTyped(_ argument: String) -> String { url.isFileURL ? argument : StoreCopy.name(of: url) }

    var isSQLiteFile: Bool { url.isFileURL && type == NSSQLiteStoreType }

    /// True for the store of a database.
    var isDatabase: Bool { StoreCopy.isDatabase(url) }
}
