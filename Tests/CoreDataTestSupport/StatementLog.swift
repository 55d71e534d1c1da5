import CCoreDataSQLite
import CoreData
import Foundation

/// The queries SQLite runs on one store: to see what a fetch costs.
package final class StatementLog {
    private final class Registry: @unchecked Sendable {
        private let lock = NSLock()
        private var logs: [String: [String]] = [:]

        func begin(_ path: String) { lock.withLock { logs[path] = [] } }
        func end(_ path: String) { lock.withLock { logs[path] = nil } }
        func take(_ path: String) -> [String] {
            lock.withLock {
                defer { logs[path]? = [] }
                return logs[path] ?? []
            }
        }
        func note(_ sql: String, _ path: String) { lock.withLock { logs[path]?.append(sql) } }
    }

    private static let registry = Registry()

    /// Has every connection opened from now on report its statements.
    private static let tracing: Void = {
        typealias Entry =
            @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?) ->
            Int32
        let entry: Entry = { connection, _, _ in
            sqlite3_trace_v2(
                connection, UInt32(SQLITE_TRACE_STMT),
                { _, _, statement, text in
                    guard let statement, let text else { return 0 }
                    let handle = sqlite3_db_handle(OpaquePointer(statement))
                    guard let path = sqlite3_db_filename(handle, "main") else { return 0 }
                    let sql = String(cString: text.assumingMemoryBound(to: CChar.self))
                    StatementLog.registry.note(sql, String(cString: path))
                    return 0
                }, nil)
            return SQLITE_OK
        }
        sqlite3_auto_extension(unsafeBitCast(entry, to: (@convention(c) () -> Void).self))
    }()

    private let path: String

    /// - Parameter url: the store's file. To be made before the store is opened.
    package init(_ url: URL) {
        Self.tracing
        path = url.resolvingSymlinksInPath().path
        Self.registry.begin(path)
    }

    deinit { Self.registry.end(path) }

    /// The SELECTs since the last call.
    package func selections() -> [String] { Self.registry.take(path).filter { $0.hasPrefix("SELECT") } }

    /// Their number.
    package func queries() -> Int { selections().count }
}

/// A SQLite store whose queries can be seen, in a folder of its own.
package struct LoggedStore {
    package let folder: TemporaryFolder
    package let url: URL
    package let log: StatementLog
    package let coordinator: NSPersistentStoreCoordinator

    /// - Parameter prepared: what is in the store to begin with.
    package init(_ model: NSManagedObjectModel, prepared: PreparedStore? = nil) throws {
        folder = try TemporaryFolder()
        url = folder.file("Logged.sqlite")
        try prepared?.write(to: url)
        log = StatementLog(url)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    }

    package func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}
