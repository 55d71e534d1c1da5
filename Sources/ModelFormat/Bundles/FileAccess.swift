import Foundation

/// Reads files and folders, with errors of this module's type.
enum FileAccess {
    /// No model comes near it; what does is not a model.
    static let sizeLimit = 256 << 20

    static func data(at url: URL) throws(ModelFormatError) -> Data {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        if let size = attributes?[.size] as? Int, size > sizeLimit {
            throw ModelFormatError(.limitExceeded, "the file is larger than \(sizeLimit >> 20) MB", file: url.path)
        }
        do {
            return try Data(contentsOf: url)
        } catch {
            let exists = FileManager.default.fileExists(atPath: url.path)
            throw ModelFormatError(
                .unreadable, exists ? "the file cannot be read" : "there is no such file", file: url.path)
        }
    }

    /// What is in a folder, hidden files left out, sorted by name.
    static func contents(of url: URL) throws(ModelFormatError) -> [URL] {
        do {
            let items = try FileManager.default.contentsOfDirectory(
                at: url, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
            return items.sorted { literallyPrecedes($0.lastPathComponent, $1.lastPathComponent) }
        } catch {
            let exists = FileManager.default.fileExists(atPath: url.path)
            throw ModelFormatError(
                .unreadable, exists ? "the folder cannot be read" : "there is no such folder", file: url.path)
        }
    }

    /// The first bytes of a file.
    static func start(of url: URL, count: Int) throws(ModelFormatError) -> Data {
        guard let handle = try? FileHandle(forReadingFrom: url) else {
            throw ModelFormatError(.unreadable, "the file cannot be read", file: url.path)
        }
        defer { try? handle.close() }
        return (try? handle.read(upToCount: count)) ?? Data()
    }

    /// Makes a folder of these files take the place of whatever is there. Built beside it first, so that a failure
    /// leaves the old one. Names may have one folder in them.
    static func replaceFolder(at url: URL, with files: [(name: String, data: Data)]) throws {
        let manager = FileManager.default
        let parent = url.deletingLastPathComponent()
        try manager.createDirectory(at: parent, withIntermediateDirectories: true)
        let new = parent.appendingPathComponent(".\(url.lastPathComponent)-\(UUID().uuidString)")
        do {
            try manager.createDirectory(at: new, withIntermediateDirectories: true)
            for file in files {
                let place = new.appendingPathComponent(file.name)
                try manager.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
                try file.data.write(to: place)
            }
            if manager.fileExists(atPath: url.path) { try manager.removeItem(at: url) }
            try manager.moveItem(at: new, to: url)
        } catch {
            try? manager.removeItem(at: new)
            throw error
        }
    }
}
