import Foundation

/// An object that each thread has one of, or none, for as long as a closure runs there.
///
/// The threads' dictionaries would do as well. They box keys and values, which takes longer than all else a finder does to
/// learn its context.
final class ThreadValue<Value: AnyObject>: Sendable {
    private let key: pthread_key_t

    /// For as long as the program runs: keys are few, and are not given back.
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
        // Held here, and not by the thread.
        try withExtendedLifetime(value) {
            let outer = pthread_getspecific(key)
            pthread_setspecific(key, Unmanaged.passUnretained(value).toOpaque())
            defer { pthread_setspecific(key, outer) }
            return try body()
        }
    }
}
