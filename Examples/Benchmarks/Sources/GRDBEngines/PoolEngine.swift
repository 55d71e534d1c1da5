import Foundation
import GRDB
import Workloads

/// The common part of the GRDB engines: a connection pool with one writer and several readers, and the workloads that do not
/// depend on the record type.
public protocol PoolEngine: StoreEngine {
    /// The connection pool.
    var pool: DatabasePool { get }
}

extension PoolEngine {
    static func openPool(_ url: URL, _ synchronous: Synchronous) throws -> DatabasePool {
        let pool = try DatabasePool(path: url.path)
        // Opening a pool sets `synchronous` to NORMAL after the configuration's `prepareDatabase`.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(synchronous.rawValue)") }
        return pool
    }

    /// Closes the pool.
    public func close() throws {
        try pool.close()
    }

    /// Returns a writer that shares the pool.
    public func makeWriter() throws -> any StoreWriter {
        PoolWriter(self)
    }

    /// Fetches the primary keys of all users.
    public func fetchIdentifiers() throws -> () throws -> Checksum {
        let keys = try pool.read { try Int64.fetchAll($0, sql: "SELECT Z_PK FROM ZUSER") }
        return {
            var checksum = Checksum()
            for key in keys { checksum.add(UInt64(key)) }
            return checksum
        }
    }
}

/// A writer that inserts with an engine from another thread. The pool has one connection for writing.
final class PoolWriter: StoreWriter, @unchecked Sendable {
    private let engine: any PoolEngine

    init(_ engine: any PoolEngine) {
        self.engine = engine
    }

    func write(_ rows: [UserRow]) throws {
        try engine.insert(rows, savingEvery: rows.count)
    }
}
