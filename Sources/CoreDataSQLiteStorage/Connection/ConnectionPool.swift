import CoreDataFileStorage
import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation
import Synchronization

/// A pool of connections to one database file: one writer and several readers, each used by one thread at a time.
///
/// In write-ahead mode readers never wait for the writer. The first connection opened serves as a reader until the first
/// change, and as the writer from then on; another reader is opened whenever none is idle.
package final class ConnectionPool: @unchecked Sendable {
    let path: String
    let settings: ConnectionSettings
    /// Whether commits wait for the disk.
    let isDurable: Bool

    /// The most recently used idle reader, retained. A lock-free fast path for the common case of one reading thread.
    private let spare = Atomic<UnsafeMutableRawPointer?>(nil)
    /// The other idle readers.
    private let idle: Locked<ContiguousArray<SQLiteConnection>>
    private let condition = NSCondition()
    private let opened = Atomic<Int>(0)
    private let waiting = Atomic<Int>(0)
    /// Set once, when the pool is closed: it opens no pooled connections after that.
    private let isClosed = Atomic<Bool>(false)

    private let writerLock = NSRecursiveLock()
    private var writer: SQLiteConnection?
    /// The identity of the file that the first connection opened. Set before several threads use the pool.
    private var openedFile: FileIdentity?
    /// Whether the file is opened in a mode in which connections notice each other's commits.
    let noticesCommits: Bool
    /// The statements run on the writer when it is opened: its temporary triggers.
    private let writerSetup: [String]
    /// Whether the file's triggers may read its views.
    private let triggersReadViews: Bool

    package init(
        path: String, settings: ConnectionSettings, writerSetup: [String] = [], triggersReadViews: Bool = false
    ) {
        self.path = path
        self.triggersReadViews = triggersReadViews
        self.writerSetup = writerSetup
        self.settings = settings
        noticesCommits = !settings.isReadOnly && settings.pragmas["locking_mode"] == nil
        isDurable = settings.isDurable
        idle = Locked([])
    }

    deinit { _ = takeSpare() }

    // MARK: Reading

    /// Runs `body` with exclusive access to a reader, which sees everything committed so far.
    @inline(__always)
    package func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// Takes a reader that sees everything committed so far. The caller must give it back.
    @inline(__always)
    func take() throws -> SQLiteConnection {
        let connection = try takeSpare() ?? takeReader()
        connection.endKeptTransaction()
        return connection
    }

    /// Takes a reader in a transaction that later reads of the same moment continue. The caller must give it back.
    @inline(__always)
    func take(keeping moment: UInt64) throws -> SQLiteConnection {
        let connection = try takeSpare() ?? takeReader()
        do {
            try connection.keepTransaction(moment)
        } catch {
            giveBack(connection)
            throw error
        }
        return connection
    }

    /// Lends a reader, which does not count as one of the pool's until ``takeBack(_:)``.
    func lendReader() throws -> SQLiteConnection {
        guard let connection = takeIdle() else { return try makeReader() }
        opened.wrappingSubtract(1, ordering: .relaxed)
        connection.endKeptTransaction()
        return connection
    }

    /// Returns a lent connection to the pool, or closes it if the pool has enough.
    func takeBack(_ connection: SQLiteConnection) {
        guard opened.wrappingAdd(1, ordering: .relaxed).oldValue < settings.readerLimit else {
            opened.wrappingSubtract(1, ordering: .relaxed)
            return
        }
        giveBack(connection)
    }

    /// Ends the read transactions that are still open on idle connections.
    func endKeptTransactions() {
        if let connection = takeSpare() {
            connection.endKeptTransaction()
            giveBack(connection)
        }
        while let connection = idle.withLock({ idle in
            idle.firstIndex { $0.kept != nil }.map { idle.remove(at: $0) }
        }) {
            connection.endKeptTransaction()
            giveBack(connection)
        }
    }

    @inline(__always)
    private func takeSpare() -> SQLiteConnection? {
        spare.exchange(nil, ordering: .sequentiallyConsistent).map {
            Unmanaged<SQLiteConnection>.fromOpaque($0).takeRetainedValue()
        }
    }

    private func takeIdle() -> SQLiteConnection? { takeSpare() ?? idle.withLock { $0.popLast() } }

    @inline(__always)
    func giveBack(_ connection: consuming SQLiteConnection) {
        let pointer = Unmanaged.passRetained(connection).toOpaque()
        if !spare.compareExchange(expected: nil, desired: pointer, ordering: .sequentiallyConsistent).exchanged {
            keepIdle(Unmanaged.fromOpaque(pointer))
        }
        if isClosed.load(ordering: .sequentiallyConsistent) { closeIdle() }
        if waiting.load(ordering: .sequentiallyConsistent) > 0 { wakeOne() }
    }

    @inline(never)
    private func keepIdle(_ connection: Unmanaged<SQLiteConnection>) {
        idle.withLock { $0.append(connection.takeRetainedValue()) }
    }

    @inline(never)
    private func wakeOne() {
        condition.lock()
        condition.signal()
        condition.unlock()
    }

    @inline(never)
    private func takeReader() throws -> SQLiteConnection {
        if let connection = takeIdle() { return connection }
        try requireOpen()
        if opened.wrappingAdd(1, ordering: .relaxed).oldValue < settings.readerLimit {
            do {
                return try makeReader()
            } catch {
                opened.wrappingSubtract(1, ordering: .relaxed)
                throw error
            }
        }
        opened.wrappingSubtract(1, ordering: .relaxed)
        waiting.wrappingAdd(1, ordering: .sequentiallyConsistent)
        let operation = Probe.current
        let begin = operation == nil ? 0 : InstrumentClock.now
        defer { _ = operation?.noteWaiting(since: begin) }
        defer { waiting.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let connection = takeIdle() { return connection }
            try requireOpen()
            _ = condition.wait(until: Date(timeIntervalSinceNow: 1))
        }
    }

    /// Opens a reader outside the pool.
    func makeReader() throws -> SQLiteConnection {
        try requireSameFile()
        let connection = try SQLiteConnection(
            path: path, access: settings.access(to: path), busyTimeout: settings.busyTimeout)
        try settings.configure(connection, writing: false)
        return connection
    }

    var isClosedForGood: Bool { isClosed.load(ordering: .sequentiallyConsistent) }

    /// Checks that the pool is open.
    ///
    /// - Throws: An error if the pool was closed.
    private func requireOpen() throws {
        if isClosedForGood { throw SQLiteFailure.isClosed(path) }
    }

    /// Checks that the path still names the file that the pool's connections have open.
    ///
    /// - Throws: An error if the file was deleted or replaced.
    private func requireSameFile() throws {
        guard let openedFile, FileIdentity(path) != openedFile else { return }
        throw SQLiteFailure.fileIsGone(path)
    }

    /// Adds a connection that was opened before the pool, which saves opening another.
    package func adopt(_ connection: SQLiteConnection) {
        openedFile = FileIdentity(path)
        opened.wrappingAdd(1, ordering: .relaxed)
        giveBack(connection)
    }

    // MARK: Writing

    /// Runs `body` with the writer, waiting until it is free. May be nested on one thread.
    package func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let connection = try beginWriting()
        defer { endWriting() }
        return try body(connection)
    }

    /// Waits for the writer and holds it until ``endWriting()`` on the same thread. May be nested.
    func beginWriting() throws -> SQLiteConnection {
        try ExclusiveWrites.requireNoOther(than: self)
        writerLock.lock()
        do {
            if noticesCommits { endKeptTransactions() }
            return try openWriter()
        } catch {
            writerLock.unlock()
            throw error
        }
    }

    func endWriting() { writerLock.unlock() }

    /// Runs `body` with the writer if it has been opened.
    func writeIfOpen(_ body: (SQLiteConnection) -> Void) {
        writerLock.lock()
        defer { writerLock.unlock() }
        if let writer { body(writer) }
    }

    /// Runs `body` while no other thread of this process writes; once this pool has written, no other process does either.
    func excludingWriters<Result>(_ body: () throws -> Result) throws -> Result {
        writerLock.lock()
        defer { writerLock.unlock() }
        // In exclusive locking mode, a lock taken here would never be released and would block the other connections.
        guard let writer, settings.pragmas["locking_mode"] == nil, !writer.isInTransaction else { return try body() }
        writer.endKeptTransaction()
        try writer.statement(.begin).run()
        defer { if writer.isInTransaction { try? writer.execute("ROLLBACK") } }
        return try body()
    }

    private func openWriter() throws -> SQLiteConnection {
        if let writer { return writer }
        guard !settings.isReadOnly else {
            throw SQLiteFailure.storeError(
                CocoaError.fileWriteNoPermission.rawValue, path: path,
                description: "The store is open for reading only.",
                reason: "It was added with NSReadOnlyPersistentStoreOption, or its file may not be written.")
        }
        try requireOpen()
        try requireSameFile()
        // An idle reader becomes the writer and keeps its page cache. The next read opens another.
        let idleReader = takeIdle()
        if let idleReader {
            opened.wrappingSubtract(1, ordering: .relaxed)
            idleReader.endKeptTransaction()
        }
        let connection =
            try idleReader
            ?? SQLiteConnection(path: path, access: .readWrite, busyTimeout: settings.busyTimeout)
        try settings.configure(connection, writing: true)
        for statement in writerSetup { try connection.execute(statement) }
        if triggersReadViews { try connection.enableViews() }
        writer = connection
        return connection
    }

    /// Runs `body` in a write transaction, which is committed as a whole or rolled back.
    package func transaction<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try write { connection in
            if connection.isInTransaction { return try body(connection) }
            try connection.statement(.begin).run()
            do {
                try connection.requireFileInPlace()
                let result = try body(connection)
                try connection.statement(.commit).run()
                connection.commits.add()
                return result
            } catch {
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                throw error
            }
        }
    }

    /// Closes the connections; those in use are closed when they are given back. Later reads and writes throw.
    package func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        closeIdle()
        writerLock.lock()
        writer = nil
        writerLock.unlock()
    }

    @inline(never)
    private func closeIdle() {
        _ = takeSpare()
        _ = idle.withLock { idle in
            defer { idle = [] }
            return idle
        }
    }
}

