import Synchronization

/// An object that is made when it is asked for first, on any thread. Asking again costs a load.
///
/// Does what the standard library's `AtomicLazyReference` does, and is specialised where it is used.
@usableFromInline
package struct MadeOnce<Value: AnyObject>: ~Copyable, @unchecked Sendable {
    @usableFromInline let pointer = Atomic<UnsafeRawPointer?>(nil)

    @inlinable
    package init() {}

    /// The object. When several threads ask first, each may make one, and all get the same.
    @inlinable @inline(__always)
    package func value(_ make: () -> Value) -> Value { reference(make).takeUnretainedValue() }

    /// The same without counting references.
    @inlinable @inline(__always)
    package func reference(_ make: () -> Value) -> Unmanaged<Value> {
        if let pointer = pointer.load(ordering: .acquiring) { return .fromOpaque(pointer) }
        return keep(make())
    }

    /// The object, if it has been made.
    @inlinable @inline(__always)
    package func load() -> Value? {
        guard let pointer = pointer.load(ordering: .acquiring) else { return nil }
        return Unmanaged<Value>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Calls `body` with the object, once made, without counting references.
    @inlinable @inline(__always)
    package func withLoaded<Result>(_ body: (Value) throws -> Result) rethrows -> Result? {
        guard let pointer = pointer.load(ordering: .acquiring) else { return nil }
        return try Unmanaged<Value>.fromOpaque(pointer)._withUnsafeGuaranteedRef { try body($0) }
    }

    /// Makes `value` the object unless there is one.
    ///
    /// - Returns: the object there is now.
    @inlinable
    package func storeIfNil(_ value: Value) -> Value { keep(value).takeUnretainedValue() }

    @inlinable @inline(never)
    func keep(_ made: Value) -> Unmanaged<Value> {
        let new = Unmanaged.passRetained(made)
        let (stored, current) = pointer.compareExchange(
            expected: nil, desired: UnsafeRawPointer(new.toOpaque()), ordering: .acquiringAndReleasing)
        guard !stored, let current else { return new }
        new.release()
        return .fromOpaque(current)
    }

    @inlinable
    deinit {
        if let pointer = pointer.load(ordering: .acquiring) { Unmanaged<Value>.fromOpaque(pointer).release() }
    }
}
