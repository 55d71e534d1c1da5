import CoreDataRowStorage
import Foundation

/// Decides whether an automatic migration would take a store back to an older version of its model.
///
/// The version of the store is the later one if its metadata list the program's among those the store was migrated from, or if
/// the program brings its versions in a bundle (`.momd`) that lacks the store's.
struct VersionOrder {
    let url: URL
    let metadata: [String: Any]
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    let configuration: String?

    /// Whether the store was migrated from the program's version.
    private var isFormer: Bool { destination.isFormerVersion(ofStoreWith: metadata) }

    /// Whether the program's versions, of which the model is one, do not have the store's.
    private var isForeign: Bool {
        guard let bundles = destination.versionBundles, !bundles.isEmpty else { return false }
        let versions = bundles.sorted { $0.path < $1.path }.flatMap(ModelSearch.versions)
        // A model that was edited after it was read is none of them, and says nothing of the others.
        return ModelMatch.model(among: versions, metadata: destination.versionMetadata) != nil
            && ModelMatch.model(among: versions, metadata: metadata) == nil
    }

    /// Returns whether the migration leads back.
    ///
    /// - Parameters:
    ///   - hasMapping: whether there is a mapping model that was made for the two versions, which is a wish in itself.
    ///   - isWanted: whether the options ask for migrations that lead back.
    /// - Throws: 134130 when nothing asks for them, unless only the bundle speaks against the migration and nothing would be lost.
    func leadsBack(byMappingModel hasMapping: Bool, isWanted: Bool) throws -> Bool {
        let isFormer = isFormer
        if hasMapping { return isFormer }
        guard isFormer || isForeign else { return false }
        let losses = ModelComparison(source: source, destination: destination).losses
        // Programs leave out old versions, too.
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
        let loss = losses.isEmpty ? "" : " and drops \(losses.listed())"
        return CoreDataError.make(
            NSMigrationMissingSourceModelError, description: "The store at \(url.path) could not be migrated.",
            reason: "Can't find model for source store: the store is of the version \(store); \(reason)",
            advice: "Open the store with a program that has its version\(difference.inBrackets). "
                + "NSMigratePersistentStoresBackwardOption migrates it back\(loss).",
            userInfo: [
                "metadata": metadata, "sourceModel": source, "destinationModel": destination, NSURLErrorKey: url,
            ])
    }

    /// A version in words: its identifiers, if it has any, and its checksum.
    private func words(_ identifiers: [Any], _ checksum: String?) -> String {
        let names = identifiers.map { "\($0)" }.filter { !$0.isEmpty }.sorted().map { "\"\($0)\"" }
        let digest = "checksum \(checksum ?? "unknown")"
        return names.isEmpty ? "with the \(digest)" : "\(names.listed()) (\(digest))"
    }
}

extension NSManagedObjectModel {
    /// Whether a store was migrated from the model's version, by what its metadata list.
    package func isFormerVersion(ofStoreWith metadata: [String: Any]) -> Bool {
        FormerVersions(in: metadata).contains(versionChecksum)
    }

    /// The bundle of versions that a model file is, or lies in; nil for a file that is a model by itself.
    static func versionBundle(of file: URL) -> URL? {
        [file, file.deletingLastPathComponent()].map(\.standardizedFileURL).first {
            ["momd", "xcdatamodeld"].contains($0.pathExtension)
        }
    }
}
