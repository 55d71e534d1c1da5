import Foundation
import ModelFormat

extension NSManagedObjectModel {
    /// Reads the model of a file: a compiled `.mom`, the current version of a `.momd`, or the source form (`.xcdatamodel`,
    /// `.xcdatamodeld`). Returns nil and logs the reason if the file cannot be read.
    public convenience init?(contentsOf url: URL) {
        do {
            try self.init(fileURL: url)
        } catch {
            NSLog("CoreData: error: Failed to load model at %@: %@", url.path, "\(error)")
            return nil
        }
    }

    /// Reads the model of a file.
    ///
    /// - Throws: `NSCoreDataError` naming the file, entity and property at fault.
    convenience init(fileURL url: URL) throws {
        self.init()
        let values = try Self.values(at: url)
        // A file with hashes beside it was validated by the tool that wrote both.
        try fill(from: values.model, isChecked: values.hashes != nil)
        if let hashes = values.hashes { remember(hashes, of: values.model) }
        localization.noteModelFile(url)
        versionBundles = Self.versionBundle(of: url).map { [$0] }
    }

    /// Creates the model of plain values.
    ///
    /// - Throws: `NSCoreDataError` naming the entity and property at fault.
    package convenience init(values: Model) throws {
        self.init()
        try fill(from: values)
    }

    /// Returns the checksum of every version in a model bundle, by version name.
    ///
    /// - Throws: an error if the bundle cannot be read.
    public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
        let bundle: ModelBundle
        do {
            bundle = try ModelBundle(contentsOf: modelURL)
        } catch {
            throw ModelFileError.wrapped(error)
        }
        var checksums: [String: String] = [:]
        for version in bundle.versions {
            do {
                checksums[version.name] = Model.versionChecksum(try version.model.versionHashes())
            } catch {
                throw ModelFileError.wrapped(error)
            }
        }
        return checksums
    }

    private func fill(from values: Model, isChecked: Bool = false) throws {
        try ModelBuilder.fill(self, from: values, isChecked: isChecked)
    }

    private static func values(at url: URL) throws -> HashedModel {
        do {
            return try HashedModel(contentsOf: url)
        } catch {
            throw ModelFileError.wrapped(error)
        }
    }
}
