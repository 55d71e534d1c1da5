import CCoreDataSQLite
import Foundation

/// A database file that is read several pages at a time while SQLite goes through it in order.
///
/// SQLite asks for one page after the other, each with a call into the system, which for a table that does not fit in its
/// cache takes a quarter of the time of a count. While requests come in the file's order, up to sixteen pages are read at
/// once, and requests served from them.
///
/// What was read ahead must not outlive what SQLite may rely on. It is forgotten whenever a lock is taken or given back, in
/// the file or in the log's index, and whenever this connection writes: a reader is sure that the pages it takes from the
/// file stay as they are between two of these, in every journal mode. Pages another connection is bringing over from the log
/// meanwhile may be read ahead half written, but a reader takes those from the log.
///
/// One lies in the memory that SQLite reserves for an open file, and the file of the system's own kind behind it. It belongs
/// to the thread that uses the connection.
struct BufferedFile {
    /// What SQLite knows of the file; must come first.
    private var base: sqlite3_file
    /// The pages read ahead; room is made when there are some.
    private var buffer: UnsafeMutableRawPointer?
    /// Where in the file the pages read ahead begin, and how many bytes there are.
    private var start: Int64 = 0
    private var length: Int64 = 0
    /// How many bytes of them were asked for.
    private var used: Int64 = 0
    /// How long the file is, once asked for; it is as little to be relied on as the pages.
    private var size: Int64 = 0
    /// Whether SQLite may have the file mapped into memory. The system's file then copies requests from there, which reading
    /// ahead does not make any quicker; and what lies behind the part that SQLite asks for may have been cut off by others.
    var isMapped = false
    /// Where the last request ended.
    private var end: Int64 = -1
    /// How many requests have come one right behind the other, with few pages between them and the next such.
    private var inOrder = 0
    /// How many bytes are read at once the next time.
    private var window = Self.firstWindow

    private static let firstWindow: Int64 = 1 << 14
    private static let largestWindow: Int64 = 1 << 16
    /// Requests in the file's order after which pages are read ahead. Looking for single rows takes fewer.
    private static let requestsBefore = 4
    /// Pages of other tables and indexes that may lie between two requests now and then. Reading many in vain would cost more
    /// than it saves.
    private static let pagesBetween: Int64 = 2

    init(methods: UnsafePointer<sqlite3_io_methods>?) {
        base = sqlite3_file(pMethods: methods)
    }

    /// What one takes of the memory for an open file.
    static let room = (MemoryLayout<BufferedFile>.size + 15) & ~15

    /// The one that SQLite has for an open file.
    @inline(__always)
    static func at(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<BufferedFile> {
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: BufferedFile.self)
    }

    /// The file of the system's kind behind it.
    @inline(__always)
    static func own(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<sqlite3_file> {
        (UnsafeMutableRawPointer(file) + room).assumingMemoryBound(to: sqlite3_file.self)
    }

    /// Serves SQLite's request for `count` bytes from `offset` on.
    mutating func read(
        _ file: UnsafeMutablePointer<sqlite3_file>, into target: UnsafeMutableRawPointer, _ count: Int32,
        from offset: Int64
    ) -> Int32 {
        let bytes = Int64(count)
        let place = offset - start
        if let buffer, place >= 0, place + bytes <= length {
            target.copyMemory(from: buffer + Int(place), byteCount: Int(count))
            used += bytes
            end = offset + bytes
            return SQLITE_OK
        }
        if continues(at: offset, bytes), readAhead(file, from: offset, bytes), let buffer {
            target.copyMemory(from: buffer, byteCount: Int(count))
            return SQLITE_OK
        }
        return file.pointee.pMethods.pointee.xRead(file, target, count, offset)
    }

    /// Notes a request that the pages read ahead do not serve.
    ///
    /// - Returns: whether it is one of many in the file's order.
    private mutating func continues(at offset: Int64, _ bytes: Int64) -> Bool {
        let gap = offset - end
        end = offset + bytes
        guard gap >= 0, gap <= bytes * Self.pagesBetween, bytes >= Self.leastPage, wasWorthwhile else {
            beginAnew()
            length = 0
            used = 0
            return false
        }
        if gap == 0 { inOrder += 1 }
        return inOrder >= Self.requestsBefore
    }

    private static let leastPage: Int64 = 512

    /// Whether most of what was read ahead has been asked for.
    private var wasWorthwhile: Bool { used * 4 >= length * 3 }

    private mutating func beginAnew() {
        inOrder = 0
        window = Self.firstWindow
    }

    /// Reads pages from `offset` on; false when there is at most one, or they cannot be read: SQLite then asks for the one it
    /// wants, and learns what is wrong with it.
    private mutating func readAhead(
        _ file: UnsafeMutablePointer<sqlite3_file>, from offset: Int64, _ bytes: Int64
    ) -> Bool {
        length = 0
        used = 0
        guard !isMapped, let methods = file.pointee.pMethods,
            size > 0 || methods.pointee.xFileSize(file, &size) == SQLITE_OK
        else { return false }
        let count = min(min(max(window, bytes * 2), Self.largestWindow), size - offset) / bytes * bytes
        guard count > bytes else { return false }
        let room = buffer ?? .allocate(byteCount: Int(Self.largestWindow), alignment: 16)
        buffer = room
        guard methods.pointee.xRead(file, room, Int32(count), offset) == SQLITE_OK else { return false }
        start = offset
        length = count
        used = bytes
        window = min(window * 2, Self.largestWindow)
        return true
    }

    /// Forgets what was read ahead: from now on it may be out of date.
    ///
    /// Where that happens time and again before most of it was asked for, as while a large update goes through a table and
    /// writes what it changed, reading ahead begins anew only after some more requests in order.
    mutating func forget() {
        if length > 0, !wasWorthwhile { beginAnew() }
        length = 0
        used = 0
        size = 0
    }

    /// To be called when the file has been closed.
    mutating func close() {
        forget()
        buffer?.deallocate()
        buffer = nil
        base.pMethods = nil
    }
}
