import CoreDataRowStorage
import Foundation

/// Checks of the free disk space for a migration.
package enum FreeSpace {
    /// Checks that the disk has space for a multiple of the size of a store's files.
    ///
    /// - Parameters:
    ///   - suffixes: The suffixes of the files' paths, appended to the store's path.
    ///   - factor: The space that the migration may need in addition, as a multiple of the store's size.
    /// - Throws: 640 with the numbers. If the free space is unknown, the check succeeds.
    package static func check(for url: URL, suffixes: [String], factor: Int64) throws {
        let manager = FileManager.default
        func size(_ path: String) -> Int64 {
            (try? manager.attributesOfItem(atPath: path)[.size] as? NSNumber)??.int64Value ?? 0
        }
        let needed = suffixes.reduce(0) { $0 + size(url.path + $1) } * factor
        let folder = url.deletingLastPathComponent().path
        let free = (try? manager.attributesOfFileSystem(forPath: folder)[.systemFreeSize] as? NSNumber)??.int64Value
        try check(needed: needed, free: free, url: url)
    }

    package static func check(needed: Int64, free: Int64?, url: URL) throws {
        guard let free, free < needed else { return }
        throw CoreDataError.make(
            CocoaError.fileWriteOutOfSpace.rawValue, description: "The store at \(url.path) could not be migrated.",
            reason: "Migrating it may need \(needed) bytes on its disk, of which \(free) are free.",
            advice: "Free some space and add the store again; it was left as it is.", userInfo: [NSURLErrorKey: url])
    }
}
