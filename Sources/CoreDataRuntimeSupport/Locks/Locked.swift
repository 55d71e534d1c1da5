/// A value protected by a ``Lock``.
///
/// Replaces `Synchronization.Mutex`, because Thread Sanitizer does not see its locking off Apple and reports races. Not a
/// class: instantiating a generic class takes longer than most uses of the value.
@usableFromInline
package struct Locked<Value>: ~Copyable, @unchecked Sendable {
    @usableFromInline let lock = Lock()
    @usableFromInline let value: UnsafeMutablePointer<Value>

    @inlinable
    package init(_ value: consuming Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    @inlinable
    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` with exclusive access to the value. Not reentrant.
    @inlinable
    package func withLock<T, E: Error>(_ body: (inout Value) throws(E) -> T) throws(E) -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value.pointee)
    }
}
