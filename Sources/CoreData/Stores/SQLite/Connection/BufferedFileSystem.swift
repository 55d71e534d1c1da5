import CCoreDataSQLite
import Foundation

/// The system's files, as SQLite uses them, with databases as ``BufferedFile``s. Logs, journals and temporary files are the
/// system's own.
///
/// It is known to SQLite by a name, and nothing but this module's connections use it.
enum BufferedFileSystem {
    /// The name to open a connection with; nil, for what SQLite uses by default, if that is not the system's own files, as in a
    /// program that has put something else in their place, or if SQLite does not take ours on.
    static var name: String? { isRegistered && sqlite3_vfs_find(nil) == system ? chosenName : nil }

    private static let isRegistered: Bool = {
        guard let system, let systemName = system.pointee.zName, strcmp(systemName, "unix") == 0 else { return false }
        let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        own.initialize(to: system.pointee)
        own.pointee.pNext = nil
        own.pointee.zName = UnsafePointer(strdup(chosenName))
        own.pointee.szOsFile = Int32(BufferedFile.room) + system.pointee.szOsFile
        own.pointee.xOpen = { _, name, file, flags, opened in
            BufferedFileSystem.open(name, file.unsafelyUnwrapped, flags, opened)
        }
        return sqlite3_vfs_register(own, 0) == SQLITE_OK
    }()

    private static let chosenName = "coredata-buffered"
    /// The system's own. Asking for it initialises SQLite.
    nonisolated(unsafe) private static let system = sqlite3_vfs_find(nil)

    private static func open(
        _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
        _ opened: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let system else { return SQLITE_CANTOPEN }
        guard flags & SQLITE_OPEN_MAIN_DB != 0 else { return system.pointee.xOpen(system, name, file, flags, opened) }
        let own = BufferedFile.own(file)
        own.pointee.pMethods = nil
        let result = system.pointee.xOpen(system, name, own, flags, opened)
        // SQLite closes a file that has methods, opened or not.
        let methods = own.pointee.pMethods.map { BufferedFileMethods.table(version: $0.pointee.iVersion) }
        BufferedFile.at(file).initialize(to: BufferedFile(methods: methods))
        return result
    }
}
