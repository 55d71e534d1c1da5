import CCoreDataRuntime

/// A reference that does not keep its object alive.
///
/// Swift's own `weak` gives the object a side table, after which counting references to it costs several times as much
/// for good. Objects that are retained with every fetch and change are therefore found through a handle, which they
/// own and clear in their `deinit`.
///
/// The class is one for all types of objects: making a generic class known to the runtime takes longer than making a handle.
@usableFromInline
package struct WeakHandle<Object: AnyObject>: @unchecked Sendable {
    @usableFromInline package let shared: SharedHandle

    @inlinable
    package init(_ shared: SharedHandle = SharedHandle()) { self.shared = shared }

    /// To be called once, by the object's initialiser.
    @inlinable
    package func set(_ object: Object) { shared.set(Unmanaged.passUnretained(object).toOpaque()) }

    /// To be called by the object's `deinit`: its memory stays until that returns.
    @inlinable
    package func clear() { shared.set(nil) }

    /// The object, unless it is gone or on its way out.
    @inlinable
    package var object: Object? { shared.retained.map { Unmanaged<Object>.fromOpaque($0).takeRetainedValue() } }
}

/// What the copies of a ``WeakHandle`` share.
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

    /// The object with a reference for the caller.
    @usableFromInline
    var retained: UnsafeMutableRawPointer? {
        lock.withLock { pointer.flatMap { swift_tryRetain($0) } }
    }
}
