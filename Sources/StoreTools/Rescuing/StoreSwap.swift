import CoreDataStoreFiles
import Foundation

/// The exchange of a damaged store for a rescued one, which keeps the old files in a folder beside the store.
///
/// No moment leaves the place of the store empty, or a log beside a file that it does not belong to. A process that is killed
/// in between leaves the rescued store in the folder; ``finish(beside:)`` completes the exchange.
struct StoreSwap {
    let store: URL
    /// The folder for the old files.
    let folder: URL

    private static let suffixes = ["-wal", "-shm", "-journal"]
    private var successorFolder: URL { folder.appendingPathComponent("successor", isDirectory: true) }
    private var successor: URL { successorFolder.appendingPathComponent(store.lastPathComponent) }
    private var record: URL { folder.appendingPathComponent(".exchange") }

    /// Returns the folder of a store's external values.
    static func supportFolder(of store: URL) -> URL {
        store.deletingLastPathComponent().appendingPathComponent(
            ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT", isDirectory: true)
    }

    private static func prefix(of store: URL) -> String { store.lastPathComponent + ".damaged-" }

    // MARK: Exchanging

    /// Creates the folder for the old files, with a name that ends in the time.
    init(of store: URL) throws {
        let formatter = ISO8601DateFormatter()
        let time = formatter.string(from: Date()).replacingOccurrences(of: ":", with: "")
        let base = store.deletingLastPathComponent()
        var number = 0
        while true {
            let name = Self.prefix(of: store) + time + (number == 0 ? "" : "-\(number)")
            let folder = base.appendingPathComponent(name, isDirectory: true)
            if mkdir(folder.path, 0o777) == 0 {
                (self.store, self.folder) = (store, folder)
                return
            }
            guard errno == EEXIST, number < 1000 else { throw Self.failure(store, "create", folder.path) }
            number += 1
        }
    }

    private init(store: URL, folder: URL) { (self.store, self.folder) = (store, folder) }

    /// Puts a rescued store into the place of the store.
    ///
    /// - Parameter rescued: the rescued store, on the same file system, which no process has open.
    func run(with rescued: URL) throws {
        let manager = FileManager.default
        let kept = folder.appendingPathComponent(store.lastPathComponent)
        if link(store.path, kept.path) != 0 { try manager.copyItem(at: store, to: kept) }
        try Data(Self.identity(of: store).utf8).write(to: record)
        // From here on the exchange is completed, by this process or the next.
        let waiting = folder.appendingPathComponent("rescued", isDirectory: true)
        try manager.createDirectory(at: waiting, withIntermediateDirectories: false)
        try move(rescued, to: waiting.appendingPathComponent(store.lastPathComponent))
        let support = Self.supportFolder(of: rescued)
        if manager.fileExists(atPath: support.path) {
            try move(support, to: Self.supportFolder(of: waiting.appendingPathComponent(store.lastPathComponent)))
        }
        try move(waiting, to: successorFolder)
        Self.synchronize(folder)
        try complete()
    }

    /// Moves the old files into the folder and the rescued ones into their place. May be repeated after any of its steps.
    private func complete() throws {
        let manager = FileManager.default
        for suffix in Self.suffixes where manager.fileExists(atPath: store.path + suffix) {
            try move(
                URL(fileURLWithPath: store.path + suffix),
                to: folder.appendingPathComponent(store.lastPathComponent + suffix))
        }
        let support = Self.supportFolder(of: store)
        let keptSupport = folder.appendingPathComponent(support.lastPathComponent, isDirectory: true)
        if manager.fileExists(atPath: support.path), !manager.fileExists(atPath: keptSupport.path) {
            try move(support, to: keptSupport)
        }
        let newSupport = Self.supportFolder(of: successor)
        if manager.fileExists(atPath: newSupport.path) { try move(newSupport, to: support) }
        Self.synchronize(store.deletingLastPathComponent())
        try move(successor, to: store)
        Self.synchronize(store.deletingLastPathComponent())
        try manager.removeItem(at: successorFolder)
        try manager.removeItem(at: record)
    }

    // MARK: Completing what was interrupted

    /// Completes the exchange that a killed process has begun; returns the folder of the old files, nil if there was none.
    ///
    /// A store that has been created meanwhile is left as it is, and so is the rescued one in the folder.
    static func finish(beside store: URL) throws -> URL? {
        let parent = store.deletingLastPathComponent()
        let prefix = prefix(of: store)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names.sorted() where name.hasPrefix(prefix) {
            let swap = StoreSwap(store: store, folder: parent.appendingPathComponent(name, isDirectory: true))
            guard FileManager.default.fileExists(atPath: swap.successor.path),
                let record = try? String(decoding: Data(contentsOf: swap.record), as: UTF8.self)
            else { continue }
            guard try record == identity(of: store) else { continue }
            try swap.complete()
            return swap.folder
        }
        return nil
    }

    // MARK: Files

    private static func identity(of store: URL) throws -> String {
        var status = stat()
        guard stat(store.path, &status) == 0 else { throw failure(store, "examine", store.path) }
        return "\(status.st_dev) \(status.st_ino)"
    }

    private func move(_ source: URL, to destination: URL) throws {
        guard rename(source.path, destination.path) == 0 else { throw Self.failure(store, "move", source.path) }
    }

    /// Writes the entries of a folder to the disk, as far as the file system can.
    private static func synchronize(_ folder: URL) {
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        _ = close(descriptor)
    }

    private static func failure(_ store: URL, _ action: String, _ path: String) -> StoreToolError {
        StoreToolError(
            .destination, "The rescued store could not be put into the place of \(store.lastPathComponent).",
            advice: "Check the permissions of \(store.deletingLastPathComponent().path) and the free space.",
            url: store, underlying: "could not \(action) \(path): \(String(cString: strerror(errno)))")
    }
}
