import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// The file object of SQLite for an image: SQLite's own part, and a reference to what is read.
struct ImageVFSFile {
    /// Extended result codes: Swift does not import their macros.
    enum IOError {
        static let read = SQLITE_IOERR | 1 << 8
        static let shortRead = SQLITE_IOERR | 2 << 8
    }

    private var base: sqlite3_file
    private var reader: Unmanaged<ImageReader>?

    /// Initializes a file object in SQLite's memory.
    static func open(_ file: UnsafeMutablePointer<sqlite3_file>, _ image: FileImage) {
        let reader = Unmanaged.passRetained(ImageReader(image))
        UnsafeMutableRawPointer(file).initializeMemory(
            as: ImageVFSFile.self, to: ImageVFSFile(base: sqlite3_file(pMethods: methods), reader: reader))
    }

    private static func reader(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Unmanaged<ImageReader>? {
        file.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: ImageVFSFile.self).pointee.reader } ?? nil
    }

    private nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {
        var methods = sqlite3_io_methods()
        methods.iVersion = 1
        methods.xClose = { file in
            ImageVFSFile.reader(file)?.release()
            file?.pointee.pMethods = nil
            return SQLITE_OK
        }
        methods.xRead = { file, buffer, count, offset in
            guard let buffer, count >= 0, let reader = ImageVFSFile.reader(file) else { return IOError.read }
            let bytes = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
            return reader._withUnsafeGuaranteedRef { $0.read(offset, into: bytes) }
        }
        methods.xWrite = { _, _, _, _ in SQLITE_READONLY }
        methods.xTruncate = { _, _ in SQLITE_READONLY }
        methods.xSync = { _, _ in SQLITE_OK }
        methods.xFileSize = { file, size in
            guard let reader = ImageVFSFile.reader(file) else { return IOError.read }
            size?.pointee = reader._withUnsafeGuaranteedRef { $0.size }
            return SQLITE_OK
        }
        methods.xLock = { _, _ in SQLITE_OK }
        methods.xUnlock = { _, _ in SQLITE_OK }
        methods.xCheckReservedLock = { _, result in
            result?.pointee = 0
            return SQLITE_OK
        }
        methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        methods.xSectorSize = { _ in 4096 }
        methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_IMMUTABLE }
        let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        pointer.initialize(to: methods)
        return UnsafePointer(pointer)
    }()
}

/// Reads an image as SQLite does: bytes at positions, mostly whole pages, often one after the other.
final class ImageReader {
    private let image: FileImage
    /// The size of the database in bytes.
    let size: Int64
    private let pageSize: Int64
    private var references: TreeReferences
    /// Bytes of the file that were read ahead.
    private let window: UnsafeMutableRawBufferPointer
    private var windowStart: Int64 = 0
    private var windowEnd: Int64 = 0
    /// The end of the last read, to recognize sequential reading.
    private var lastEnd: Int64 = -1

    private static let windowSize = 65_536

    init(_ image: FileImage) {
        self.image = image
        pageSize = Int64(image.pageSize)
        size = pageSize * Int64(image.pageCount)
        references = TreeReferences(image.header, pageCount: image.pageCount)
        window = .allocate(byteCount: Self.windowSize, alignment: 16)
    }

    deinit { window.deallocate() }

    /// Returns SQLite's result code.
    func read(_ offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        guard let start = buffer.baseAddress else { return SQLITE_OK }
        guard offset >= 0, offset < size else {
            buffer.zero(from: 0)
            return ImageVFSFile.IOError.shortRead
        }
        if offset >= windowStart, offset + Int64(buffer.count) <= windowEnd {
            memcpy(start, window.baseAddress! + Int(offset - windowStart), buffer.count)
            lastEnd = offset + Int64(buffer.count)
            return result(offset, buffer)
        }
        do {
            let available = min(Int64(buffer.count), size - offset)
            var done: Int64 = 0
            while done < available {
                let place = offset + done
                let inPage = place % pageSize
                let count = min(pageSize - inPage, available - done)
                let part = UnsafeMutableRawBufferPointer(start: start + Int(done), count: Int(count))
                try readPart(Int(place / pageSize) + 1, inPage, place, part)
                done += count
            }
            buffer.zero(from: Int(available))
            lastEnd = offset + Int64(buffer.count)
            return available == Int64(buffer.count) ? result(offset, buffer) : ImageVFSFile.IOError.shortRead
        } catch {
            return ImageVFSFile.IOError.read
        }
    }

    /// Returns SQLite's result code for bytes that were read.
    @inline(__always)
    private func result(_ offset: Int64, _ buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        guard Int64(buffer.count) == pageSize, offset % pageSize == 0 else { return SQLITE_OK }
        let page = UnsafeRawBufferPointer(buffer)
        return references.accepts(Int(offset / pageSize) + 1, page) ? SQLITE_OK : SQLITE_CORRUPT
    }

    private func readPart(
        _ page: Int, _ inPage: Int64, _ offset: Int64, _ buffer: UnsafeMutableRawBufferPointer
    ) throws {
        if page > 1, inPage == 0, offset == lastEnd {
            let count = image.filePageCount(from: page, limit: Self.windowSize / Int(pageSize))
            if count > 1 {
                windowEnd = 0
                let bytes = UnsafeMutableRawBufferPointer(rebasing: window[..<(count * Int(pageSize))])
                try image.readFile(offset, into: bytes)
                (windowStart, windowEnd) = (offset, offset + Int64(bytes.count))
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<buffer.count]))
                return
            }
        }
        try image.readPage(page, from: Int(inPage), into: buffer)
        if page == 1 { adaptHeader(from: Int(inPage), buffer) }
    }

    /// Changes the header in page 1 so that SQLite reads what is there: without a log, which the image contains, and with the
    /// number of pages that exist.
    private func adaptHeader(from start: Int, _ buffer: UnsafeMutableRawBufferPointer) {
        func set(_ offset: Int, _ byte: UInt8) {
            if offset >= start, offset - start < buffer.count { buffer[offset - start] = byte }
        }
        for offset in [18, 19] where image.header.readVersion == 2 || image.header.writeVersion == 2 { set(offset, 1) }
        guard image.header.isPageCountValid, image.header.pageCount != image.pageCount else { return }
        for (index, shift) in [24, 16, 8, 0].enumerated() {
            set(28 + index, UInt8(truncatingIfNeeded: image.pageCount >> shift))
        }
    }
}
