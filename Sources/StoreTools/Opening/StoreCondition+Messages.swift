import Foundation

extension StoreCondition {
    /// The state in one sentence.
    public var message: String { message(for: "The store") }

    /// The next step, in one sentence; nil if nothing is in the way.
    public var advice: String? {
        switch self {
        case .readable: nil
        case .missing: "Check the path."
        case .empty: "Delete the file, or open it with its model: the first save fills it."
        case .logMissing:
            "Copy the file with the suffix “-wal” from where the store was used; if that is lost, rescue what is there."
        case .logOfAnotherStore:
            "Put the right file with the suffix “-wal” beside the store; to do without, move it and the “-shm” away."
        case .logDamaged:
            "Take the file with the suffix “-wal” from a backup; to do without the last changes, move it away."
        case .inUse: "To examine a fixed state, end the program that uses the store, or copy all its files."
        case .locked: "Try again when the other process has finished."
        case .protected: "Try again when the device is unlocked."
        case .noPermission: "Grant read permission for the store, its “-wal” and its “-journal”."
        case .cutShort: "Copy the file again from its source; if that is gone, rescue what is there."
        case .headerDamaged: "Take the file from a backup, or rescue what is there."
        case .notSQLite: "Check that it is the right file."
        case .encrypted: "Decrypt it with the library that wrote it, such as SQLCipher."
        case .notAStore: "Check that it is the right file; other databases can be read with sqlite3."
        case .tooNew: "Use a newer version of this tool."
        }
    }

    /// Returns the state in one sentence with a given subject.
    package func message(for store: String) -> String {
        switch self {
        case .readable: "\(store) can be read."
        case .missing: "\(store) does not exist."
        case .empty: "\(store) is an empty file."
        case .logMissing: "\(store) lacks its log: its content is in a file with the suffix “-wal” that is not here."
        case .logOfAnotherStore: "\(store) has the log of another store, or of another state of this one, beside it."
        case .logDamaged: "\(store) has a log that is damaged: its header is not valid."
        case .inUse: "\(store) is in use: a process has it open and may write to it."
        case .locked: "\(store) is locked: another process is writing to it, or keeps it to itself."
        case .protected: "\(store) is protected while the device is locked."
        case .noPermission: "\(store) or a file beside it must not be read by this process."
        case .cutShort(let expected, let found):
            "\(store) is cut short: it has \(found) bytes of \(expected), as after an interrupted copy."
        case .headerDamaged: "\(store) has a damaged header; the pages after it look like those of an SQLite database."
        case .notSQLite(let kind?): "\(store) is not an SQLite database; it looks like \(kind)."
        case .notSQLite(nil): "\(store) is not an SQLite database."
        case .encrypted: "\(store) seems to be encrypted: it has no header, and its bytes look random."
        case .notAStore: "\(store) is an SQLite database, but not a store of Core Data."
        case .tooNew(let version): "\(store) has a newer format (version \(version)) than this version can read."
        }
    }

    /// The kind of error with which reading fails.
    var errorCode: StoreToolError.Code {
        switch self {
        case .missing: .noFile
        case .empty, .notSQLite, .notAStore, .encrypted: .notAStore
        case .readable, .inUse, .logMissing, .logOfAnotherStore, .logDamaged, .locked, .protected, .noPermission:
            .unavailable
        case .cutShort, .headerDamaged, .tooNew: .failed
        }
    }

    /// Returns the error for a store that is in this state.
    package func error(_ url: URL) -> StoreToolError {
        let isOfOthers = self == .locked || self == .inUse
        let process = isOfOthers ? FileLocks.holders(of: url.path)?.process : nil
        var message = message(for: "The store \(url.lastPathComponent)")
        if let process, message.hasSuffix(".") { message = "\(message.dropLast()) (process \(process))." }
        return StoreToolError(errorCode, message, advice: advice, url: url)
    }
}
