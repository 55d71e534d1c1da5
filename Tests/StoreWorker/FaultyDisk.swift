import CCoreDataSQLite
import Foundation

/// A disk whose writes can be made to fail: SQLite's own file functions, with those that change a file counted.
///
/// For the whole process; files opened before ``install()`` are not concerned.
enum FaultyDisk {
    enum Fault {
        /// The operation fails with SQLite's code.
        case failure(Int32)
        /// The process ends before the operation.
        case crash
    }

    // One thread writes in the commands that use this.
    nonisolated(unsafe) private static var original: UnsafeMutablePointer<sqlite3_vfs>?
    nonisolated(unsafe) private static var plain: sqlite3_io_methods?
    nonisolated(unsafe) private static var tables:
        [UnsafePointer<sqlite3_io_methods>: UnsafeMutablePointer<sqlite3_io_methods>] = [:]
    private static let lock = NSLock()
    nonisolated(unsafe) private static var disk = sqlite3_vfs()
    nonisolated(unsafe) private(set) static var operations = 0
    nonisolated(unsafe) private static var fault: (at: Int, Fault)?

    /// Makes it the disk of all files opened from now on.
    static func install() {
        original = sqlite3_vfs_find(nil)
        guard let original else { return }
        disk = original.pointee
        disk.zName = UnsafePointer(strdup("faulty"))
        disk.pNext = nil
        disk.xOpen = { _, name, file, flags, outFlags in
            guard let original = FaultyDisk.original else { return SQLITE_ERROR }
            let result = original.pointee.xOpen(original, name, file, flags, outFlags)
            if result == SQLITE_OK, let file, let own = file.pointee.pMethods { FaultyDisk.replace(own, of: file) }
            return result
        }
        disk.xDelete = { _, name, sync in
            guard let original = FaultyDisk.original else { return SQLITE_ERROR }
            if let code = FaultyDisk.count(SQLITE_IOERR) { return code }
            return original.pointee.xDelete(original, name, sync)
        }
        withUnsafeMutablePointer(to: &disk) { _ = sqlite3_vfs_register($0, 1) }
    }

    /// Gives a file our functions. SQLite has a table of functions for databases and one for logs; writing is the same.
    private static func replace(
        _ own: UnsafePointer<sqlite3_io_methods>, of file: UnsafeMutablePointer<sqlite3_file>
    ) {
        // Connections of other threads open files too.
        lock.lock()
        defer { lock.unlock() }
        if plain == nil { plain = own.pointee }
        if let known = tables[own] {
            file.pointee.pMethods = UnsafePointer(known)
            return
        }
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        tables[own] = methods
        methods.initialize(to: own.pointee)
        methods.pointee.xWrite = { file, bytes, count, offset in
            FaultyDisk.count(SQLITE_IOERR) ?? FaultyDisk.plain!.xWrite(file, bytes, count, offset)
        }
        methods.pointee.xSync = { file, flags in
            FaultyDisk.count(SQLITE_IOERR) ?? FaultyDisk.plain!.xSync(file, flags)
        }
        methods.pointee.xTruncate = { file, size in
            FaultyDisk.count(SQLITE_IOERR) ?? FaultyDisk.plain!.xTruncate(file, size)
        }
        file.pointee.pMethods = UnsafePointer(methods)
    }

    /// Lets the operation of that number, counted from now, go wrong.
    static func arm(at number: Int, _ fault: Fault) {
        operations = 0
        self.fault = (number, fault)
    }

    static func disarm() { fault = nil }

    /// The code to fail with; nil to go on.
    private static func count(_ plain: Int32) -> Int32? {
        operations += 1
        guard let fault, operations == fault.at else { return nil }
        switch fault.1 {
        case .failure(let code): return code == 0 ? plain : code
        case .crash:
            kill(getpid(), SIGKILL)
            return plain
        }
    }
}
