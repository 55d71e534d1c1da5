/// The state of a store's files before anything is called damage.
public enum StoreCondition: Sendable, Hashable {
    /// The store can be read.
    case readable
    /// There is no file.
    case missing
    /// The file is empty, as after a program ended before its first save.
    case empty
    /// The log (`-wal`) that the file needs is not beside it.
    case logMissing
    /// The log beside the file belongs to another database, or to an older state of this one.
    case logOfAnotherStore
    /// The log beside the file has no valid header: it is damaged, or is no log.
    case logDamaged
    /// Another process, or this one, has the store open and may be writing to it. It can be read nevertheless.
    case inUse
    /// Another process holds a lock that keeps the store from being read now.
    case locked
    /// The file is protected while the device is locked.
    case protected
    /// The process has no permission to read the file or its log.
    case noPermission
    /// The file ends before its last page, as after an interrupted copy.
    case cutShort(expectedBytes: Int64, foundBytes: Int64)
    /// The file's header is damaged, but its pages look like those of an SQLite database.
    case headerDamaged
    /// The file is not an SQLite database; `kind` says what it looks like, if known.
    case notSQLite(kind: String?)
    /// The file has no recognizable header and looks random, as encrypted files do.
    case encrypted
    /// The file is an SQLite database, but no store of Core Data.
    case notAStore
    /// A newer version of the framework or of SQLite's format made the file.
    case tooNew(version: Int)
}
