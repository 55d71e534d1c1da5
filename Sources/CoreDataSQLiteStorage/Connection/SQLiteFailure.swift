import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataStoreFiles
import Foundation

/// Converts SQLite's result codes to Core Data's errors.
enum SQLiteFailure {
    /// The key of the statement's text in an error's `userInfo`.
    static let sqlKey = "NSSQLiteErrorStatement"
    /// The key of SQLite's extended result code.
    static let extendedCodeKey = "NSSQLiteErrorExtendedCode"
    /// The extended result codes, which C defines by macros that Swift does not import.
    static let uniqueConstraint: Int32 = SQLITE_CONSTRAINT | 8 << 8

    /// Returns the error for one of SQLite's result codes.
    ///
    /// - Parameters:
    ///   - result: the result code.
    ///   - handle: the connection that has the message.
    ///   - writing: whether to return Foundation's write error instead of its read error.
    ///   - opening: the access mode, if the error occurred while opening a connection.
    static func error(
        _ result: Int32, handle: OpaquePointer?, path: String, sql: String?, writing: Bool, opening: SQLiteAccess? = nil
    ) -> NSError {
        let primary = result & 0xFF
        // A backup returns codes for which it sets no message on the connection.
        if primary == SQLITE_CANTOPEN, opening != nil || writing,
            let denial = PermissionDenial(handle, path, creating: opening == .create)
        {
            return denial.error(path: path, writing: writing, isOpening: opening != nil, result: result)
        }
        let isOfConnection = handle.map { sqlite3_errcode($0) & 0xFF == primary } ?? false
        let message = String(cString: isOfConnection ? sqlite3_errmsg(handle) : sqlite3_errstr(result))
        let (code, description, advice) = meaning(of: primary, extended: result, path: path, writing: writing)
        var info: [String: Any] = [
            NSSQLiteErrorDomain: Int(primary),
            extendedCodeKey: Int(result),
            NSFilePathErrorKey: path,
        ]
        info[sqlKey] = sql
        return CoreDataError.make(
            code, description: description, reason: "SQLite error \(primary) (\(result)): \(message)", advice: advice,
            userInfo: info)
    }

    /// Returns the error for a file that was deleted, moved or replaced while it was open.
    static func fileIsGone(_ path: String) -> NSError {
        storeError(
            CocoaError.fileNoSuchFile.rawValue, path: path, description: "The store's file is gone.",
            reason: "It was deleted, moved or replaced while the store was open; nothing was written.",
            advice: "Remove the store from its coordinator before touching its files, and add it again.")
    }

    /// Returns the error for text that is not exactly one statement.
    static func notOneStatement(_ sql: String, path: String) -> NSError {
        storeError(
            NSSQLiteError, path: path, description: "A statement for the store is not valid.",
            reason: "Its text is not one statement of SQL: \(sql)",
            userInfo: [NSSQLiteErrorDomain: Int(SQLITE_ERROR), extendedCodeKey: Int(SQLITE_ERROR), sqlKey: sql])
    }

    /// Returns the error for opening one of the files that SQLite keeps beside a database.
    static func liesBesideStore(_ path: String) -> NSError {
        storeError(
            CocoaError.fileReadCorruptFile.rawValue, path: path,
            description: "The file “\((path as NSString).lastPathComponent)” is not a store.",
            reason: "It belongs to a store that is open: SQLite keeps it beside that.",
            advice: "Give the URL of the store itself.")
    }

    /// Returns the error for using a store after its removal.
    static func isClosed(_ path: String) -> NSError {
        storeError(
            NSPersistentStoreOperationError, path: path, description: "The store is not open.",
            reason: "It was removed from its coordinator.")
    }

    /// Returns the error for removing a store within an exclusive write to it.
    static func isRemovedWhileWritten(_ path: String) -> NSError {
        storeError(
            NSPersistentStoreOperationError, path: path,
            description: "The store at \(path) was removed within an exclusive write to it.",
            reason: "What was not saved before is lost.",
            advice: "Remove the store when the exclusive write has returned.")
    }

    /// Returns the error for a file that was truncated while it was open.
    static func fileIsCutOff(_ path: String, size: Int64) -> NSError {
        storeError(
            CocoaError.fileReadCorruptFile.rawValue, path: path,
            description: "The store “\((path as NSString).lastPathComponent)” is damaged.",
            reason: "Its file was cut off to \(size) bytes while the store was open; nothing was written.",
            advice: "Remove the store from its coordinator and restore it from a backup.")
    }

    /// Returns an error about a store's file that has no SQLite code.
    static func storeError(
        _ code: Int, path: String, description: String, reason: String, advice: String? = nil,
        userInfo: [String: Any] = [:]
    ) -> NSError {
        CoreDataError.make(
            code, description: description, reason: reason, advice: advice,
            userInfo: userInfo.merging([NSFilePathErrorKey: path]) { own, _ in own })
    }

