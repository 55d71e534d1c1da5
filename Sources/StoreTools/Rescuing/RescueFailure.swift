import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// The cause of a rescue's failure, from the errors of SQLite and of the system.
enum RescueFailure {
    /// Returns the error of a call of SQLite as one that names its cause.
    private static func error(_ error: DatabaseError, _ source: URL, _ target: RescueDestination) -> StoreToolError {
        let destination = target.url
        let name = destination.lastPathComponent
        switch error.primaryCode {
        case SQLITE_FULL: return full(destination, error.description)
        case SQLITE_IOERR where error.isOfWriting:
            return writing(cause(error.systemError, target.temporary), destination, error.description)
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_AUTH:
            return StoreToolError(
                .destination, "The new store \(name) cannot be created or written.",
                advice: "Give the process the permission to write to \(folder(destination)).", url: destination,
                underlying: error.description)
        case SQLITE_NOMEM:
            return StoreToolError(
                .failed, "There is not enough memory to rescue \(source.lastPathComponent).",
                advice: "Close other programs, or rescue the store on another machine.", url: source,
                underlying: error.description)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return StoreToolError(
                .destination, "Another process uses the new store \(name) while it is written.",
                advice: "Choose another destination.", url: destination, underlying: error.description)
        default:
            return StoreToolError(
                .failed, "\(source.lastPathComponent) could not be rescued: SQLite reports \(error.message).",
                advice: "Report this as a bug, with the damaged store.", url: source, underlying: error.description)
        }
    }

    /// Returns an error of the system or of Foundation as one that names its cause.
    static func error(_ error: any Error, _ source: URL, _ target: RescueDestination) -> StoreToolError {
        if let error = error as? StoreToolError { return error }
        if let error = error as? DatabaseError { return Self.error(error, source, target) }
        return writing(systemError(error), target.url, error.localizedDescription)
    }

    /// Returns the number of the system's error; if SQLite did not keep it, that of the limit that a file has reached.
    private static func cause(_ code: Int32, _ file: URL) -> Int32 {
        if [ENOSPC, EDQUOT, EFBIG, EROFS, EIO].contains(code) { return code }
        let margin: UInt64 = 1 << 17
        let size = (try? FileManager.default.attributesOfItem(atPath: file.path))?[.size] as? NSNumber
        if let limit = sizeLimit, (size?.uint64Value ?? 0) + margin > limit { return EFBIG }
        let folder = file.deletingLastPathComponent().path
        let space = (try? FileManager.default.attributesOfFileSystem(forPath: folder))?[.systemFreeSize] as? NSNumber
        if let space, space.uint64Value < margin { return ENOSPC }
        return code
    }

    /// The process's limit on the size of files; nil if there is none.
    private static var sizeLimit: UInt64? {
        var limit = rlimit()
        #if canImport(Glibc)
        let result = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
        let result = getrlimit(RLIMIT_FSIZE, &limit)
        #endif
        guard result == 0, UInt64(limit.rlim_cur) < UInt64(Int64.max) else { return nil }
        return UInt64(limit.rlim_cur)
    }

    /// Returns the number of the system's error behind one of Foundation; 0 if there is none.
    static func systemError(_ error: any Error) -> Int32 {
        var current: NSError? = error as NSError
        for _ in 0..<8 {
            guard let error = current else { break }
            if error.domain == NSPOSIXErrorDomain { return Int32(truncatingIfNeeded: error.code) }
            if error.domain == NSCocoaErrorDomain {
                if error.code == CocoaError.fileWriteOutOfSpace.rawValue { return ENOSPC }
                if error.code == CocoaError.fileWriteNoPermission.rawValue { return EACCES }
                if error.code == CocoaError.fileWriteVolumeReadOnly.rawValue { return EROFS }
            }
            current = error.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        return 0
    }

    /// Returns the error of a write that failed.
    static func writing(_ code: Int32, _ file: URL, _ underlying: String) -> StoreToolError {
        let name = file.lastPathComponent
        let cause = code == 0 ? underlying : "\(String(cString: strerror(code))) (\(underlying))"
        switch code {
        case ENOSPC: return full(file, cause)
        case EDQUOT:
            return StoreToolError(
                .destination, "The user's disk quota does not leave enough space to write \(name).",
                advice: "Free space, or choose a destination on another volume.", url: file, underlying: cause)
        case EFBIG:
            return StoreToolError(
                .destination, "\(name) would become larger than the process or the file system allows.",
                advice: "Raise the process's limit on file sizes, or choose a destination on another volume.",
                url: file,
                underlying: cause)
        case EACCES, EPERM, EROFS:
            return StoreToolError(
                .destination, "\(name) cannot be written: the permission is missing, or the volume is read-only.",
                advice: "Choose a folder that can be written.", url: file, underlying: cause)
        default:
            return StoreToolError(
                .destination, "Writing \(name) failed.",
                advice: "Check the volume of \(folder(file)), or choose another destination.", url: file,
                underlying: cause)
        }
    }

    private static func full(_ file: URL, _ underlying: String) -> StoreToolError {
        StoreToolError(
            .destination, "There is not enough space to write \(file.lastPathComponent).",
            advice: "Free as much space as the damaged store takes in \(folder(file)) and in the folder for temporary "
                + "files, or choose a destination on another volume.", url: file, underlying: underlying)
    }

    private static func folder(_ file: URL) -> String { file.deletingLastPathComponent().path }
}
