import CoreDataStoreFiles
import Foundation

/// The copies of a store's files before it is replaced.
enum OldFiles {
    /// The name of the file with the rows that the rescued store cannot hold.
    static let leftovers = "leftovers.ndjson"
    private static let suffixes = ["", "-wal", "-shm", "-journal"]

    /// Returns the folder of a store's external values.
    static func externalFolder(of store: URL) -> URL {
        store.deletingLastPathComponent().appendingPathComponent(
            ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT", isDirectory: true)
    }

    /// Copies the files of a closed store into a folder, and waits until they are on the disk. Files of external
    /// values, which never change, get hard links where the file system has them.
    static func copy(_ store: URL, to folder: URL) throws {
        let manager = FileManager.default
        for suffix in suffixes where manager.fileExists(atPath: store.path + suffix) {
            let copy = folder.appendingPathComponent(store.lastPathComponent + suffix)
            try SparseCopy.make(of: URL(fileURLWithPath: store.path + suffix), at: copy)
            setOwner(of: copy, to: store)
            synchronize(copy)
        }
        let external = externalFolder(of: store)
        if manager.fileExists(atPath: external.path) {
            try link(external, to: folder.appendingPathComponent(external.lastPathComponent, isDirectory: true))
        }
    }

    private static func link(_ source: URL, to destination: URL) throws {
        let manager = FileManager.default
        try manager.createDirectory(at: destination, withIntermediateDirectories: false)
        for name in try manager.contentsOfDirectory(atPath: source.path) {
            let (from, to) = (source.appendingPathComponent(name), destination.appendingPathComponent(name))
            let type = try manager.attributesOfItem(atPath: from.path)[.type] as? FileAttributeType
            if type == .typeDirectory {
                try link(from, to: to)
            } else if type != .typeRegular || Foundation.link(from.path, to.path) != 0 {
                try manager.copyItem(at: from, to: to)
            }
        }
        synchronize(destination)
    }

    /// Gives a file the owner, the permissions and the data protection of a store, as far as the process may.
    static func setAttributes(of file: URL, to store: URL) {
        let manager = FileManager.default
        setOwner(of: file, to: store)
        guard let attributes = try? manager.attributesOfItem(atPath: store.path) else { return }
        var copied: [FileAttributeKey: Any] = [:]
        copied[.posixPermissions] = attributes[.posixPermissions]
        #if canImport(Darwin)
        copied[.protectionKey] = attributes[.protectionKey]
        #endif
        try? manager.setAttributes(copied, ofItemAtPath: file.path)
    }

    private static func setOwner(of file: URL, to store: URL) {
        var status = stat()
        guard stat(store.path, &status) == 0 else { return }
        _ = lchown(file.path, status.st_uid, status.st_gid)
    }

    /// Writes a file, or the entries of a folder, to the disk, as far as the file system can.
    static func synchronize(_ url: URL) {
        guard case .opened(let descriptor) = OpenDatabases.openForReading(url.path) else { return }
        _ = fsync(descriptor)
        OpenDatabases.close(descriptor)
    }
}
