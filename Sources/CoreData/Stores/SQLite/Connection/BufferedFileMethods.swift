import CCoreDataSQLite

/// What SQLite calls to use a ``BufferedFile``: the methods of the system's own file, but for reading. Those after which the
/// file may be another than before have what was read ahead forgotten.
enum BufferedFileMethods {
    /// The methods of a file whose system's kind has those of a version.
    static func table(version: Int32) -> UnsafePointer<sqlite3_io_methods> {
        UnsafePointer(tables + Int(max(1, min(version, latest)) - 1))
    }

    private static let latest: Int32 = 3

    nonisolated(unsafe) private static let tables: UnsafeMutablePointer<sqlite3_io_methods> = {
        let tables = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: Int(latest))
        for version in 1...latest {
            var methods = all
            methods.iVersion = version
            (tables + Int(version - 1)).initialize(to: methods)
        }
        return tables
    }()

    private static let all: sqlite3_io_methods = {
        var methods = sqlite3_io_methods()
        methods.xRead = { file, target, count, offset in
            let own = BufferedFile.system(file)
            return BufferedFile.at(file.unsafelyUnwrapped).pointee.read(
                own.file, into: target.unsafelyUnwrapped, count, from: offset)
        }
        methods.xClose = { file in
            let own = BufferedFile.system(file)
            let result = own.methods.pointee.xClose(own.file)
            BufferedFile.at(file.unsafelyUnwrapped).pointee.close()
            return result
        }
        methods.xFileSize = { file, size in
            let own = BufferedFile.system(file)
            return own.methods.pointee.xFileSize(own.file, size)
        }
        methods.xSync = { file, flags in
            let own = BufferedFile.system(file)
            return own.methods.pointee.xSync(own.file, flags)
        }
        methods.xCheckReservedLock = { file, isReserved in
            let own = BufferedFile.system(file)
            return own.methods.pointee.xCheckReservedLock(own.file, isReserved)
        }
        methods.xSectorSize = { file in
            let own = BufferedFile.system(file)
            return own.methods.pointee.xSectorSize(own.file)
        }
        methods.xDeviceCharacteristics = { file in
            let own = BufferedFile.system(file)
            return own.methods.pointee.xDeviceCharacteristics(own.file)
        }
        methods.xFetch = { file, offset, count, target in
            let own = BufferedFile.system(file)
            return own.methods.pointee.xFetch(own.file, offset, count, target)
        }
        methods.xUnfetch = { file, offset, pages in
            let own = BufferedFile.system(file)
            return own.methods.pointee.xUnfetch(own.file, offset, pages)
        }
        addChanging(to: &methods)
        return methods
    }()

    /// Adds the methods after which the file may be another than before.
    private static func addChanging(to methods: inout sqlite3_io_methods) {
        methods.xWrite = { file, bytes, count, offset in
            let own = BufferedFile.changing(file)
            return own.methods.pointee.xWrite(own.file, bytes, count, offset)
        }
        methods.xTruncate = { file, size in
            let own = BufferedFile.changing(file)
            return own.methods.pointee.xTruncate(own.file, size)
        }
        methods.xLock = { file, lock in
            let own = BufferedFile.changing(file)
            return own.methods.pointee.xLock(own.file, lock)
        }
        methods.xUnlock = { file, lock in
            let own = BufferedFile.changing(file)
            return own.methods.pointee.xUnlock(own.file, lock)
        }
        methods.xFileControl = { file, operation, argument in
            let own = BufferedFile.changing(file)
            if operation == SQLITE_FCNTL_MMAP_SIZE, let argument, argument.load(as: Int64.self) > 0 {
                BufferedFile.at(file.unsafelyUnwrapped).pointee.isMapped = true
            }
            return own.methods.pointee.xFileControl(own.file, operation, argument)
        }
        methods.xShmMap = { file, region, size, isMade, target in
            let own = BufferedFile.changing(file)
            return own.methods.pointee.xShmMap(own.file, region, size, isMade, target)
        }
        methods.xShmLock = { file, offset, count, flags in
            let own = BufferedFile.changing(file)
            return own.methods.pointee.xShmLock(own.file, offset, count, flags)
        }
        methods.xShmBarrier = { file in
            let own = BufferedFile.changing(file)
            own.methods.pointee.xShmBarrier(own.file)
        }
        methods.xShmUnmap = { file, isDeleted in
            let own = BufferedFile.changing(file)
            return own.methods.pointee.xShmUnmap(own.file, isDeleted)
        }
    }
}

extension BufferedFile {
    fileprivate typealias System = (
        file: UnsafeMutablePointer<sqlite3_file>, methods: UnsafePointer<sqlite3_io_methods>
    )

    /// The file of the system's kind and its methods.
    @inline(__always)
    fileprivate static func system(_ file: UnsafeMutablePointer<sqlite3_file>?) -> System {
        let own = own(file.unsafelyUnwrapped)
        return (own, own.pointee.pMethods)
    }

    /// The same, once what was read ahead is forgotten.
    @inline(__always)
    fileprivate static func changing(_ file: UnsafeMutablePointer<sqlite3_file>?) -> System {
        at(file.unsafelyUnwrapped).pointee.forget()
        return system(file)
    }
}
