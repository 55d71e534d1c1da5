import CoreDataRowStorage
import CCoreDataSQLite
import Foundation

/// A file the system does not let this process open or make, where SQLite says no more than that it cannot be opened.
///
/// The codes are those in public logs of Apple's framework: 256 for a store that may not be opened, 512 for one that may not be
/// created, each with the system's number in the reason. Foundation's code for missing permissions is that of the underlying
/// error.
struct PermissionDenial {
    /// The system's number of the error.
    private let number: Int32

    /// nil where the connection's last error is of another kind.
    ///
    /// - Parameter creating: whether the database was to be made if it was not there.
    init?(_ connection: OpaquePointer?, _ path: String, creating: Bool) {
        guard let connection else { return nil }
        var number = sqlite3_system_errno(connection)
        // What SQLite could not make it tries to open, and keeps the second error.
        if number == ENOENT, creating { number = Self.errorOfMaking(path) ?? number }
        self.init(number)
    }

    /// For a file that is not found; nil where there is none, or one that may be looked at.
    init?(lookingFor path: String) {
        var status = stat()
        guard stat(path, &status) != 0 else { return nil }
        self.init(errno)
    }

    private init?(_ number: Int32) {
        guard [EACCES, EPERM, EROFS].contains(number) else { return nil }
        self.number = number
    }

    /// Why no file can be made beside one that could not be made; nil if one can, which is deleted again.
    private static func errorOfMaking(_ path: String) -> Int32? {
        let probe = "\(path).\(UUID().uuidString)"
        let descriptor = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        _ = close(descriptor)
        _ = unlink(probe)
        return nil
    }

    /// For a folder that could not be made.
    init?(_ error: any Error) {
        let error = error as NSError
        guard error.domain == NSCocoaErrorDomain,
            [CocoaError.fileWriteNoPermission.rawValue, CocoaError.fileWriteVolumeReadOnly.rawValue].contains(
                error.code)
        else { return nil }
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
        number = cause.flatMap { Int32(exactly: $0.code) } ?? EACCES
    }

    /// - Parameter isOpening: whether the database itself was to be opened, or a file beside it.
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

    /// The error for a store of any type whose folder could not be made.
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

    /// Whether there is a file, or something that cannot be told from one as its folder may not be searched.
    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 || errno == EACCES
    }
}
