import CoreData

// Contexts may be passed between threads: they work on their queues. Core Data declares this from Xcode 26 on; with older SDKs
// this conformance does, for the whole program.
#if canImport(ObjectiveC) && (compiler(<6.2) || CORE_DATA_OF_XCODE_16)
extension NSManagedObjectContext: @retroactive @unchecked Sendable {}
#endif

// `performAndWait` for work that is not `@Sendable`.
//
// Core Data runs such work on the context's queue while the caller waits, so nothing runs concurrently. From Xcode 26 on,
// Apple's declarations require a `@Sendable` closure nevertheless; earlier SDKs and the Core Data of this package do not.

#if canImport(ObjectiveC)
extension NSManagedObjectContext {
    /// Runs `body` on the context's queue and waits for it.
    func runAndWait<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try AwaitedWork.outcome(of: body) { work in performAndWait { work.run() } }.get()
    }
}

extension NSPersistentStoreCoordinator {
    /// Runs `body` on the coordinator's queue and waits for it.
    func runAndWait<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try AwaitedWork.outcome(of: body) { work in performAndWait { work.run() } }.get()
    }
}

/// Work that its caller waits for: only one thread uses it at a time.
private final class AwaitedWork<Value, Failure: Error>: @unchecked Sendable {
    /// Set to nil before it runs, so that a block copied by Core Data does not keep it alive after the caller has returned.
    private var body: (() throws(Failure) -> Value)?
    private var result: Result<Value, Failure>?

    private init(_ body: @escaping () throws(Failure) -> Value) { self.body = body }

    static func outcome(
        of body: () throws(Failure) -> Value, _ performAndWait: (AwaitedWork) -> Void
    ) -> Result<Value, Failure> {
        withoutActuallyEscaping(body) { body in
            let work = AwaitedWork(body)
            performAndWait(work)
            guard let result = work.result else { preconditionFailure("performAndWait has not run its block") }
            return result
        }
    }

    func run() {
        guard let body else { return }
        self.body = nil
        do throws(Failure) { result = .success(try body()) } catch { result = .failure(error) }
    }
}

/// Determines whether the current code runs on the main queue. Elsewhere Core Data has this type.
enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    static var isCurrent: Bool {
        _ = mark
        return Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
    }
}
#else
extension NSManagedObjectContext {
    /// Runs `body` on the context's queue and waits for it.
    @inline(__always)
    func runAndWait<Value>(_ body: () throws -> Value) rethrows -> Value { try performAndWait(body) }
}

extension NSPersistentStoreCoordinator {
    /// Runs `body` on the coordinator's queue and waits for it.
    @inline(__always)
    func runAndWait<Value>(_ body: () throws -> Value) rethrows -> Value { try performAndWait(body) }
}
#endif
