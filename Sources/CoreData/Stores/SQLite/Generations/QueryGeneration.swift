import Foundation
import Synchronization

/// One state of a coordinator's SQLite stores, which stays readable while others write.
///
/// Each store in write-ahead mode gives it a connection of its own with an open read transaction: SQLite then shows that
/// connection the file as it was. As long as it is open the write-ahead log cannot be emptied past that state, so a
/// generation that is kept for long lets the log grow. Reads of one generation take turns.
final class QueryGeneration: @unchecked Sendable {
    private static let lastNumber = Atomic<Int>(0)

    /// Greater than those of all generations made before in this process.
    let number: Int
    private let readers: [ObjectIdentifier: GenerationReader]
    /// The stores it covers; those added later are read as they are.
    let storeIdentifiers: [String]

    /// The present state of the stores. Those that cannot be pinned, all but SQLite stores in write-ahead mode, are left out.
    init(of stores: [any RowStore]) throws {
        number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        var readers: [ObjectIdentifier: GenerationReader] = [:]
        var identifiers: [String] = []
        for case let store as SQLiteStore in stores {
            let pool = try store.engine.pool
            guard let reader = try GenerationReader(pool) else { continue }
            readers[ObjectIdentifier(pool)] = reader
            identifiers.append(store.identifier)
        }
        self.readers = readers
        storeIdentifiers = identifiers
        GenerationScope.noteUse()
    }

    func reader(of pool: ConnectionPool) -> GenerationReader? { readers[ObjectIdentifier(pool)] }

    func covers(_ stores: [any RowStore]) -> Bool {
        stores.allSatisfy { ($0 as? SQLiteStore).map { storeIdentifiers.contains($0.identifier) } ?? true }
    }
}

/// A connection that keeps showing one state of its file.
final class GenerationReader: @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private let connection: SQLiteConnection

    /// nil for a file in rollback mode, where an open reader would keep everybody from writing.
    init?(_ pool: ConnectionPool) throws {
        let connection = try pool.makeReader()
        guard try connection.text("PRAGMA journal_mode")?.lowercased() == "wal" else { return nil }
        try connection.execute("BEGIN")
        // The state is chosen by the first read, not by BEGIN.
        _ = try connection.integer("SELECT COUNT(*) FROM sqlite_master")
        self.connection = connection
    }

    func read<Result>(_ body: (SQLiteConnection) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(connection)
    }
}

/// Which generation the current thread reads.
enum GenerationScope {
    private static let used = Atomic<Bool>(false)

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// False as long as nobody in this process has pinned anything: reading then costs nothing more.
    @inline(__always)
    static var isUsed: Bool { used.load(ordering: .relaxed) }

    static func noteUse() { used.store(true, ordering: .relaxed) }

    static var current: QueryGeneration? {
        pthread_getspecific(key).map { Unmanaged<QueryGeneration>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs `body` so that this thread reads the generation.
    static func with<Result>(_ generation: QueryGeneration, _ body: () throws -> Result) rethrows -> Result {
        let outer = pthread_getspecific(key)
        pthread_setspecific(key, Unmanaged.passUnretained(generation).toOpaque())
        defer { pthread_setspecific(key, outer) }
        return try withExtendedLifetime(generation) { try body() }
    }
}
