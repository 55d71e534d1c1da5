import CoreDataStoreFiles
import Foundation

#if canImport(Darwin)
import Darwin
#endif

/// The files of which an image consists: the newest content of a page is in the log, else in the hot rollback journal, else in
/// the database file.
struct ImageLayers {
    /// The path without symbolic links, beside which SQLite looks for the journal and the log.
    let place: String
    let file: SourceFile
    var journalFile: SourceFile?
    var journal: RollbackJournal?
    var logFile: SourceFile?
    /// The log, if it is applied.
    var frames: WriteAheadLog?
    var logState = LogState.none
    var header = DatabaseHeader(pageSize: 4096)
    var pageCount = 0
    var expectedPageCount = 0

    /// The header without the log; nil if it is damaged.
    private var base: DatabaseHeader?
    private var pageSize: Int { header.pageSize }

    /// The layers with the log taken for a foreign one; nil if there is no log, or the file has no valid header.
    var withoutLog: ImageLayers? {
        guard let base, frames != nil else { return nil }
        var copy = self
        copy.frames = nil
        copy.logState = .foreign
        copy.header = base
        copy.countPages()
        return copy
    }

    /// Opens the files and reads where the pages are, together with the signatures of the files before.
    static func read(
        _ path: String, ignoresLog: Bool, isDamaged: Bool
    ) throws -> (ImageLayers, [String: FileSignature]) {
        let place = ResolvedPath.resolving(path) ?? path
        var layers = ImageLayers(place: place, file: try open(path))
        layers.journalFile = try? SourceFile(place + "-journal")
        if !ignoresLog {
            do {
                layers.logFile = try SourceFile(place + "-wal")
            } catch {
                if case .missing = error {} else { layers.logState = .unreadable }
            }
        }
        let signatures = layers.signatures
        if let journalFile = layers.journalFile, (FileLocks.of(layers.file)?.level ?? .shared) < .reserved {
            layers.journal = try RollbackJournal(journalFile, databaseSize: layers.file.size)
        }
        try layers.resolve(isDamaged: isDamaged)
        return (layers, signatures)
    }

    private init(place: String, file: SourceFile) {
        self.place = place
        self.file = file
    }

    /// The current signatures of the files.
    var signatures: [String: FileSignature] {
        var signatures: [String: FileSignature] = [:]
        signatures[""] = FileSignature(place, file)
        signatures["-wal"] = FileSignature(place + "-wal", logFile, headerCount: 32)
        signatures["-journal"] = FileSignature(place + "-journal", journalFile, headerCount: 28)
        return signatures
    }

    /// The bytes that the files have on the disk.
    var allocatedSize: Int64 {
        file.allocatedSize + (logFile?.allocatedSize ?? 0) + (journalFile?.allocatedSize ?? 0)
    }

    private static func open(_ path: String) throws -> SourceFile {
        let url = URL(fileURLWithPath: path)
        do {
            return try SourceFile(database: path)
        } catch {
            let name = url.lastPathComponent
            switch error {
            case .missing:
                throw StoreToolError(.noFile, "There is no file \(path).", advice: "Check the path.", url: url)
            case .isOpen:
                throw StoreToolError(
                    .unavailable, "The file \(name) belongs to a store that is open in this process.",
                    advice: "Remove the store from its coordinator first.", url: url)
            case .system(let code):
                throw StoreToolError(
                    .unavailable, "The file \(name) cannot be opened: \(String(cString: strerror(code))).",
                    advice: "Check the permissions of the file and its folder.", url: url)
            case .notRegular:
                throw StoreToolError(.notAStore, "\(name) is not a file.", advice: "Check the path.", url: url)
            }
        }
    }

    // MARK: Resolving

