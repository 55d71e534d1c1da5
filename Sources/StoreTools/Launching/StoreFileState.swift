import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// The identity, size and times of a store's files, which tell whether one of them was changed or replaced.
struct StoreFileState: Equatable {
    /// One line for each suffix of ``suffixes``.
    private let lines: [String]

    static let suffixes = ["", "-wal", "-journal"]

    init(_ store: URL) { lines = Self.suffixes.map { Self.line(store.path + $0) } }

    /// Reads the description of a state; nil if it is none.
    init?(_ text: String) {
        lines = text.components(separatedBy: "\n")
        guard lines.count == Self.suffixes.count else { return nil }
    }

    var description: String { lines.joined(separator: "\n") }

    /// Returns true if a file exists and is the one of this state.
    func isSame(_ suffix: String, of store: URL) -> Bool {
        guard let index = Self.suffixes.firstIndex(of: suffix), lines[index] != Self.none else { return false }
        return lines[index] == Self.line(store.path + suffix)
    }

    private static let none = "none"

    private static func line(_ path: String) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else { return none }
        #if canImport(Darwin)
        let (written, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (written, changed) = (status.st_mtim, status.st_ctim)
        #endif
        return "\(status.st_dev) \(status.st_ino) \(status.st_size) \(written.tv_sec).\(written.tv_nsec) "
            + "\(changed.tv_sec).\(changed.tv_nsec)"
    }
}
