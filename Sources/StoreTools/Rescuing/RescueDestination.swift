import Foundation

/// The files of a new store, under temporary names until it is complete.
struct RescueDestination {
    let url: URL
    /// The store's file while it is being written.
    let temporary: URL

    /// Checks that nothing exists at the destination, and that its folder does.
    init(_ url: URL) throws {
        self.url = url
        let folder = url.deletingLastPathComponent()
        temporary = folder.appendingPathComponent(".\(UUID().uuidString)-\(url.lastPathComponent)")
        for file in Self.sideFiles(of: url) + [url, Self.leftovers(of: url), Self.support(of: url)]
        where (try? FileManager.default.attributesOfItem(atPath: file.path)) != nil {
            throw StoreToolError(
                .destination, "\(file.lastPathComponent) exists already.",
                advice: "Choose another destination: a rescue replaces no file.", url: file)
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw StoreToolError(
                .destination, "The folder \(folder.path) of the destination does not exist.",
                advice: "Create it first.", url: folder)
        }
        guard FileManager.default.isWritableFile(atPath: folder.path) else {
            throw StoreToolError(
                .destination, "The folder \(folder.path) of the destination cannot be written.",
                advice: "Choose a folder that can be written.", url: folder)
        }
    }

    private static func sideFiles(of url: URL) -> [URL] {
        ["-wal", "-shm", "-journal"].map { URL(fileURLWithPath: url.path + $0) }
    }

    /// Returns the folder of a store's external values.
    static func externalData(of url: URL) -> URL {
        support(of: url).appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
    }

    private static func support(of url: URL) -> URL {
        let name = url.deletingPathExtension().lastPathComponent
        return url.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
    }

    static func leftovers(of url: URL) -> URL { URL(fileURLWithPath: url.path + ".leftovers.ndjson") }

    /// Gives the files their names, the store last.
    func finish() throws {
        var moved: [URL] = []
        do {
            for (from, to) in [
                (Self.support(of: temporary), Self.support(of: url)),
                (Self.leftovers(of: temporary), Self.leftovers(of: url)), (temporary, url),
            ] where FileManager.default.fileExists(atPath: from.path) {
                try FileManager.default.moveItem(at: from, to: to)
                moved.append(to)
            }
        } catch {
            for file in moved { try? FileManager.default.removeItem(at: file) }
            throw StoreToolError(
                .destination, "The new store could not be named \(url.lastPathComponent).",
                advice: "Check that nothing else writes into the folder.", url: url,
                underlying: error.localizedDescription)
        }
    }

    /// Removes everything that was written.
    func discard() {
        for file in Self.sideFiles(of: temporary) + [
            temporary, Self.leftovers(of: temporary), Self.support(of: temporary),
        ] {
            try? FileManager.default.removeItem(at: file)
        }
    }
}
