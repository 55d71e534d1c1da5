import Foundation

extension NSPersistentStoreCoordinator {

    /// Runs a block on the coordinator's queue and returns its result, or throws its error.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, filled in by the compiler. The caller stays isolated to its actor, so neither the
    ///     block nor its result needs to be `Sendable`, as with Apple's method.
    ///   - block: The block to run. It runs on the coordinator's queue, regardless of the caller's actor.
    public func perform<T>(
        isolation: isolated (any Actor)? = #isolation, _ block: @escaping () throws -> T
    ) async rethrows -> T {
        func wait(isolation: isolated (any Actor)?, rescue: (any Error) throws -> T) async rethrows -> T {
            let work = Unchecked(block)
            let outcome: Unchecked<Result<T, any Error>> = await withCheckedContinuation { continuation in
                queue.async {
                    self.serial.lock()
                    defer { self.serial.unlock() }
                    continuation.resume(returning: Unchecked(Result { try work.value() }))
                }
            }
            switch outcome.value {
            case .success(let value): return value
            case .failure(let error): return try rescue(error)
            }
        }
        return try await wait(isolation: isolation) { throw $0 }
    }

    /// Runs a block on the calling thread, with exclusive access to the coordinator, and returns its result. Calls may be
    /// nested.
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        serial.lock()
        defer { serial.unlock() }
        return try block()
    }

}
