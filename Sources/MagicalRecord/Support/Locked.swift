import Foundation

/// A value that is only reached while holding a lock.
///
/// The standard library's `Mutex` needs newer systems than this package supports on Apple's platforms.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// Runs `body` with the value, one caller at a time. Not re-entrant.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

/// Carries a value across a boundary the compiler cannot see through. Every use says why that is sound.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
