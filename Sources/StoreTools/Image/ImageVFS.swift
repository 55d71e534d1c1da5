import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

extension Database {
    /// Opens a database over the pages of an image, read-only. No file is created or locked.
    ///
    /// - Throws: ``DatabaseError``.
    package convenience init(_ image: FileImage) throws {
        let name = ImageVFS.add(image)
        defer { ImageVFS.remove(name) }
        guard ImageVFS.registration == SQLITE_OK else { throw DatabaseError(ImageVFS.registration, nil, sql: nil) }
        try self.init(
            "file:\(name)?immutable=1", flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, vfs: ImageVFS.name)
        try distrust(fileSize: Int64(image.pageCount) * Int64(image.pageSize), allocatedSize: image.allocatedSize)
    }
}

/// A read-only VFS (sqlite.org/vfs.html) over images. Temporary files, which sorting may need, are those of the default VFS.
enum ImageVFS {
    static let name = "storetools-image"

    // MARK: Images to be opened

    private static let lock = NSLock()
    private nonisolated(unsafe) static var images: [String: FileImage] = [:]
    private nonisolated(unsafe) static var count = 0

    /// Gives an image a name by which it is opened.
    static func add(_ image: FileImage) -> String {
        lock.lock()
        defer { lock.unlock() }
        count += 1
        let name = "/storetools-image-\(count)"
        images[name] = image
        return name
    }

    static func remove(_ name: String) {
        lock.lock()
        let image = images.removeValue(forKey: name)
        lock.unlock()
        // The last reference closes files, which takes the lock of open databases.
        withExtendedLifetime(image) {}
    }

    private static func image(_ name: String) -> FileImage? {
        lock.lock()
        defer { lock.unlock() }
        return images[name]
    }

    // MARK: Registration

    /// SQLite's result code of the registration, which takes place at the first use.
    static let registration: Int32 = {
        let result = sqlite3_initialize()
        guard result == SQLITE_OK else { return result }
        guard let standard = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: make(over: standard))
        return sqlite3_vfs_register(vfs, 0)
    }()

    private static func make(over standard: UnsafeMutablePointer<sqlite3_vfs>) -> sqlite3_vfs {
        var vfs = sqlite3_vfs()
        vfs.iVersion = 1
        vfs.szOsFile = max(standard.pointee.szOsFile, Int32(MemoryLayout<ImageVFSFile>.size))
        vfs.mxPathname = max(standard.pointee.mxPathname, 512)
        vfs.zName = UnsafePointer(strdup(name))
        vfs.pAppData = UnsafeMutableRawPointer(standard)
        vfs.xOpen = { vfs, name, file, flags, outFlags in
            guard let file else { return SQLITE_MISUSE }
            guard let name, flags & SQLITE_OPEN_MAIN_DB != 0 else {
                return ImageVFS.openTemporary(vfs, name, file, flags, outFlags)
            }
            file.pointee.pMethods = nil
            guard let image = ImageVFS.image(String(cString: name)) else { return SQLITE_CANTOPEN }
            outFlags?.pointee = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB
            ImageVFSFile.open(file, image)
            return SQLITE_OK
        }
        vfs.xDelete = { _, _, _ in SQLITE_READONLY }
        // Neither a journal nor a log is beside an image.
        vfs.xAccess = { _, _, _, result in
            result?.pointee = 0
            return SQLITE_OK
        }
        vfs.xFullPathname = { _, name, capacity, result in
            guard let name, let result else { return SQLITE_MISUSE }
            let count = strlen(name)
            guard count < Int(capacity) else { return SQLITE_CANTOPEN }
            memcpy(result, name, count + 1)
            return SQLITE_OK
        }
        vfs.xDlOpen = { _, _ in nil }
        vfs.xDlError = { _, capacity, text in if capacity > 0 { text?.pointee = 0 } }
        vfs.xDlSym = { _, _, _ in nil }
        vfs.xDlClose = { _, _ in }
        vfs.xRandomness = { vfs, count, bytes in
            let standard = ImageVFS.standard(vfs)
            return standard?.pointee.xRandomness?(standard, count, bytes) ?? 0
        }
        vfs.xSleep = { vfs, microseconds in
            let standard = ImageVFS.standard(vfs)
            return standard?.pointee.xSleep?(standard, microseconds) ?? 0
        }
        vfs.xCurrentTime = { vfs, time in
            let standard = ImageVFS.standard(vfs)
            return standard?.pointee.xCurrentTime?(standard, time) ?? SQLITE_ERROR
        }
        vfs.xGetLastError = { _, _, _ in 0 }
        return vfs
    }

    private static func standard(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> UnsafeMutablePointer<sqlite3_vfs>? {
        vfs?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self)
    }

    /// Opens a file without a name that SQLite deletes when it closes it.
    private static func openTemporary(
        _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        file.pointee.pMethods = nil
        guard name == nil, let standard = standard(vfs), let open = standard.pointee.xOpen else {
            return SQLITE_CANTOPEN
        }
        return open(standard, nil, file, flags, outFlags)
    }
}
