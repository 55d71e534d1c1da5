import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation
import ModelFormat

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

extension StoreFiles {
    /// The place a URL leads to once every symbolic link in it is followed, those in folders included.
    ///
    /// What lies beside a store (its log, its external files, the folder of a migration) is named after the store's path, so a
    /// file that is reached by two paths would have two of each. Every function that takes the URL of a store resolves it first.
    ///
    /// - Returns: the URL as given if it has no links. The file need not exist: then this is where it would be made.
    package static func resolvingLinks(in url: URL) -> URL {
        guard let path = FileAccess.path(ofFile: url) else { return url }
        let place = resolvingLinks(path)
        return place == path ? url : URL(fileURLWithPath: place, isDirectory: false)
    }

    /// The same for a path.
    package static func resolvingLinks(_ path: String) -> String { follow(path, links: 0) }

    /// As many links as the system follows.
    private static let longestChain = 40

    private static func follow(_ path: String, links: Int) -> String {
        if let found = realpath(path, nil) {
            defer { free(found) }
            return String(cString: found)
        }
        // A file that does not exist, at the end of links or in a folder behind some.
        guard errno == ENOENT, links < longestChain, let slash = path.lastIndex(of: "/") else { return path }
        let (folder, name) = (path[..<slash], path[path.index(after: slash)...])
        if let target = destination(ofLink: path) {
            return follow(target.hasPrefix("/") ? target : "\(folder)/\(target)", links: links + 1)
        }
        guard !folder.isEmpty, !["", ".", ".."].contains(name) else { return path }
        return "\(follow(String(folder), links: links + 1))/\(name)"
    }

    private static func destination(ofLink path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let length = readlink(path, start, buffer.count)
            guard length >= 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
        }
    }

    /// Whether a path is a symbolic link itself.
    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Whether two URLs lead to one file, by whatever names: symbolic and hard links are followed. False for a file that does
    /// not exist.
    package static func areSame(_ one: URL, _ other: URL) -> Bool {
        guard one.isFileURL, other.isFileURL, let file = FileIdentity(one.path) else { return false }
        return file == FileIdentity(other.path)
    }
}
