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

/// A file that a thread writes exclusively, while it is registered in ``ExclusiveWrites``.
package protocol ExclusiveWrite: AnyObject, Sendable {
    /// The file; nil if the write has ended.
    var file: FileIdentity? { get }
    var thread: pthread_t { get }
}

/// The files that threads write exclusively.
///
/// Another operation of such a thread on the same file would wait for the thread's own transaction: a deadlock.
package enum ExclusiveWrites {
    private static let all = Locked<[any ExclusiveWrite]>([])
    /// The number of writes, read by every save without a lock.
    private static let count = Atomic<Int>(0)

    /// Registers a write by this thread.
    package static func add(_ write: any ExclusiveWrite) {
        all.withLock { $0.append(write) }
        count.wrappingAdd(1, ordering: .relaxed)
    }

    package static func remove(_ write: any ExclusiveWrite) {
        count.wrappingSubtract(1, ordering: .relaxed)
        all.withLock { all in all.removeAll { $0 === write } }
    }

    /// Whether any thread has registered a write. A thread always sees its own registrations.
    package static var areThere: Bool { count.load(ordering: .relaxed) > 0 }

    /// Returns true if this thread has registered a write to the file at a path that `isMeant` accepts.
    package static func contain(_ path: String, where isMeant: (any ExclusiveWrite) -> Bool) -> Bool {
        guard areThere, let file = FileIdentity(path) else { return false }
        return all.withLock { all in
            all.contains { $0.file == file && pthread_equal($0.thread, pthread_self()) != 0 && isMeant($0) }
        }
    }

    /// Returns true if this thread writes to the store at a URL exclusively.
    package static func include(_ url: URL) -> Bool { url.isFileURL && contain(url.path) { _ in true } }

    /// Checks that this thread does not write to a store exclusively.
    ///
    /// - Parameter verb: the operation on the store, as in "destroyed".
    /// - Throws: `NSPersistentStoreOperationError` if the thread does.
    package static func requireNone(of url: URL, toBe verb: String) throws {
        if areThere, include(url) { throw failure(url.path, "The store at \(url.path) could not be \(verb).") }
    }

    /// Returns the error for an operation that would wait for a write of this thread.
    package static func failure(_ path: String, _ description: String) -> NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError, description: description,
            reason: "This thread is writing to it exclusively, and would wait for itself.",
            advice: "Do it when the exclusive write has returned.", userInfo: [NSFilePathErrorKey: path])
    }
}
