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
}
