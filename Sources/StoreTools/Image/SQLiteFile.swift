import CoreDataStoreFiles
import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// A database file that is read through SQLite's default VFS (sqlite.org/vfs.html).
///
/// SQLite knows all descriptors that it has opened in this process, also for frameworks that use the same library, and closes
/// none while a connection holds locks on the file. So closing this file releases no locks of theirs. Used by one thread at a
/// time.
final class SQLiteFile {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods
    private let name: UnsafeMutablePointer<CChar>
    private let memory: UnsafeMutableRawPointer

    /// Opens a regular file, for reading unless it `isWritable`.
    init(_ path: String, isWritable: Bool = false) throws(SourceFile.Failure) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw SourceFile.Failure(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        guard sqlite3_initialize() == SQLITE_OK, let vfs = sqlite3_vfs_find(nil), let open = vfs.pointee.xOpen else {
            throw .system(errno: EIO)
        }
        // As SQLite passes it: after and before zeros, without parameters. It must stay valid until the file is closed.
        let path = Array((ResolvedPath.resolving(path) ?? path).utf8CString)
        let zeros = [CChar](repeating: 0, count: 8)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: zeros.count * 2 + path.count, alignment: 8)
        let characters = memory.initializeMemory(
            as: CChar.self, from: zeros + path + zeros, count: zeros.count * 2 + path.count)
        name = characters + zeros.count
        self.memory = memory
        let size = max(Int(vfs.pointee.szOsFile), MemoryLayout<sqlite3_file>.size)
        let object = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        memset(object, 0, size)
        file = object.assumingMemoryBound(to: sqlite3_file.self)
        let access = isWritable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        let result = open(vfs, name, file, access | SQLITE_OPEN_MAIN_DB, nil)
        let code = vfs.pointee.xGetLastError?(vfs, 0, nil) ?? 0
        guard result == SQLITE_OK, let methods = file.pointee.pMethods?.pointee else {
            if let close = file.pointee.pMethods?.pointee.xClose { _ = close(file) }
            object.deallocate()
            memory.deallocate()
            switch result & 0xff {
            // Apple's library returns this for a file that is protected while the device is locked.
            case SQLITE_AUTH: throw .system(errno: EPERM)
            default: throw SourceFile.Failure(code == 0 ? EACCES : code)
            }
        }
        self.methods = methods
    }

    deinit {
        if let close = methods.xClose { _ = close(file) }
        UnsafeMutableRawPointer(file).deallocate()
        memory.deallocate()
    }

    /// The current size in bytes; nil if the system does not tell it.
    var size: Int64? {
        var size: Int64 = 0
        guard let xFileSize = methods.xFileSize, xFileSize(file, &size) == SQLITE_OK else { return nil }
        return size
    }

    /// Reads bytes at a position. Returns their number, which is less than requested at the end of the file; nil for an error.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int? {
        guard let start = buffer.baseAddress, let xRead = methods.xRead else { return 0 }
        var done = 0
        while done < buffer.count {
            let count = min(buffer.count - done, 1 << 24)
            switch xRead(file, start + done, Int32(count), offset + Int64(done)) {
            case SQLITE_OK: done += count
            case ImageVFSFile.IOError.shortRead:
                // SQLite does not tell how many bytes it has read before the zeros.
                guard let size else { return nil }
                return done + Int(max(0, min(Int64(count), size - offset - Int64(done))))
            default: return nil
            }
        }
        return done
    }

    /// The highest lock that another connection holds, as far as the VFS tells: reading leaves no sign. Takes and releases
    /// the lock of a reader.
    var lockLevel: FileLocks.Level? {
        guard let lock = methods.xLock, let unlock = methods.xUnlock, let isReserved = methods.xCheckReservedLock else {
            return nil
        }
        let result = lock(file, SQLITE_LOCK_SHARED)
        guard result == SQLITE_OK else { return result & 0xff == SQLITE_BUSY ? .exclusive : nil }
        defer { _ = unlock(file, SQLITE_LOCK_NONE) }
        var answer: Int32 = 0
        return isReserved(file, &answer) == SQLITE_OK && answer != 0 ? .reserved : nil
    }

    /// Returns true if another connection, of this process or another, holds a lock on a file, as every connection to a store
    /// with a log does. Takes and releases the lock of a writer; false if the file cannot be written.
    static func isInUse(_ path: String) -> Bool {
        guard let file = try? SQLiteFile(path, isWritable: true), let lock = file.methods.xLock,
            let unlock = file.methods.xUnlock
        else { return false }
        defer { _ = unlock(file.file, SQLITE_LOCK_NONE) }
        for level in [SQLITE_LOCK_SHARED, SQLITE_LOCK_EXCLUSIVE] {
            let result = lock(file.file, level)
            if result != SQLITE_OK { return result & 0xff == SQLITE_BUSY }
        }
        return false
    }
}
