import CoreDataRuntimeSupport
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The database files that SQLite has open in this process, and the one way to read any file that may be one of them.
///
/// SQLite's locks are the process's, not the descriptor's: the system ends them all when the process closes *any* descriptor
/// of the file. Another process then takes the database for unused, and deletes the log with what has been committed
/// (sqlite.org/howtocorrupt.html, "POSIX advisory locks canceled by a separate thread doing close()"). Files are told apart
/// by device and inode, since links give them several names.
package enum OpenDatabases {
    /// A file that is not read because SQLite has it open.
    package struct IsOpen: LocalizedError {
        package var errorDescription: String? { "The file belongs to an SQLite store that is open." }
    }

    private struct State {
        /// How many connections there are to each file, and to each path.
        var files: [FileIdentity: Int] = [:]
        var commits: [FileIdentity: CommitCount] = [:]
        var paths: [String: Int] = [:]
        /// Descriptors to close when the file is no longer open.
        var kept: [FileIdentity: [Int32]] = [:]
    }

    private static let state = Locked(State())
    /// What lies beside a database, the index of its log among it, which has locks of its own.
    private static let suffixes = ["-shm", "-wal", "-journal"]

    // MARK: Connections

    /// A database that is counted as open.
    package struct Registration {
        fileprivate let path: String
        fileprivate let file: FileIdentity?
        /// What all connections to the file have committed.
        package let commits: CommitCount
    }

    /// Runs `open`, which opens the database at a path, and counts it; its file is not read in between.
    ///
    /// - Parameter open: returns the path of the file that was opened; nil when it failed, or has no file.
    /// - Throws: ``IsOpen`` for what lies beside a database that is open. SQLite would take it for another database, and end
    ///   the locks on it when it closes that.
    package static func opening(_ path: String, _ open: () -> String?) throws(IsOpen) -> Registration? {
        try state.withLock { state throws(IsOpen) in
            guard !isBeside(path, state) else { throw IsOpen() }
            guard let path = open() else { return nil }
            let file = FileIdentity(path)
            let commits = file.flatMap { state.commits[$0] } ?? CommitCount()
            state.paths[path, default: 0] += 1
            if let file {
                state.files[file, default: 0] += 1
                state.commits[file] = commits
            }
            return Registration(path: path, file: file, commits: commits)
        }
    }

    /// To be called when a connection has been closed.
    package static func closed(_ registration: Registration) {
        state.withLock { state in
            state.paths.countDown(registration.path)
            if let file = registration.file {
                state.files.countDown(file)
                if state.files[file] == nil { state.commits[file] = nil }
            }
            for file in state.kept.keys where !isOpen(file, at: nil, state) {
                for descriptor in state.kept.removeValue(forKey: file) ?? [] { _ = Foundation.close(descriptor) }
            }
        }
    }

    // MARK: Reading

    /// Whether SQLite has the file at a path open as a database. The file is not opened.
    package static func contains(_ path: String) -> Bool {
        state.withLock { state in FileIdentity(path).map { state.files[$0] != nil } ?? false }
    }

    /// - Throws: ``IsOpen`` for a file that must not be replaced: SQLite has it open as a database, or has the database that it
    ///   lies beside.
    package static func requireNotInUse(_ path: String) throws(IsOpen) {
        if state.withLock({ isOpen(path, $0) }) { throw IsOpen() }
    }

    /// Whether a file lies beside a database that SQLite has open.
    package static func isBesideOne(_ path: String) -> Bool { state.withLock { isBeside(path, $0) } }

    /// Opens the file or folder at a path for reading, without waiting, and closes it when `body` is done.
    ///
    /// - Throws: ``IsOpen`` for a database that SQLite has open and for what lies beside one; a Cocoa error when there is no
    ///   such file or it must not be read; what `body` throws.
    package static func reading<Result>(_ path: String, _ body: (Int32) throws -> Result) throws -> Result {
        switch openForReading(path) {
        case .opened(let descriptor):
            defer { close(descriptor) }
            return try body(descriptor)
        case .isOpen: throw IsOpen()
        case .failed(let code): throw readingError(code, path)
        }
    }

    /// What came of opening a file.
    package enum Opening {
        /// The descriptor, to be closed by ``close(_:)``.
        case opened(Int32)
        /// SQLite has the file open as a database, or has the database that it lies beside.
        case isOpen
        /// The system's error.
        case failed(errno: Int32)
    }

    /// Opens the file or folder at a path for reading.
    ///
    /// - Parameter waits: whether reading a pipe is to wait for what is written into it. Opening waits for nothing.
    package static func openForReading(_ path: String, waits: Bool = false) -> Opening {
        let opening = state.withLock { state -> Opening in
            guard !isOpen(path, state) else { return .isOpen }
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return .failed(errno: errno) }
            // It may have taken the place of the file that was looked at.
            return closeOrKeep(descriptor, &state, closing: false) ? .opened(descriptor) : .isOpen
        }
        if waits, case .opened(let descriptor) = opening { waitForWriter(descriptor) }
        return opening
    }

    /// Closes a file that ``openForReading(_:waits:)`` has opened. SQLite may have opened it meanwhile: then it stays open until
    /// SQLite closes it.
    package static func close(_ descriptor: Int32) {
        state.withLock { state in _ = closeOrKeep(descriptor, &state, closing: true) }
    }

    /// Lets reads of what is no file wait, and does so until a pipe has a writer.
    private static func waitForWriter(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) >= 0 else { return }
        guard status.st_mode & S_IFMT == S_IFIFO else { return }
        var pipe = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&pipe, 1, -1) < 0, errno == EINTR {}
    }

    private static func isOpen(_ path: String, _ state: borrowing State) -> Bool {
        if state.files.isEmpty { return false }
        // Before it is there, or just when it is made.
        if liesBeside(path, state) { return true }
        return FileIdentity(path).map { isOpen($0, at: ResolvedPath.resolving(path), state) } ?? false
    }

    /// - Parameter place: the path of the file without symbolic links; nil if unknown.
    private static func isOpen(
        _ file: FileIdentity, at place: @autoclosure () -> String?, _ state: borrowing State
    ) -> Bool {
        state.files[file] != nil || isBeside(file, at: place(), state)
    }

    private static func isBeside(_ path: String, _ state: borrowing State) -> Bool {
        if state.files.isEmpty { return false }
        guard let file = FileIdentity(path) else { return liesBeside(path, state) }
        // One more connection to a database.
        if state.files[file] != nil { return false }
        return liesBeside(path, state) || isBeside(file, at: ResolvedPath.resolving(path), state)
    }

    private static func isBeside(_ file: FileIdentity, at place: String?, _ state: borrowing State) -> Bool {
        // A file of one name has it from SQLite. With several each database has to be asked about.
        if let place, file.names == 1 { return liesBeside(place, state) }
        return state.paths.keys.contains { path in suffixes.contains { FileIdentity(path + $0) == file } }
    }

    /// Whether a path is that of a file beside an open database.
    private static func liesBeside(_ path: String, _ state: borrowing State) -> Bool {
        suffixes.contains { suffix in
            guard path.hasSuffix(suffix), let owner = FileIdentity(String(path.dropLast(suffix.count))) else {
                return false
            }
            return state.files[owner] != nil
        }
    }

    /// Closes a descriptor where that ends no lock of SQLite's, and keeps it open otherwise.
    ///
    /// - Parameter closing: whether to close it; else only a descriptor that must not be closed is dealt with.
    /// - Returns: whether the file is not open as a database.
    private static func closeOrKeep(_ descriptor: Int32, _ state: inout State, closing: Bool) -> Bool {
        guard !state.files.isEmpty, let file = FileIdentity(descriptor),
            isOpen(file, at: ResolvedPath.of(descriptor), state)
        else {
            if closing { _ = Foundation.close(descriptor) }
            return true
        }
        state.kept[file, default: []].append(descriptor)
        return false
    }

    static func readingError(_ code: Int32, _ path: String) -> CocoaError {
        let kind: CocoaError.Code =
            switch code {
            case ENOENT, ENOTDIR: .fileReadNoSuchFile
            case EACCES, EPERM: .fileReadNoPermission
            default: .fileReadUnknown
            }
        return CocoaError(
            kind,
            userInfo: [
                NSFilePathErrorKey: path,
                NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(code)),
            ])
    }
}

extension Dictionary where Value == Int {
    fileprivate mutating func countDown(_ key: Key) {
        guard let count = self[key] else { return }
        self[key] = count > 1 ? count - 1 : nil
    }
}
