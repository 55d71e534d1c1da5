import Foundation

/// A thread-specific object, set while a closure runs.
///
/// A faster replacement for thread dictionaries, which box keys and values: that takes longer than the rest of a finder's
/// context lookup.
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
        guard let pointer = pthread_getspecific(key) else { return nil }
        return Unmanaged<Value>.fromOpaque(pointer).takeUnretainedValue()
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
