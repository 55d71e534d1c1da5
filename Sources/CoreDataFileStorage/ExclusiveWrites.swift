import CoreDataRowStorage
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A file that a thread writes exclusively, for as long as the engine counts it among ``ExclusiveWrites``.
package protocol ExclusiveWrite: AnyObject, Sendable {
    /// nil where there is none any more.
    var file: FileIdentity? { get }
    var thread: pthread_t { get }
}

/// The files that threads write exclusively.
///
/// Another operation of such a thread on the same file would wait for the thread's own transaction, and in vain.
package enum ExclusiveWrites {
    private static let all = Locked<[any ExclusiveWrite]>([])
    /// Asked by every save, without a lock.
    private static let count = Atomic<Int>(0)

    /// Counts a write as one of this thread's.
    package static func add(_ write: any ExclusiveWrite) {
        all.withLock { $0.append(write) }
        count.wrappingAdd(1, ordering: .relaxed)
    }

    package static func remove(_ write: any ExclusiveWrite) {
        count.wrappingSubtract(1, ordering: .relaxed)
        all.withLock { all in all.removeAll { $0 === write } }
    }

    /// True where some thread has counted one: a thread finds what it has counted itself.
    package static var areThere: Bool { count.load(ordering: .relaxed) > 0 }

    /// Tells whether this thread has counted a write to the file at a path that `isMeant` accepts.
    package static func contain(_ path: String, where isMeant: (any ExclusiveWrite) -> Bool) -> Bool {
        guard areThere, let file = FileIdentity(path) else { return false }
        return all.withLock { all in
            all.contains { $0.file == file && pthread_equal($0.thread, pthread_self()) != 0 && isMeant($0) }
        }
    }

    /// Tells whether this thread writes to the store at a URL exclusively.
    package static func include(_ url: URL) -> Bool { url.isFileURL && contain(url.path) { _ in true } }

    /// - Parameter verb: what was to be done to the store, as in "destroyed".
    /// - Throws: `NSPersistentStoreOperationError` for a store to which this thread writes exclusively.
    package static func requireNone(of url: URL, toBe verb: String) throws {
        if areThere, include(url) { throw failure(url.path, "The store at \(url.path) could not be \(verb).") }
    }

    /// The error for what would wait for a write of this thread.
    package static func failure(_ path: String, _ description: String) -> NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError, description: description,
            reason: "This thread is writing to it exclusively, and would wait for itself.",
            advice: "Do it when the exclusive write has returned.", userInfo: [NSFilePathErrorKey: path])
    }
}
