import CoreDataFileStorage
import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation
import Synchronization

/// The connections to one database file: one that writes and several that read, each used by one thread at a time.
///
/// In write-ahead mode readers never wait for the writer. The first connection opened serves as a reader, and as the
/// writer from the first change on; further readers are opened when there is none left, or two threads read at once.
package final class ConnectionPool: @unchecked Sendable {
    let path: String
    let settings: ConnectionSettings
    /// Whether commits wait for the disk.
    let isDurable: Bool

    /// The connection used last, retained, while nobody uses it. Most of the time one thread reads at once, and needs no lock.
    private let spare = Atomic<UnsafeMutableRawPointer?>(nil)
    /// The others nobody uses.
    private let idle: Locked<ContiguousArray<SQLiteConnection>>
    private let condition = NSCondition()
    private let opened = Atomic<Int>(0)
    private let waiting = Atomic<Int>(0)
    /// Set once, when the pool is closed: from then on it opens no connections for itself.
    private let isClosed = Atomic<Bool>(false)

    private let writerLock = NSRecursiveLock()
    private var writer: SQLiteConnection?
    /// The file the first connection opened. Set before the pool is used by several threads.
    private var openedFile: FileIdentity?
    /// Whether the file is opened in a way that lets connections notice each other's commits.
    let noticesCommits: Bool
    /// Statements run on the writing connection when it is opened: its temporary triggers.
    private let writerSetup: [String]
    /// Whether triggers of the file may read views of the file.
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

    /// Runs `body` with a connection of its own to read from, which shows what anybody has committed until now.
    @inline(__always)
    package func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// A connection that shows what anybody has committed until now, to be given back.
    @inline(__always)
    func take() throws -> SQLiteConnection {
        let connection = try takeSpare() ?? takeReader()
        connection.endKeptTransaction()
        return connection
    }

    /// A connection in a transaction that the next read of the same moment may go on with, to be given back.
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

    /// Hands out a connection for reading, which is not one of the pool's until ``takeBack(_:)``.
    func lendReader() throws -> SQLiteConnection {
        guard let connection = takeIdle() else { return try makeReader() }
        opened.wrappingSubtract(1, ordering: .relaxed)
        connection.endKeptTransaction()
        return connection
    }

    /// Takes a connection that was lent, and closes it if there are enough.
    func takeBack(_ connection: SQLiteConnection) {
        guard opened.wrappingAdd(1, ordering: .relaxed).oldValue < settings.readerLimit else {
            opened.wrappingSubtract(1, ordering: .relaxed)
            return
        }
        giveBack(connection)
    }

    /// Ends the transactions that reads have left open on connections nobody uses now.
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

    /// Opens a connection for reading that is not one of the pool's.
    func makeReader() throws -> SQLiteConnection {
        try requireSameFile()
        let connection = try SQLiteConnection(
            path: path, access: settings.isReadOnly ? .reading(path) : .readWrite, busyTimeout: settings.busyTimeout)
        try settings.configure(connection, writing: false)
        return connection
    }

    var isClosedForGood: Bool { isClosed.load(ordering: .sequentiallyConsistent) }

    /// - Throws: when the pool was closed.
    private func requireOpen() throws {
        if isClosedForGood { throw SQLiteFailure.isClosed(path) }
    }

    /// - Throws: when the file that would be opened now is not the one the pool's connections have.
    private func requireSameFile() throws {
        guard let openedFile, FileIdentity(path) != openedFile else { return }
        throw SQLiteFailure.fileIsGone(path)
    }

    /// Hands over a connection that was opened before the pool, to save opening another.
    package func adopt(_ connection: SQLiteConnection) {
        openedFile = FileIdentity(path)
        opened.wrappingAdd(1, ordering: .relaxed)
        giveBack(connection)
    }

    // MARK: Writing

    /// Runs `body` with the connection that writes; others wait. May be nested on one thread.
    package func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let connection = try beginWriting()
        defer { endWriting() }
        return try body(connection)
    }

    /// Waits for the turn to write: the connection that writes, until ``endWriting()`` on the same thread. May be nested.
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

    /// Runs `body` with the connection that writes, if anything has been written.
    func writeIfOpen(_ body: (SQLiteConnection) -> Void) {
        writerLock.lock()
        defer { writerLock.unlock() }
        if let writer { body(writer) }
    }

    /// Runs `body` while no other thread of this process writes. Once this pool has written, other processes do not either.
    func excludingWriters<Result>(_ body: () throws -> Result) throws -> Result {
        writerLock.lock()
        defer { writerLock.unlock() }
        // A connection that locks the file for good would keep it from the others here, too.
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
        // A reader nobody needs right now becomes the writer, with the pages it knows. The next read opens another.
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

    /// Runs `body` in a transaction that writes: all of it is kept, or nothing.
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

    /// Closes the connections: those in use when they are given back. Who reads or writes from then on gets an error.
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

/// How the connections of a store are set up.
package struct ConnectionSettings: Sendable {
    package var isReadOnly = false
    /// Seconds to wait for a file that another process holds.
    package var busyTimeout = StoreFiles.usualTimeout
    package var readerLimit = 16
    /// What `NSSQLitePragmasOption` asked for, lower-case names.
    var pragmas: [String: String] = [:]

    package init(pragmas: [String: String] = [:]) { self.pragmas = pragmas }

    /// Pragmas that set up a connection; the rest of `pragmas` is applied as given.
    package func configure(_ connection: SQLiteConnection, writing: Bool) throws {
        guard Probe.isOn else { return try setUp(connection, writing: writing) }
        try Probe.measure(.maintenance) { _ in try setUp(connection, writing: writing) }
    }

    private func setUp(_ connection: SQLiteConnection, writing: Bool) throws {
        if writing {
            // A store in rollback mode is converted only once there is something to write.
            try connection.execute("PRAGMA journal_mode = \(pragmas["journal_mode"] ?? "WAL")")
            try connection.keepLogFile()
            // With a limit, SQLite also empties the kept log when the last connection closes.
            try connection.execute("PRAGMA journal_size_limit = \(pragmas["journal_size_limit"] ?? "4194304")")
        }
        try connection.execute("PRAGMA synchronous = \(pragmas["synchronous"] ?? "NORMAL")")
        try connection.execute("PRAGMA trusted_schema = ON")
        for name in pragmas.keys.sorted() where !Self.handled.contains(name) {
            try connection.execute("PRAGMA \(name) = \(pragmas[name] ?? "")")
        }
    }

    /// Whether commits wait until they are in a log on the disk whose index connections share. Asking a file without such an
    /// index for it would make one, which SQLite never closes.
    var isDurable: Bool {
        ["full", "2", "extra", "3"].contains(pragmas["synchronous"]?.lowercased() ?? "")
            && pragmas["locking_mode"] == nil && (pragmas["journal_mode"] ?? "wal").lowercased() == "wal"
    }

    private static let handled = [
        "journal_mode", "synchronous", "auto_vacuum", "page_size", "journal_size_limit",
    ]

    /// Takes over `NSSQLitePragmasOption`, refusing what is not a name and a plain value.
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
