import CoreData

// `performAndWait` for work that is not `@Sendable`.
//
// Core Data runs such work on the context's queue while the caller waits, so nothing runs concurrently. From Xcode 26 on,
// Apple's declarations require a `@Sendable` closure nevertheless; earlier SDKs and the Core Data of this package do not.

#if canImport(ObjectiveC)
extension NSManagedObjectContext {
    /// Runs `body` on the context's queue and waits for it.
    func runAndWait<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try withoutActuallyEscaping(body) { body in
            let work = AwaitedWork(body)
            performAndWait { work.run() }
            return work.outcome
        }.get()
    }
}

extension NSPersistentStoreCoordinator {
    /// Runs `body` on the coordinator's queue and waits for it.
    func runAndWait<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try withoutActuallyEscaping(body) { body in
            let work = AwaitedWork(body)
            performAndWait { work.run() }
            return work.outcome
        }.get()
    }
}

/// Work that its caller waits for: only one thread uses it at a time.
private final class AwaitedWork<Value, Failure: Error>: @unchecked Sendable {
    /// Set to nil before it runs, so that a block copied by Core Data does not keep it alive after the caller has returned.
    private var body: (() throws(Failure) -> Value)?
    private var result: Result<Value, Failure>?

    init(_ body: @escaping () throws(Failure) -> Value) {
        self.body = body
    }

    func run() {
        guard let body else { return }
        self.body = nil
        do throws(Failure) { result = .success(try body()) } catch { result = .failure(error) }
    }

    var outcome: Result<Value, Failure> {
        guard let result else { preconditionFailure("performAndWait returned without having run its block") }
        return result
    }
}
#else
extension NSManagedObjectContext {
    /// Runs `body` on the context's queue and waits for it.
    @inline(__always)
    func runAndWait<Value>(_ body: () throws -> Value) rethrows -> Value {
        try performAndWait(body)
    }
}

extension NSPersistentStoreCoordinator {
    /// Runs `body` on the coordinator's queue and waits for it.
    @inline(__always)
    func runAndWait<Value>(_ body: () throws -> Value) rethrows -> Value {
        try performAndWait(body)
    }
}
#endif
