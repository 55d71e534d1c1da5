import Foundation

/// The database files that SQLite has open in this process, and the only safe way to read a file that may be one of them.
///
/// SQLite's locks belong to the process, not to the descriptor: the system releases all of them when the process closes *any*
/// descriptor of the file. Another process then assumes that the database is unused, and deletes the log with committed
/// transactions (sqlite.org/howtocorrupt.html, "POSIX advisory locks canceled by a separate thread doing close()"). Files are
/// identified by device and inode, since links give them several names.
package enum OpenDatabases {
    /// An error for a file that is not read because SQLite has it open.
    package struct IsOpen: LocalizedError {
        package var errorDescription: String? { "The file belongs to an SQLite store that is open." }
    }

    private struct State {
        /// The numbers of connections to each file, and to each path.
        var files: [FileIdentity: Int] = [:]
        var commits: [FileIdentity: CommitCount] = [:]
        var paths: [String: Int] = [:]
        /// The descriptors to close when the file is no longer open.
        var kept: [FileIdentity: [Int32]] = [:]
    }

    /// The state, and the lock that guards it.
    private final class GuardedState: @unchecked Sendable {
        private let lock = NSLock()
        private var value = State()

        func withLock<Result, Failure: Error>(
            _ body: (inout State) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            lock.lock()
            defer { lock.unlock() }
            return try body(&value)
        }
    }

    private static let state = GuardedState()
    /// The suffixes of the files beside a database, including the index of its log, which has locks, too.
    private static let suffixes = ["-shm", "-wal", "-journal"]

    // MARK: Connections

    /// A database that is registered as open.
    package struct Registration {
        fileprivate let path: String
        fileprivate let file: FileIdentity?
        /// The counter of commits on all connections to the file.
        package let commits: CommitCount
    }

    /// Runs `open`, which opens the database at a path, and registers it. The file cannot be read in between.
    ///
    /// - Parameter open: returns the path of the opened file; nil if it failed, or has no file.
    /// - Throws: ``IsOpen`` for a file beside an open database. SQLite would take it for another database, and release the
    ///   locks on it when that is closed.
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

    /// Unregisters a connection. Call it after the connection has been closed.
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

    /// Returns true if SQLite has the file at a path open as a database. The file is not opened.
    package static func contains(_ path: String) -> Bool {
        state.withLock { state in FileIdentity(path).map { state.files[$0] != nil } ?? false }
    }

    /// Checks that a file may be replaced.
    ///
    /// - Throws: ``IsOpen`` if SQLite has the file open as a database, or has the database open that it belongs to.
    package static func requireNotInUse(_ path: String) throws(IsOpen) {
        if state.withLock({ isOpen(path, $0) }) { throw IsOpen() }
    }

    /// Returns true if a file is beside a database that SQLite has open.
    package static func isBesideOne(_ path: String) -> Bool { state.withLock { isBeside(path, $0) } }

    /// Opens the file or folder at a path for reading, without blocking, and closes it after `body`.
    ///
    /// - Throws: ``IsOpen`` for a database that SQLite has open and for the files beside one; a Cocoa error if there is no
    ///   such file or it cannot be read; errors of `body`.
    package static func reading<Result>(_ path: String, _ body: (Int32) throws -> Result) throws -> Result {
        switch openForReading(path) {
        case .opened(let descriptor):
            defer { close(descriptor) }
            return try body(descriptor)
        case .isOpen: throw IsOpen()
        case .failed(let code): throw readingError(code, path)
        }
    }

    /// The result of opening a file.
    package enum Opening {
        /// The descriptor, to be closed by ``close(_:)``.
        case opened(Int32)
        /// SQLite has the file open as a database, or has the database open that it belongs to.
        case isOpen
        /// The system's error.
        case failed(errno: Int32)
    }

    /// Opens the file or folder at a path for reading.
    ///
    /// - Parameter waits: whether reading a pipe waits for a writer. Opening never blocks.
    package static func openForReading(_ path: String, waits: Bool = false) -> Opening {
        let opening = state.withLock { state -> Opening in
            guard !isOpen(path, state) else { return .isOpen }
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return .failed(errno: errno) }
            // The file may have been replaced after the check.
            return closeOrKeep(descriptor, &state, closing: false) ? .opened(descriptor) : .isOpen
        }
        if waits, case .opened(let descriptor) = opening { waitForWriter(descriptor) }
        return opening
    }

    /// Closes a file that ``openForReading(_:waits:)`` has opened. If SQLite has opened it meanwhile, the descriptor stays
    /// open until SQLite closes the file.
    package static func close(_ descriptor: Int32) {
        state.withLock { state in _ = closeOrKeep(descriptor, &state, closing: true) }
    }

    /// Makes reads of a file that is not regular block, and waits until a pipe has a writer.
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
        // Matches the path, too, for a file that does not exist yet or is just being created.
        if liesBeside(path, state) { return true }
        return FileIdentity(path).map { isOpen($0, at: ResolvedPath.resolving(path), state) } ?? false
    }

    /// Returns true if a file is open, or is beside an open database.
    ///
    /// - Parameter place: the path of the file without symbolic links; nil if unknown.
    private static func isOpen(
        _ file: FileIdentity, at place: @autoclosure () -> String?, _ state: borrowing State
    ) -> Bool {
        state.files[file] != nil || isBeside(file, at: place(), state)
    }

    private static func isBeside(_ path: String, _ state: borrowing State) -> Bool {
        if state.files.isEmpty { return false }
        guard let file = FileIdentity(path) else { return liesBeside(path, state) }
        // This is one more connection to an open database.
        if state.files[file] != nil { return false }
        return liesBeside(path, state) || isBeside(file, at: ResolvedPath.resolving(path), state)
    }

    private static func isBeside(_ file: FileIdentity, at place: String?, _ state: borrowing State) -> Bool {
        // SQLite chose the name of a file with a single name. With several, every open database must be checked.
        if let place, file.names == 1 { return liesBeside(place, state) }
        return state.paths.keys.contains { path in suffixes.contains { FileIdentity(path + $0) == file } }
    }

    /// Returns true if a path is that of a file beside an open database.
    private static func liesBeside(_ path: String, _ state: borrowing State) -> Bool {
        suffixes.contains { suffix in
            guard path.hasSuffix(suffix), let owner = FileIdentity(String(path.dropLast(suffix.count))) else {
                return false
            }
            return state.files[owner] != nil
        }
    }

    /// Closes a descriptor if that releases none of SQLite's locks, and keeps it open otherwise.
    ///
    /// - Parameter closing: whether to close it; else only a descriptor that must stay open is kept.
    /// - Returns: true if the file is not open as a database.
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