    private mutating func resolve(isDamaged: Bool) throws {
        base = try baseHeader()
        var log: WriteAheadLog?
        if let logFile {
            switch try? WriteAheadLog.read(logFile, databaseSize: file.size) {
            case nil, .invalid: logState = .unreadable
            case .empty: logState = .empty
            case .log(let found):
                log = found
                logState = found.isTorn ? .torn(frames: found.frameCount) : .applied(frames: found.frameCount)
            }
        }
        if let base {
            header = base
            if isDamaged, let log, log.frameCount > 0 { header.pageSize = log.pageSize }
        } else if isDamaged, log?.frameCount ?? 0 == 0 {
            header = DatabaseHeader(pageSize: try PageSizeDetection.detect(file)?.size ?? 4096)
        } else if let log, log.frameCount > 0, log.lastOfPage1 != nil || isDamaged {
            // The log may have page 1, which the file has lost.
            header = DatabaseHeader(pageSize: log.pageSize)
        } else {
            throw StoreToolError(
                .notAStore, "The file \(file.path) is not an SQLite database: it has no valid header.",
                advice: "Check that it is the right file.", url: URL(fileURLWithPath: file.path))
        }
        if let journal, journal.pageSize != pageSize { self.journal = nil }
        countPages()
        guard let log, log.frameCount > 0 else { return }
        if let base, !isDamaged, try LogOwnership(layers: self, base: base, log: log).isForeign(logFile) {
            logState = .foreign
            return
        }
        frames = log
        if log.lastOfPage1 != nil, let newest = try headerOfPage1() { header = newest.with(pageSize: log.pageSize) }
        countPages()
    }

    /// Returns the header of page 1, without the log.
    private func baseHeader() throws -> DatabaseHeader? {
        if let journal, let journalFile, let offset = journal.offset(ofPage: 1) {
            let bytes = try journalFile.bytes(at: offset, count: DatabaseHeader.byteCount)
            if let header = bytes.withUnsafeBytes({ DatabaseHeader($0) }) { return header }
        }
        return try file.bytes(at: 0, count: DatabaseHeader.byteCount).withUnsafeBytes { DatabaseHeader($0) }
    }

    private func headerOfPage1() throws -> DatabaseHeader? {
        try withUnsafeTemporaryAllocation(byteCount: DatabaseHeader.byteCount, alignment: 8) { buffer in
            try read(1, from: 0, into: buffer)
            return DatabaseHeader(UnsafeRawBufferPointer(buffer))
        }
    }

    private mutating func countPages() {
        let size = Int64(pageSize)
        let inFile = Int(pages: UInt32(clamping: file.size / size + (file.size % size > 0 ? 1 : 0)))
        let base = journal.map { min($0.pageCount, max(inFile, $0.offsets.highestPage)) } ?? inFile
        if let frames {
            expectedPageCount = frames.pageCount
            pageCount = min(expectedPageCount, max(base, frames.frames.highestPage))
        } else if let journal {
            expectedPageCount = journal.pageCount
            pageCount = base
        } else {
            expectedPageCount = header.isPageCountValid ? header.pageCount : inFile
            pageCount = min(expectedPageCount, inFile)
        }
    }

    // MARK: Reading

    /// Returns whether the log has a page.
    @inline(__always)
    func isInLog(_ page: Int) -> Bool { frames?.offset(ofPage: page) != nil }

    /// Returns whether a page's content is not that in the database file.
    @inline(__always)
    func isReplaced(_ page: Int) -> Bool { isInLog(page) || journal?.offset(ofPage: page) != nil }

    /// Reads bytes of a page, zeros after the end of the file.
    func read(_ page: Int, from start: Int, into buffer: UnsafeMutableRawBufferPointer) throws {
        let found: Int
        if let offset = frames?.offset(ofPage: page), let logFile {
            found = try logFile.read(into: buffer, at: offset + Int64(start))
        } else if let offset = journal?.offset(ofPage: page), let journalFile {
            found = try journalFile.read(into: buffer, at: offset + Int64(start))
        } else {
            found = try file.read(into: buffer, at: Int64(page - 1) * Int64(pageSize) + Int64(start))
        }
        buffer.zero(from: found)
    }
}

extension DatabaseHeader {
    fileprivate func with(pageSize: Int) -> DatabaseHeader {
        var copy = self
        copy.pageSize = pageSize
        return copy
    }
}
