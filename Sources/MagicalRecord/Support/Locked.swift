import Foundation

/// A value protected by a lock.
///
/// The standard library's `Mutex` requires newer systems than this package supports on Apple's platforms.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Runs `body` with exclusive access to the value. Not re-entrant.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

/// A value of a type that is not Sendable, for passing across concurrency domains. Every use documents why that is safe.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// A thread-specific object, set while a closure runs. Faster than thread dictionaries, which box keys and values: that takes
/// longer than the rest of a finder's context lookup.
final class ThreadValue<Value: AnyObject>: Sendable {
    private let key: pthread_key_t

    /// Creates a thread-specific key, which is never deleted: there are few.
    init() {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, nil)
        precondition(status == 0, "The program has used up its thread-specific keys.")
        self.key = key
    }

    /// The object of the innermost closure that runs on this thread.
    var current: Value? {
        pthread_getspecific(key).map { Unmanaged<Value>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs `body` with `value` as the thread's object.
    func with<Result>(_ value: Value, _ body: () throws -> Result) rethrows -> Result {
        // Retained here, not by the thread.
        try withExtendedLifetime(value) {
            let outer = pthread_getspecific(key)
            pthread_setspecific(key, Unmanaged.passUnretained(value).toOpaque())
            defer { pthread_setspecific(key, outer) }
            return try body()
        }
    }
}
