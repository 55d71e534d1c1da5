import CCoreDataRuntime

/// A reference that does not keep its object alive.
///
/// Swift's own `weak` gives the object a side table, which makes retain/release several times slower from then on. Objects
/// that are retained with every fetch and change are therefore referenced by a handle, which they own and clear in their
/// `deinit`.
///
/// One class serves all types of objects: instantiating a generic class takes longer than creating a handle.
@usableFromInline
package struct WeakHandle<Object: AnyObject>: @unchecked Sendable {
    @usableFromInline package let shared: SharedHandle

    @inlinable
    package init(_ shared: SharedHandle = SharedHandle()) { self.shared = shared }

    /// Sets the object. Call it once, in the object's initializer.
    @inlinable
    package func set(_ object: Object) { shared.set(Unmanaged.passUnretained(object).toOpaque()) }

    /// Clears the handle. Call it in the object's `deinit`, before its memory is freed.
    @inlinable
    package func clear() { shared.set(nil) }

    /// The object; nil if it was deallocated or is in `deinit`.
    @inlinable
    package var object: Object? { shared.retained.map { Unmanaged<Object>.fromOpaque($0).takeRetainedValue() } }
}

/// The state that copies of a ``WeakHandle`` share.
@usableFromInline
package final class SharedHandle: @unchecked Sendable {
    @usableFromInline let lock = Lock()
    @usableFromInline var pointer: UnsafeMutableRawPointer?

    @inlinable
    package init() {}

    @usableFromInline
    func set(_ object: UnsafeMutableRawPointer?) {
        lock.withLock { pointer = object }
    }

    /// The object, retained for the caller.
    @usableFromInline
    var retained: UnsafeMutableRawPointer? {
        lock.withLock { pointer.flatMap { swift_tryRetain($0) } }
    }
}
