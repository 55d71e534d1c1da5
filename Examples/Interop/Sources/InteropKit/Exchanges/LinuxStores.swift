#if !canImport(Darwin)
import CoreData
import Foundation
import ModelFormat

/// The stores that Linux writes for a Mac, with their models and lists.
@MainActor
public struct LinuxStores {
    private let exchange: Exchange

    /// Creates a writer to an exchange's folder.
    public init(_ exchange: Exchange) { self.exchange = exchange }

    /// Writes the stores of all cases and replaces existing ones. The Mac's files are not changed.
    ///
    /// - Throws: ``InteropError`` with the name of the case if its store cannot be written or has other values than expected,
    ///   Foundation's errors if the folder cannot be written.
    public func write() throws {
        try exchange.fromLinux.makeEmptyFolder()
        for item in Case.all {
            do {
                try write(item, to: exchange.given(item))
            } catch {
                throw InteropError("\(item.name): \(InteropError.text(of: error))")
            }
        }
        try exchange.edition.write(lines: [Case.edition])
    }

    private func write(_ item: Case, to folder: URL) throws {
        try folder.makeEmptyFolder()
        let models = try ModelPair(of: item)
        let work = StoreWork(item: item, models: models)
        try work.fill(folder.store)
        let lines = try work.lines(of: folder.store)
        let differences = Differences.between(expected: item.filledLines, found: lines)
        guard differences.isEmpty else {
            throw InteropError("the store differs from what was written:\n\(differences.joined(separator: "\n"))")
        }
        try models.write(to: folder.models)
        try folder.values.write(lines: lines)
        try folder.rows.write(try PlainSQL.listing(of: folder.store))
        try folder.hashes.write(lines: models.hashLines)
    }
}

extension ModelPair {
    /// Writes both versions as a `.momd`. The second is the current one.
    fileprivate func write(to folder: URL) throws {
        let parts = folder.deletingLastPathComponent().appendingPathComponent("Versions")
        try parts.makeEmptyFolder()
        let versions = try [(ModelVersion.first, first), (.second, second)].map { version, model in
            let file = parts.model(version)
            try model.write(to: file)
            return ModelBundle.Version(name: version.rawValue, model: try Model(contentsOf: file))
        }
        try ModelBundle(name: "Model", versions: versions, currentVersionName: ModelVersion.second.rawValue)
            .writeCompiled(to: folder)
        try FileManager.default.removeItem(at: parts)
    }
}
#endif
