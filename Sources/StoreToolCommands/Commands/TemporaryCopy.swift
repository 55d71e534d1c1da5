import Foundation
import StoreTools

/// A copy of a store's files in a temporary folder, for what opens a store through a coordinator: SQLite would create files
/// beside the original. Removed with the object.
final class TemporaryCopy {
    let url: URL
    private let folder: URL

    /// Copies a store that no process has open; nil for any other, which must be opened in its place.
    init?(_ original: URL, _ condition: StoreCondition) throws {
        guard condition == .readable else { return nil }
        let files = FileManager.default
        folder = files.temporaryDirectory.appendingPathComponent("storetool-\(UUID().uuidString)")
        url = folder.appendingPathComponent(original.lastPathComponent)
        try files.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        do {
            let source = original.resolvingSymlinksInPath()
            for suffix in ["", "-wal", "-journal"] where files.fileExists(atPath: source.path + suffix) {
                try SparseCopy.make(
                    of: URL(fileURLWithPath: source.path + suffix), at: URL(fileURLWithPath: url.path + suffix))
                try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path + suffix)
            }
            let values = ".\(source.deletingPathExtension().lastPathComponent)_SUPPORT"
            let from = source.deletingLastPathComponent().appendingPathComponent(values)
            let own = ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT"
            if files.fileExists(atPath: from.path) {
                try files.copyItem(at: from, to: folder.appendingPathComponent(own))
            }
        } catch {
            try? files.removeItem(at: folder)
            throw error
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
