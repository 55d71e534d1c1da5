import CoreDataRowStorage
import CCoreDataSQLite
import Foundation

/// A missing permission to open or create a file, where SQLite reports only that the file cannot be opened.
///
/// The codes are those in public logs of Apple's framework: 256 for a store that may not be opened, 512 for one that may not
/// be created, each with the system's `errno` in the reason. The underlying error has Foundation's code for missing
/// permissions.
struct PermissionDenial {
    /// The `errno` of the failure.
    private let number: Int32

    /// Creates the denial behind a connection's last error; returns nil if that error is of another kind.
    ///
    /// - Parameter creating: whether the database was to be created if it did not exist.
    init?(_ connection: OpaquePointer?, _ path: String, creating: Bool) {
        guard let connection else { return nil }
        var number = sqlite3_system_errno(connection)
        // If SQLite cannot create a file it tries to open it, and keeps the second error.
        if number == ENOENT, creating { number = Self.errorOfMaking(path) ?? number }
        self.init(number)
    }

    /// Creates the denial that keeps this process from reading a file's status; returns nil if there is none.
    init?(lookingFor path: String) {
        var status = stat()
        guard stat(path, &status) != 0 else { return nil }
        self.init(errno)
    }

    private init?(_ number: Int32) {
        guard [EACCES, EPERM, EROFS].contains(number) else { return nil }
        self.number = number
    }

    /// Returns the `errno` of creating a file in the same folder; nil if that succeeds. The probe file is deleted again.
    private static func errorOfMaking(_ path: String) -> Int32? {
        let probe = "\(path).\(UUID().uuidString)"
        let descriptor = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        _ = close(descriptor)
        _ = unlink(probe)
        return nil
    }

    /// Creates the denial behind an error of creating a folder; returns nil if that error is of another kind.
    init?(_ error: any Error) {
        let error = error as NSError
        guard error.domain == NSCocoaErrorDomain,
            [CocoaError.fileWriteNoPermission.rawValue, CocoaError.fileWriteVolumeReadOnly.rawValue].contains(
                error.code)
        else { return nil }
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
        number = cause.flatMap { Int32(exactly: $0.code) } ?? EACCES
    }

    /// Returns the error for the file at `path`.
    ///
    /// - Parameter isOpening: whether the database itself was to be opened, and not a file beside it.
    func error(path: String, writing: Bool, isOpening: Bool = true, result: Int32 = SQLITE_CANTOPEN) -> NSError {
        let (name, folder) = ((path as NSString).lastPathComponent, (path as NSString).deletingLastPathComponent)
        let isThere = Self.isThere(path)
        let makes = writing && !(isThere && isOpening)
        let system = String(cString: strerror(number))
        let underlying = CocoaError(
            makes ? .fileWriteNoPermission : .fileReadNoPermission,
            userInfo: [
                NSFilePathErrorKey: path, NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(number)),
            ])
        let (description, advice) =
            if !makes {
                (
                    "The store “\(name)” could not be opened: this process may not read it.",
                    "Give this process the permission to read and write \(path), and to search the folder \(folder)."
                )
            } else if isThere {
                (
                    "The store “\(name)” could not be opened: this process may not make files beside it.",
                    "Give this process the permission to write to the folder \(folder), or open the store with "
                        + "NSReadOnlyPersistentStoreOption."
                )
            } else {
                (
                    "The store “\(name)” could not be created: this process may not write to its folder.",
                    "Give this process the permission to write to the folder \(folder), or create the store elsewhere."
                )
            }
        return CoreDataError.make(
            makes ? CocoaError.fileWriteUnknown.rawValue : CocoaError.fileReadUnknown.rawValue,
            description: description, reason: "\(path): \(system) (\(number)).", advice: advice, underlying: underlying,
            userInfo: [
                NSSQLiteErrorDomain: Int(SQLITE_CANTOPEN), SQLiteFailure.extendedCodeKey: Int(result),
                NSFilePathErrorKey: path,
            ])
    }

    /// Returns the error for a store of any type in a folder that could not be created.
    func folderError(store path: String) -> NSError {
        let folder = (path as NSString).deletingLastPathComponent
        let system = String(cString: strerror(number))
        return CoreDataError.make(
            CocoaError.fileWriteUnknown.rawValue,
            description:
                "The store “\((path as NSString).lastPathComponent)” could not be created: this process may not "
                + "make its folder.",
            reason: "\(folder): \(system) (\(number)).",
            advice:
                "Make the folder \(folder) and give this process the permission to write to it, or create the store "
                + "elsewhere.",
            underlying: CocoaError(
                .fileWriteNoPermission,
                userInfo: [
                    NSFilePathErrorKey: folder,
                    NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(number)),
                ]),
            userInfo: [NSFilePathErrorKey: path])
    }

    /// Returns true if the file exists, or if its folder may not be searched, so that its existence is unknown.
    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 || errno == EACCES
    }
}
