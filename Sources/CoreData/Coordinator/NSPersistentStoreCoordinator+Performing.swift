import Foundation

extension NSPersistentStoreCoordinator {

    /// Runs a block on the coordinator's queue and gives its result.
    public func perform<T>(_ block: @escaping () throws -> T) async rethrows -> T {
        func wait(rescue: (any Error) throws -> T) async rethrows -> T {
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
        return try await wait { throw $0 }
    }

    /// Runs a block now, while no other block runs on the coordinator, and gives its result. May be nested.
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        serial.lock()
        defer { serial.unlock() }
        return try block()
    }

}
