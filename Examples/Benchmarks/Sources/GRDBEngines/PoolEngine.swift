import Foundation
import GRDB
import Workloads

/// What the GRDB engines have in common: a pool of connections (one writer, several readers), and the workloads
/// where the form of the records plays no part.
public protocol PoolEngine: StoreEngine {
    var pool: DatabasePool { get }
}

extension PoolEngine {
    static func openPool(_ url: URL, _ synchronous: Synchronous) throws -> DatabasePool {
        let pool = try DatabasePool(path: url.path)
        // Opening a pool sets NORMAL, whatever the configuration's own preparations say.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(synchronous.rawValue)") }
        return pool
    }

    public func close() throws {
        try pool.close()
    }

    public func makeWriter() throws -> any StoreWriter {
        PoolWriter(self)
    }

    public func fetchIdentifiers() throws -> () throws -> Checksum {
        let keys = try pool.read { try Int64.fetchAll($0, sql: "SELECT Z_PK FROM ZUSER") }
        return {
            var checksum = Checksum()
            for key in keys { checksum.add(UInt64(key)) }
            return checksum
        }
    }
}

/// An engine of the same kind, used by the writing thread only.
final class PoolWriter: StoreWriter, @unchecked Sendable {
    private let engine: any PoolEngine

    init(_ engine: any PoolEngine) {
        self.engine = engine
    }

    func write(_ rows: [UserRow]) throws {
        try engine.insert(rows, savingEvery: rows.count)
    }
}
