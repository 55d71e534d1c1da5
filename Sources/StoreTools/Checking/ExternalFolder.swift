import CoreDataStoreFiles
import Foundation

/// The folder beside a store with the files of large values.
struct ExternalFolder {
    let url: URL
    /// The hidden folder's name.
    let name: String
    private let store: URL

    init(_ store: URL) {
        self.store = store.resolvingSymlinksInPath()
        name = ".\(self.store.deletingPathExtension().lastPathComponent)_SUPPORT"
        url = self.store.deletingLastPathComponent().appendingPathComponent(name, isDirectory: true)
            .appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
    }

    var exists: Bool { StoreFiles.exists(url) }

    /// Returns whether there is a file.
    func contains(_ name: String) -> Bool {
        var status = stat()
        return lstat(url.appendingPathComponent(name).path, &status) == 0
    }

    /// Returns the UUIDs of the files, without those of incomplete copies and other programs.
    func files() -> [(name: String, id: UUID)] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).compactMap { name in
            UUID(uuidString: name).map { (name, $0) }
        }
    }

    /// Returns the seconds since a file was written, or arrived in its folder.
    func age(of name: String) -> Double? {
        guard let times = StoreFiles.times(url.appendingPathComponent(name).path) else { return nil }
        return Date().timeIntervalSince1970 - max(times.written, times.changed)
    }

    /// True if another database may use the folder: its name does not contain the store's extension.
    var isShared: Bool {
        let stem = store.deletingPathExtension().lastPathComponent
        let folder = store.deletingLastPathComponent()
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return true }
        return names.contains { name in
            guard name != store.lastPathComponent, (name as NSString).deletingPathExtension == stem,
                !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix)
            else { return false }
            let path = folder.appendingPathComponent(name).path
            guard let start = try? StoreFiles.contents(path, first: 16) else { return StoreFiles.size(path) >= 512 }
            return start == Data("SQLite format 3\0".utf8)
        }
    }

    /// Returns the name of the file that a stored value refers to; nil if it has another form.
    static func fileName(in value: Data) -> (text: String, uuid: UUID)? {
        guard value.count == 38, value.first == 2, value.last == 0 else { return nil }
        let text = String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
        return UUID(uuidString: text).map { (text, $0) }
    }
}

/// Finds files of external values to which no row refers.
struct ExternalFolderRules {
    private let check: CheckRun
    /// The age in seconds below which a file may belong to a save in progress, or to a reader of an older state.
    private static let youngest = 600.0

    init(_ check: CheckRun) { self.check = check }

    func run() throws {
        guard check.schema != nil, let known = check.externalFiles else { return }
        let folder = ExternalFolder(check.url)
        let files = folder.files()
        guard files.count > 0 else { return }
        var candidates = files.filter { !known.contains($0.id) }
        if check.condition == .inUse {
            candidates.removeAll { folder.age(of: $0.name).map { $0 < Self.youngest } ?? true }
        }
        guard !candidates.isEmpty, !folder.isShared, let others = try named() else { return }
        candidates.removeAll { others.contains($0.id) }
        guard !candidates.isEmpty else { return }
        let names = candidates.map(\.name).sorted()
        check.add(
            StoreFinding(
                .orphanedFile, count: names.count,
                "No row refers to \(names[0])\(names.count > 1 ? " and other files" : "") in "
                    + "\(folder.name)/\(folder.url.lastPathComponent).",
                cause: "A program ended before it saved, or rows were deleted without Core Data.", remedy: .mended))
    }

    /// Returns the files that are named anywhere, also in tables and columns that the model lacks; nil if not all rows could
    /// be read.
    private func named() throws -> Set<UUID>? {
        var names: Set<UUID> = []
        for (table, columns) in check.facts.dataColumns {
            for column in columns {
                let name = column.quotedIdentifier
                let isComplete = try check.reading(table) {
                    let rows = try check.database.prepare(
                        "SELECT \(name) FROM \(table.quotedIdentifier) WHERE length(\(name)) = 38")
                    while try rows.step() {
                        if let file = rows.data(0).flatMap(ExternalFolder.fileName) { names.insert(file.uuid) }
                    }
                }
                guard isComplete else { return nil }
            }
        }
        return names
    }
}