extension SQLText {
    static let begin = SQLText("BEGIN IMMEDIATE")
    static let commit = SQLText("COMMIT")
}

/// The settings of a store's connections.
package struct ConnectionSettings: Sendable {
    package var isReadOnly = false
    /// The seconds to wait for a file that another process has locked.
    package var busyTimeout = StoreFiles.usualTimeout
    package var readerLimit = 16
    /// The pragmas of `NSSQLitePragmasOption`, with lower-case names.
    var pragmas: [String: String] = [:]
    /// The way to read the database; nil for the file at its path. Only for settings that are read-only.
    package var source: SQLiteSource?

    package init(pragmas: [String: String] = [:]) { self.pragmas = pragmas }

    /// Returns the access mode of connections that read.
    func access(to path: String) -> SQLiteAccess {
        if let source { return .source(source) }
        return isReadOnly ? .reading(path) : .readWrite
    }

    /// Runs the pragmas that set up a connection; those without a meaning here are applied as given.
    package func configure(_ connection: SQLiteConnection, writing: Bool) throws {
        guard Probe.isOn else { return try setUp(connection, writing: writing) }
        try Probe.measure(.maintenance) { _ in try setUp(connection, writing: writing) }
    }

    private func setUp(_ connection: SQLiteConnection, writing: Bool) throws {
        if writing {
            // A store in rollback mode is converted only at the first write.
            try connection.execute("PRAGMA journal_mode = \(pragmas["journal_mode"] ?? "WAL")")
            try connection.keepLogFile()
            // With a limit, SQLite also truncates the persistent log when the last connection closes.
            try connection.execute("PRAGMA journal_size_limit = \(pragmas["journal_size_limit"] ?? "4194304")")
        }
        try connection.execute("PRAGMA synchronous = \(pragmas["synchronous"] ?? "NORMAL")")
        try connection.execute("PRAGMA trusted_schema = ON")
        for name in pragmas.keys.sorted() where !Self.handled.contains(name) {
            try connection.execute("PRAGMA \(name) = \(pragmas[name] ?? "")")
        }
    }

    /// Whether commits wait for the disk, and the log has a shared-memory index. Querying the index of a file without one
    /// would create it, and SQLite would never close it.
    var isDurable: Bool {
        ["full", "2", "extra", "3"].contains(pragmas["synchronous"]?.lowercased() ?? "")
            && pragmas["locking_mode"] == nil && (pragmas["journal_mode"] ?? "wal").lowercased() == "wal"
    }

    private static let handled = [
        "journal_mode", "synchronous", "auto_vacuum", "page_size", "journal_size_limit",
    ]

    /// Applies `NSSQLitePragmasOption`. Throws if an entry is not a plain name with a plain value.
    package mutating func setPragmas(_ given: [String: String], path: @autoclosure () -> String) throws {
        func isPlain(_ text: String) -> Bool {
            !text.isEmpty
                && text.utf8.allSatisfy { byte in
                    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "_-+.".utf8.contains(byte)
                }
        }
        if pragmas.isEmpty { pragmas = [String: String](minimumCapacity: given.count) }
        for (name, value) in given {
            guard isPlain(name), isPlain(value) else {
                throw SQLiteFailure.storeError(
                    NSPersistentStoreOpenError, path: path(), description: "A pragma for the store is not valid.",
                    reason: "NSSQLitePragmasOption has “\(name)” = “\(value)”.",
                    advice: "Pragmas are a name and a number or word, such as [\"synchronous\": \"FULL\"].")
            }
            pragmas[name.lowercased()] = value
        }
    }
}
