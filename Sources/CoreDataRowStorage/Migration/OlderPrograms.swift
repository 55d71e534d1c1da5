import Foundation

/// The former versions of the model that programs may go on using with a migrated store, as its metadata say. Apple's framework
/// ignores the entries.
package struct OlderPrograms {
    /// The key of the checksums of these versions: an array of strings.
    package static let key = "MagicalRecordCompatibleVersionChecksums"
    /// The key of the reason for which programs of the last former version may not.
    package static let obstacleKey = "MagicalRecordIncompatibility"

    package private(set) var checksums: [String]
    package private(set) var obstacle: String?

    /// Reads the entries from a store's metadata.
    package init(in metadata: [String: Any]) {
        checksums = (metadata[Self.key] as? [Any])?.compactMap { $0 as? String } ?? []
        obstacle = metadata[Self.obstacleKey] as? String
    }

    /// Returns true if programs with a version may use the store.
    package func contains(_ checksum: String?) -> Bool { checksum.map(checksums.contains) ?? false }

    /// Writes the entries after a migration.
    ///
    /// - Parameters:
    ///   - old: The metadata of the store before the migration.
    ///   - metadata: Those of the migrated store, which describe its new version.
    ///   - obstacle: The reason for which programs of the old version may not use the store; nil if they may.
    package static func note(migrationFrom old: [String: Any], in metadata: inout [String: Any], obstacle: String?) {
        var programs = OlderPrograms(in: old)
        if let obstacle {
            programs.checksums = []
            programs.obstacle = obstacle
        } else {
            let (former, present) = (FormerVersions.checksum(in: old), FormerVersions.checksum(in: metadata))
            if let former, former != present { programs.checksums.append(former) }
            programs.checksums.removeAll { $0 == present }
            programs.checksums = programs.checksums.suffix(FormerVersions.limit)
        }
        metadata[key] = programs.checksums.isEmpty ? nil : programs.checksums
        metadata[obstacleKey] = programs.obstacle
    }
}
