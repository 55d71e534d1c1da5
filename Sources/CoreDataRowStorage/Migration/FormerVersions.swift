import Foundation
import ModelFormat

/// The direction of a migration, if known.
package enum MigrationDirection: Sendable {
    /// A migration to a version after the store's.
    case forward
    /// A migration to a version before the store's.
    case back
    /// A migration in either direction: it only removes what one in the other direction would add.
    case unknown
}

/// The model versions that a store has been migrated from, oldest first, as its metadata list them: by their checksums, which
/// are those of `NSStoreModelVersionChecksumKey`.
///
/// A program with one of these versions is older than the store. Apple's framework ignores the entry.
package struct FormerVersions {
    /// The key of the entry: an array of strings.
    package static let key = "MagicalRecordFormerVersionChecksums"
    /// The maximum number of versions; the oldest ones are dropped.
    package static let limit = 32

    package private(set) var checksums: [String]

    /// Reads the versions from a store's metadata.
    package init(in metadata: [String: Any]) {
        checksums = (metadata[Self.key] as? [Any])?.compactMap { $0 as? String } ?? []
    }

    /// Returns the checksum of the version in metadata; nil if they contain none.
    package static func checksum(in metadata: [String: Any]) -> String? {
        StoreVersionHashes.hashes(in: metadata).map { Model.versionChecksum($0) }
    }

    package func contains(_ checksum: String) -> Bool { checksums.contains(checksum) }

    /// Adds a migration from one version to another to the metadata of the migrated store.
    ///
    /// - Parameters:
    ///   - old: the metadata of the store before the migration.
    ///   - metadata: those of the migrated store, which describe its new version.
    package static func note(
        migrationFrom old: [String: Any], in metadata: inout [String: Any], _ direction: MigrationDirection
    ) {
        // A store that is filled in several passes already has the entry.
        var versions = FormerVersions(in: metadata[key] == nil ? old : metadata)
        versions.add(checksum(in: old), becoming: checksum(in: metadata), direction)
        metadata[key] = versions.checksums.isEmpty ? nil : versions.checksums
    }

    private mutating func add(_ source: String?, becoming destination: String?, _ direction: MigrationDirection) {
        if let destination, let place = checksums.firstIndex(of: destination) {
            checksums.removeSubrange(place...)
            return
        }
        switch direction {
        case .forward:
            guard let source, source != destination, !checksums.contains(source) else { return }
            checksums = (checksums + [source]).suffix(Self.limit)
        // The order of these versions and the destination is unknown.
        case .back: checksums = []
        case .unknown: break
        }
    }
}
