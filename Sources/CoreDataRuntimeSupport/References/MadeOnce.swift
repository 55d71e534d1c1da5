import Synchronization

/// An object that is created on first access, on any thread. Later accesses cost a load.
///
/// Like the standard library's `AtomicLazyReference`, but specialized in its clients.
@usableFromInline
package struct MadeOnce<Value: AnyObject>: ~Copyable, @unchecked Sendable {
    @usableFromInline let pointer = Atomic<UnsafeRawPointer?>(nil)

    @inlinable
    package init() {}

    /// Returns the object. If several threads access it first, each may create one, and all get the same.
    @inlinable @inline(__always)
    package func value(_ make: () -> Value) -> Value { reference(make).takeUnretainedValue() }

    /// Returns the object without retain/release.
    @inlinable @inline(__always)
    package func reference(_ make: () -> Value) -> Unmanaged<Value> {
        if let pointer = pointer.load(ordering: .acquiring) { return .fromOpaque(pointer) }
        return keep(make())
    }

    /// Returns the object; nil if it has not been created.
    @inlinable @inline(__always)
    package func load() -> Value? {
        guard let pointer = pointer.load(ordering: .acquiring) else { return nil }
        return Unmanaged<Value>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Calls `body` with the object, if it has been created, without retain/release.
    @inlinable @inline(__always)
    package func withLoaded<Result>(_ body: (Value) throws -> Result) rethrows -> Result? {
        guard let pointer = pointer.load(ordering: .acquiring) else { return nil }
        return try Unmanaged<Value>.fromOpaque(pointer)._withUnsafeGuaranteedRef { try body($0) }
    }

    /// Stores `value` unless there is an object already.
    ///
    /// - Returns: the stored object.
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
