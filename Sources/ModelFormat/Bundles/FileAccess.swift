import Foundation

/// Reads files and folders, with errors of this module's type.
package enum FileAccess {
    /// No model comes near it; what does is not a model.
    static let sizeLimit = 256 << 20

    /// The path of a file URL. Read off its text where that is the same: Foundation's way costs a good part of opening a
    /// store.
    package static func path(of url: URL) -> String {
        let text = url.absoluteString
        var bytes = text.utf8[...]
        if bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        guard bytes.starts(with: "file:///".utf8), bytes.last != UInt8(ascii: "/"),
            !bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") })
        else { return url.path }
        return String(text[bytes.index(bytes.startIndex, offsetBy: 7)..<bytes.endIndex])
    }

    static func data(at url: URL) throws(ModelFormatError) -> Data {
        try data(atPath: url.path)
    }

    static func data(atPath path: String) throws(ModelFormatError) -> Data { Data(try bytes(atPath: path)) }

    /// The contents of a file, by plain system calls: opening a store waits for its model.
    static func bytes(atPath path: String, limit: Int? = nil) throws(ModelFormatError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw ModelFormatError(
                .unreadable, errno == ENOENT || errno == ENOTDIR ? "there is no such file" : "the file cannot be read",
                file: path)
        }
        defer { close(file) }
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
            if count == 0 || used == limit { break }
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
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix("."), suffixes.isEmpty || suffixes.contains(where: { name.hasSuffix($0) }) else {
                continue
            }
            names.append(name)
        }
        return names.sorted(by: literallyPrecedes)
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