    /// The keys of the size of the refused value and of the limit, in the error for a value that is too long.
    static let valueLengthKey = "NSSQLiteErrorValueLength"
    static let lengthLimitKey = "NSSQLiteErrorLengthLimit"

    /// Returns the error for a value or row that exceeds SQLite's length limit.
    static func valueTooLong(
        _ bytes: Int?, limit: Int, path: String, entity: String?, attribute: String?, row: Int64?
    ) -> NSError {
        let place = [entity, attribute].compactMap { $0 }.joined(separator: ".")
        let subject = attribute == nil ? "The row" : "The value"
        let owner = [
            place.isEmpty ? nil : "of \(place)", row.map { $0 > 0 ? "with primary key \($0)" : "that is new" },
        ]
        var info: [String: Any] = [NSSQLiteErrorDomain: Int(SQLITE_TOOBIG), lengthLimitKey: limit]
        info[valueLengthKey] = bytes
        info[NSValidationKeyErrorKey] = attribute
        return CoreDataError.make(
            NSSQLiteError,
            description:
                "\(subject) \((owner.compactMap { $0 } + ["is too long for the store"]).joined(separator: " ")).",
            reason: "\(bytes.map { "It has \($0) bytes; " } ?? "")SQLite takes up to \(limit) bytes a value and a row. "
                + "Nothing was written.",
            advice: "Split the value, keep it in a file of its own, or let the attribute allow external storage.",
            entity: entity, key: attribute,
            userInfo: info.merging([NSFilePathErrorKey: path]) { own, _ in own })
    }

    /// Returns the parts of the error for a missing index of the write-ahead log. Even reading needs the index, which
    /// coordinates readers and writers.
    private static func indexIsMissing(_ path: String) -> (code: Int, description: String, advice: String?) {
        let name = (path as NSString).lastPathComponent
        let folder = (path as NSString).deletingLastPathComponent
        return (
            CocoaError.fileReadNoPermission.rawValue,
            "The store “\(name)” could not be opened for reading: the file “\(name)-shm” cannot be made or used.",
            "Allow this process to write to the folder \(folder); or copy the store with replacePersistentStore, in a process "
                + "that may write there, and open the copy; or make it with the pragma journal_mode = DELETE, which needs no "
                + "files beside it."
        )
    }

    private static func meaning(
        of primary: Int32, extended: Int32, path: String, writing: Bool
    ) -> (code: Int, description: String, advice: String?) {
        let name = (path as NSString).lastPathComponent
        let isKeptFromIndex = primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY
        if isKeptFromIndex, !writing, FileManager.default.isReadableFile(atPath: path),
            !StoreFiles.isFolderWritable(of: path)
        {
            return indexIsMissing(path)
        }
        switch primary {
        case SQLITE_NOTADB:
            return (
                CocoaError.fileReadCorruptFile.rawValue, "The file “\(name)” is not a database.",
                "Check that the URL is that of a Core Data SQLite store."
            )
        case SQLITE_CORRUPT:
            return (
                CocoaError.fileReadCorruptFile.rawValue, "The store “\(name)” is damaged.",
                "Restore it from a backup; the file was left as it is."
            )
        case SQLITE_FULL:
            return (
                CocoaError.fileWriteOutOfSpace.rawValue, "The store “\(name)” could not be saved: the disk is full.",
                "Free some space and save again."
            )
        case SQLITE_READONLY:
            return (
                CocoaError.fileWriteNoPermission.rawValue, "The store “\(name)” may not be written.",
                "Check the permissions of the file and its folder."
            )
        case SQLITE_PERM, SQLITE_AUTH:
            let code = writing ? CocoaError.fileWriteNoPermission : CocoaError.fileReadNoPermission
            return (code.rawValue, "The store “\(name)” may not be accessed.", nil)
        case SQLITE_CANTOPEN:
            if !FileManager.default.fileExists(atPath: path), !writing {
                return (CocoaError.fileReadNoSuchFile.rawValue, "The store “\(name)” does not exist.", nil)
            }
            let code = writing ? CocoaError.fileWriteUnknown : CocoaError.fileReadUnknown
            return (
                code.rawValue, "The store “\(name)” could not be opened.",
                "Check that its folder exists and may be written."
            )
        case SQLITE_BUSY, SQLITE_LOCKED:
            return (
                NSPersistentStoreTimeoutError, "The store “\(name)” is busy.",
                "Another process holds it for longer than the time given by NSPersistentStoreTimeoutOption. Try again when "
                    + "it has finished, or give more time."
            )
        case SQLITE_IOERR:
            let code = writing ? CocoaError.fileWriteUnknown : CocoaError.fileReadUnknown
            return (code.rawValue, "Reading or writing the store “\(name)” failed.", nil)
        case SQLITE_NOMEM:
            return (NSSQLiteError, "There is not enough memory.", nil)
        default:
            return (NSSQLiteError, "SQLite reported an error on the store “\(name)”.", nil)
        }
    }
}
