import CoreDataStoreFiles
import Foundation

/// Reads files and folders, with errors of this module's type. A file may be an open store, and closing any descriptor of it
/// would release its POSIX locks: all files are opened and closed by ``OpenDatabases``.
package enum FileAccess {
    /// The maximum size of a model file.
    static let sizeLimit = 256 << 20

    /// Returns the path of a file URL. Taken from the URL's text if that is plain: Foundation's conversion is a considerable
    /// part of the cost of opening a store.
    package static func path(of url: URL) -> String {
        var text = url.absoluteString
        return text.withUTF8(plainPath) ?? url.path
    }

    /// Returns the path of a URL; nil if it is not a file URL.
    package static func path(ofFile url: URL) -> String? {
        var text = url.absoluteString
        return text.withUTF8(plainPath) ?? (url.isFileURL ? url.path : nil)
    }

    /// Returns the path in the text of a file URL; nil if it contains escapes.
    private static func plainPath(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        let scheme: StaticString = "file://"
        let slash = UInt8(ascii: "/")
        let start = scheme.utf8CodeUnitCount
        var end = text.count
        if end > 0, text[end - 1] == slash { end -= 1 }
        guard end > start + 1, memcmp(text.baseAddress!, scheme.utf8Start, start) == 0, text[start] == slash,
            text[end - 1] != slash
        else { return nil }
        for index in start..<end {
            let byte = text[index]
            if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { return nil }
        }
        return String(decoding: UnsafeBufferPointer(rebasing: text[start..<end]), as: UTF8.self)
    }

    static func data(at url: URL) throws(ModelFormatError) -> Data {
        try data(atPath: url.path)
    }

    static func data(atPath path: String) throws(ModelFormatError) -> Data { Data(try bytes(atPath: path)) }

    /// Reads a file.
    static func bytes(atPath path: String, limit: Int? = nil) throws(ModelFormatError) -> [UInt8] {
        guard let bytes = try bytesIfPresent(atPath: path, limit: limit) else {
            throw ModelFormatError(.unreadable, "there is no such file", file: path)
        }
        return bytes
    }

    /// Reads a file by system calls, since opening a store waits for its model. Returns nil if the file does not exist.
    static func bytesIfPresent(atPath path: String, limit: Int? = nil) throws(ModelFormatError) -> [UInt8]? {
        let file: Int32
        switch OpenDatabases.openForReading(path, waits: true) {
        case .opened(let descriptor): file = descriptor
        case .isOpen:
            throw ModelFormatError(.malformed, "the file belongs to a store that is open", file: path)
        case .failed(ENOENT), .failed(ENOTDIR): return nil
        case .failed: throw ModelFormatError(.unreadable, "the file cannot be read", file: path)
        }
        defer { OpenDatabases.close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            throw ModelFormatError(.unreadable, "the file cannot be read", file: path)
        }
        guard limit != nil || status.st_size <= sizeLimit else {
            throw ModelFormatError(.limitExceeded, "the file is larger than \(sizeLimit >> 20) MB", file: path)
        }
        // Special files report no size.
        var bytes = [UInt8](repeating: 0, count: min(max(Int(status.st_size), 4096) + 1, limit ?? .max))
        var used = 0
        while true {
            let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress! + used, $0.count - used) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ModelFormatError(.unreadable, "the file cannot be read", file: path) }
            used += count
            // A file with exactly its reported number of bytes has been read completely.
            if count == 0 || used == limit || used == status.st_size { break }
            guard used < bytes.count else {
                guard used <= sizeLimit else {
                    throw ModelFormatError(
                        .limitExceeded, "the file is larger than \(sizeLimit >> 20) MB", file: path)
                }
                bytes.append(contentsOf: repeatElement(0, count: bytes.count))
                continue
            }
        }
        bytes.removeLast(bytes.count - used)
        return bytes
    }

    /// Returns the contents of a folder, without hidden files, sorted by name.
    static func contents(of url: URL) throws(ModelFormatError) -> [URL] {
        try names(inFolder: url.path).map { url.appendingPathComponent($0) }
    }

    /// Returns the names in a folder, without hidden files, sorted.
    ///
    /// - Parameter suffixes: the suffixes of the names to return; empty for all.
    package static func names(
        inFolder path: String, endingIn suffixes: [String] = []
    ) throws(ModelFormatError) -> [String] {
        guard let folder = opendir(path) else {
            throw ModelFormatError(
                .unreadable, errno == ENOENT ? "there is no such folder" : "the folder cannot be read", file: path)
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                // Most names are filtered out, and need not become strings.
                let name = bytes.bindMemory(to: UInt8.self)
                let count = strnlen(bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
                guard count > 0, name[0] != UInt8(ascii: ".") else { return }
                let text = UnsafeBufferPointer(rebasing: name[..<count])
                guard suffixes.isEmpty || suffixes.contains(where: { hasSuffix(text, $0) }) else { return }
                names.append(String(decoding: text, as: UTF8.self))
            }
        }
        return names.count < 2 ? names : names.sorted(byText: \.self, .literal)
    }

    private static func hasSuffix(_ text: UnsafeBufferPointer<UInt8>, _ suffix: String) -> Bool {
        var suffix = suffix
        return suffix.withUTF8 { suffix in
            suffix.count <= text.count
                && memcmp(text.baseAddress! + (text.count - suffix.count), suffix.baseAddress!, suffix.count) == 0
        }
    }

    /// Returns whether the item at a path is a folder; nil if there is no item. Symbolic links are followed.
    package static func isFolder(_ path: String) -> Bool? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    /// Reads the first bytes of a file.
    static func start(ofPath path: String, count: Int) throws(ModelFormatError) -> [UInt8] {
        try bytes(atPath: path, limit: count)
    }

    /// Replaces the item at `url` with a folder of these files. The folder is written next to it first, so that a failure
    /// leaves the old item unchanged. Names may contain one folder.
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
