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
    /// Returns the URL with all symbolic links resolved, including those in folders.
    ///
    /// The files beside a store (its log, its external files, the folder of a migration) are named after the store's path, so
    /// a file reached by two paths would have two sets of them. Every function that takes the URL of a store resolves it
    /// first.
    ///
    /// - Returns: the URL as given if it has no links. The file need not exist: the result is then the place where it would
    ///   be created.
    package static func resolvingLinks(in url: URL) -> URL {
        guard let path = FileAccess.path(ofFile: url) else { return url }
        let place = resolvingLinks(path)
        return place == path ? url : URL(fileURLWithPath: place, isDirectory: false)
    }

    /// Returns the path with all symbolic links resolved.
    package static func resolvingLinks(_ path: String) -> String { follow(path, links: 0) }

    /// The maximum number of links to follow, as in the system.
    private static let longestChain = 40

    private static func follow(_ path: String, links: Int) -> String {
        if let found = realpath(path, nil) {
            defer { free(found) }
            return String(cString: found)
        }
        // The path of a missing file, at the end of links or in a folder behind some.
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

    /// Returns true if a path is itself a symbolic link.
    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Returns true if two URLs identify one file, by any symbolic or hard links; false for a file that does not exist.
    package static func areSame(_ one: URL, _ other: URL) -> Bool {
        guard one.isFileURL, other.isFileURL, let file = FileIdentity(one.path) else { return false }
        return file == FileIdentity(other.path)
    }
}
