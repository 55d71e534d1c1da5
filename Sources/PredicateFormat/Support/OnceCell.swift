import Synchronization

/// A reference that is set at most once, from any thread.
///
/// Does what `AtomicLazyReference` does; that one is not specialised across modules, which shows in every evaluation.
struct OnceCell<Value: AnyObject>: ~Copyable, @unchecked Sendable {
    private let pointer = Atomic<UnsafeRawPointer?>(nil)

    @inline(__always)
    func load() -> Value? {
        guard let pointer = pointer.load(ordering: .acquiring) else { return nil }
        return Unmanaged<Value>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Calls `body` with the value, once set, without retaining it: the cell keeps it.
    @inline(__always)
    func withLoaded<Result>(_ body: (Value) throws -> Result) rethrows -> Result? {
        guard let pointer = pointer.load(ordering: .acquiring) else { return nil }
        return try Unmanaged<Value>.fromOpaque(pointer)._withUnsafeGuaranteedRef { try body($0) }
    }

    /// Stores `value` unless another came first.
    ///
    /// - Returns: what is stored now.
    func storeIfNil(_ value: Value) -> Value {
        let new = Unmanaged.passRetained(value)
        let (stored, current) = pointer.compareExchange(
            expected: nil, desired: UnsafeRawPointer(new.toOpaque()), ordering: .acquiringAndReleasing)
        guard !stored, let current else { return value }
        new.release()
        return Unmanaged<Value>.fromOpaque(current).takeUnretainedValue()
    }

    deinit {
        if let pointer = pointer.load(ordering: .acquiring) {
            Unmanaged<Value>.fromOpaque(pointer).release()
        }
    }
}
