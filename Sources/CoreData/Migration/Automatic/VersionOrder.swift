import CoreDataRowStorage
import Foundation

/// Determines whether an automatic migration would return a store to an older version of its model.
///
/// The store's version is newer if the store's metadata lists the program's version among those it was migrated from, or if the
/// program's bundle of versions (`.momd`) lacks the store's version.
struct VersionOrder {
    let url: URL
    let metadata: [String: Any]
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    let configuration: String?

    /// Whether the store was migrated from the program's version.
    private var isFormer: Bool { destination.isFormerVersion(ofStoreWith: metadata) }

    /// Whether the program's bundles contain the model's version but not the store's.
    private var isForeign: Bool {
        guard let bundles = destination.versionBundles, !bundles.isEmpty else { return false }
        let versions = bundles.sorted { $0.path < $1.path }.flatMap(ModelSearch.versions)
        // A model edited after loading matches no version; the bundle then proves nothing.
        return ModelMatch.model(among: versions, metadata: destination.versionMetadata) != nil
            && ModelMatch.model(among: versions, metadata: metadata) == nil
    }

    /// Returns whether the migration is known to lead to an older version.
    ///
    /// - Parameters:
    ///   - hasMapping: whether a mapping model made for the two versions exists, which counts as a request for the migration.
    ///   - isWanted: whether the options request migrations to older versions.
    /// - Throws: 134130 if nothing requests the migration, unless only the bundle indicates an older version and no data would
    ///   be lost.
    func leadsBack(byMappingModel hasMapping: Bool, isWanted: Bool) throws -> Bool {
        let isFormer = isFormer
        if hasMapping { return isFormer }
        guard isFormer || isForeign else { return false }
        let losses = ModelComparison(source: source, destination: destination).losses
        // Programs may omit old versions from the bundle, so it is evidence only if data would be lost.
        guard isFormer || !losses.isEmpty else { return false }
        guard !isWanted else { return true }
        throw failure(isFormer: isFormer, losses: losses)
    }

    private func failure(isFormer: Bool, losses: [String]) -> NSError {
        let difference = VersionDifference(
            model: destination, configuration: configuration, metadata: metadata, stored: source)
        let store = words(
            metadata[NSStoreModelVersionIdentifiersKey] as? [Any] ?? [], FormerVersions.checksum(in: metadata))
        let program = words(Array(destination.versionIdentifiers), destination.versionChecksum)
        let reason =
            isFormer
            ? "it is later than the program's version \(program), which the store has been migrated from."
            : "the program's versions, of which it uses \(program), do not have it."
        let obstacle =
            OlderPrograms(in: metadata).obstacle.map { " Programs of its version cannot use it: \($0)" } ?? ""
        let loss = losses.isEmpty ? "" : " and drops \(losses.listed())"
        return CoreDataError.make(
            NSMigrationMissingSourceModelError, description: "The store at \(url.path) could not be migrated.",
            reason: "Can't find model for source store: the store is of the version \(store); \(reason)"
                + obstacle,
            advice: "Open the store with a program that has its version\(difference.inBrackets). "
                + "NSMigratePersistentStoresBackwardOption migrates it back\(loss).",
            userInfo: [
                "metadata": metadata, "sourceModel": source, "destinationModel": destination, NSURLErrorKey: url,
            ])
    }

    /// Returns a description of a version: its identifiers, if it has any, and its checksum.
    private func words(_ identifiers: [Any], _ checksum: String?) -> String {
        let names = identifiers.map { "\($0)" }.filter { !$0.isEmpty }.sorted().map { "\"\($0)\"" }
        let digest = "checksum \(checksum ?? "unknown")"
        return names.isEmpty ? "with the \(digest)" : "\(names.listed()) (\(digest))"
    }
}

extension NSManagedObjectModel {
    /// Returns whether a store was migrated from the model's version, as listed in its metadata.
    package func isFormerVersion(ofStoreWith metadata: [String: Any]) -> Bool {
        FormerVersions(in: metadata).contains(versionChecksum)
    }

    /// Returns the version bundle that contains a model file, or that the URL itself names; nil for a standalone model file.
    static func versionBundle(of file: URL) -> URL? {
        [file, file.deletingLastPathComponent()].map(\.standardizedFileURL).first {
            ["momd", "xcdatamodeld"].contains($0.pathExtension)
        }
    }
}
