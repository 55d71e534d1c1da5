#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import CoreDataSQLiteStorage
import Foundation

/// An SQLite store, which is made in a folder beside its place, and moved there when it is complete.
final class SQLiteCopyDestination: CopyDestination {
    private let url: URL
    private let folder: URL
    private let target: CopyTarget<SQLiteDriver>
    /// Excludes other processes.
    private let lock: CopyFolderLock
    let isContinued: Bool
    let limits = CopyLimits.Kind.sqlite
    var name: String { url.path }
    var metadata: [String: Any] { target.metadata }
    var session: any StoreSession { target.session }

    /// Returns the folder of an unfinished copy.
    static func folder(of url: URL) -> URL {
        url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).unfinished-copy")
    }

    private static func store(of url: URL) -> URL {
        folder(of: url).appendingPathComponent(url.lastPathComponent)
    }

    /// Opens the unfinished store of a place; returns nil if there is none.
    init?(continuing url: URL, _ source: CopySource) throws {
        guard FileManager.default.fileExists(atPath: Self.folder(of: url).path) else { return nil }
        lock = try CopyFolderLock(Self.folder(of: url), of: url)
        guard let found = try SQLiteDriver.find(StorePlace(Self.store(of: url))) else { return nil }
        try CopyJournal.requireSource(
            source.identifier, in: SQLiteDriver.metadata(of: found).values(), place: url.path)
        (self.url, folder, isContinued) = (url, Self.folder(of: url), true)
        target = try CopyTarget(found, source, nil)
    }

    init(making url: URL, _ source: CopySource, _ journal: CopyJournal) throws {
        (self.url, folder, isContinued) = (url, Self.folder(of: url), false)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        lock = try CopyFolderLock(folder, of: url)
        let model = CopiedModel(source, journal)
        let place = StorePlace(Self.store(of: url))
        target = try CopyTarget(SQLiteDriver.make(place, for: model, source.layouts), source, model)
    }

    /// Removes an unfinished copy.
    static func remove(at url: URL) throws {
        if FileManager.default.fileExists(atPath: folder(of: url).path) {
            let lock = try CopyFolderLock(folder(of: url), of: url)
            defer { withExtendedLifetime(lock) {} }
            try FileManager.default.removeItem(at: folder(of: url))
        }
    }

    func save(_ changes: StoreChanges, after journal: CopyJournal) throws { _ = try session.save(changes) }

    func raiseHighestKeys(to keys: [Int: Int64]) throws { try target.engine.raiseHighestKeys(to: keys) }

    func close() { target.close() }

    /// Moves the files, that of the store last: a killed move is continued.
    func finish() throws {
        close()
        try Self.requirePlace(url)
        let files = FileManager.default
        let names = try files.contentsOfDirectory(atPath: folder.path)
        // Without other connections, closing has emptied the log.
        let log = Self.store(of: url).path + "-wal"
        if let size = try? files.attributesOfItem(atPath: log)[.size] as? NSNumber, size.intValue > 0 {
            throw StoreToolError(
                .unavailable, "Another process has opened the unfinished copy of \(url.lastPathComponent).",
                advice: "End it, then run the same command again.", url: url)
        }
        let place = url.deletingLastPathComponent()
        for name in names where name.hasSuffix("_SUPPORT") {
            try files.moveItem(at: folder.appendingPathComponent(name), to: place.appendingPathComponent(name))
        }
        try files.moveItem(at: Self.store(of: url), to: url)
        try? files.removeItem(at: folder)
    }

    private static func requirePlace(_ url: URL) throws {
        guard FileManager.default.fileExists(atPath: url.path) else { return }
        throw StoreToolError(
            .destination, "There is a file at \(url.path) already.",
            advice: "Move it away, then run the same command again: the copy is complete.", url: url)
    }
}
#endif
