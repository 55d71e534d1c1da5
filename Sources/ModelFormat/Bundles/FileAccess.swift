import CoreDataStoreFiles
import Foundation

/// Reads files and folders, with errors of this module's type. A file may be a store that is open, whose locks closing it would end:
/// all are opened and closed by ``OpenDatabases``.
package enum FileAccess {
    /// No model comes near it; what does is not a model.
    static let sizeLimit = 256 << 20

    /// The path of a file URL. Read off its text where that is the same: Foundation's way costs a good part of opening a
    /// store.
    package static func path(of url: URL) -> String {
        var text = url.absoluteString
        return text.withUTF8(plainPath) ?? url.path
    }

    /// The path of a URL; nil if it is no file URL.
    package static func path(ofFile url: URL) -> String? {
        var text = url.absoluteString
        return text.withUTF8(plainPath) ?? (url.isFileURL ? url.path : nil)
    }

    /// The path in the text of a file URL; nil if it is written in another way there.
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

    /// The contents of a file.
    static func bytes(atPath path: String, limit: Int? = nil) throws(ModelFormatError) -> [UInt8] {
        guard let bytes = try bytesIfPresent(atPath: path, limit: limit) else {
            throw ModelFormatError(.unreadable, "there is no such file", file: path)
        }
        return bytes
    }

    /// The same, by plain system calls: opening a store waits for its model. nil if there is no such file.
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
        // Special files do not tell their size.
        var bytes = [UInt8](repeating: 0, count: min(max(Int(status.st_size), 4096) + 1, limit ?? .max))
        var used = 0
        while true {
            let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress! + used, $0.count - used) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ModelFormatError(.unreadable, "the file cannot be read", file: path) }
            used += count
            // A file that has as many bytes as it says, and no more, ends there.
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

    /// What is in a folder, hidden files left out, sorted by name.
    static func contents(of url: URL) throws(ModelFormatError) -> [URL] {
        try names(inFolder: url.path).map { url.appendingPathComponent($0) }
    }

    /// The names of what is in a folder, hidden files left out, sorted.
    ///
    /// - Parameter suffixes: how the names end that are wanted; empty for all.
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
                // Most names are not wanted, and need not become strings.
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

    /// Whether there is something at a path, and whether that is a folder. Symbolic links are followed.
    package static func isFolder(_ path: String) -> Bool? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    /// The first bytes of a file.
    static func start(ofPath path: String, count: Int) throws(ModelFormatError) -> [UInt8] {
        try bytes(atPath: path, limit: count)
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
