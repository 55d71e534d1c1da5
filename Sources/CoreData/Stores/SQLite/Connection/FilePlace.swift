import CCoreDataSQLite
import Foundation

/// Tells at little cost that a file has not been deleted, moved or replaced since it was last found at its path.
///
/// To look a path up takes the system three times as long as to look at a file by its descriptor, and every save asks.
/// A file that is deleted or replaced loses its name, and one that is moved has the time of its inode's last change
/// changed, so as long as both stay, the path need not be looked up. What else changes the time, such as SQLite's writing
/// to the file itself, merely has the path looked up again. Folders above the file may be moved without a trace in its
/// inode; so may the file itself, on some file systems or right after another change. For these the path is looked up
/// every now and then.
struct FilePlace: ~Copyable {
    /// How long, in nanoseconds, the path is not looked up.
    private static let patience: Int64 = 100_000_000

    /// Stands for the file without opening it; -1 for none.
    private var descriptor: Int32 = -1
    /// When the inode changed last, as of the last look.
    private var changed: Int64 = 0
    /// The length of the file in bytes, as of the last look; nil where it is not known.
    private(set) var size: Int64?
    /// When the path is to be looked up again in any case.
    private var nextLook: Int64 = 0

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether the file can be taken to be where it was when ``note(_:)`` was last called.
    var isUnchanged: Bool {
        guard descriptor >= 0, Self.now() < nextLook, let status = Self.status(descriptor) else {
            return false
        }
        // A change within one tick of the file system's clock leaves the time as it is.
        return status.st_nlink > 0 && Self.nanoseconds(status.st_ctim) == changed && Int64(status.st_size) == size
    }

    /// To be called before it is checked that the file at `path` is the right one, so that nothing happens unseen in
    /// between.
    mutating func note(_ path: UnsafePointer<CChar>?) {
        if descriptor < 0, let path { descriptor = csqlite_open_place(path) }
        guard let status = Self.status(descriptor) else { return forget() }
        changed = Self.nanoseconds(status.st_ctim)
        size = Int64(status.st_size)
        nextLook = Self.now() + Self.patience
    }

    /// To be called when the file at the path was the wrong one, or not as it should be.
    mutating func forget() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        size = nil
    }

    private static func status(_ descriptor: Int32) -> stat? {
        guard descriptor >= 0 else { return nil }
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return nanoseconds(time)
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
