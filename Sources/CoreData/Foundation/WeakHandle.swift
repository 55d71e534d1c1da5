import CCoreDataRuntime

/// A reference that does not keep its object alive.
///
/// Swift's own `weak` gives the object a side table, after which counting references to it costs several times as much
/// for good. Objects that are retained with every fetch and change are therefore found through a handle, which they
/// own and clear in their `deinit`.
///
/// The class is one for all types of objects: making a generic class known to the runtime takes longer than making a handle.
struct WeakHandle<Object: AnyObject>: @unchecked Sendable {
    let shared: SharedHandle

    init(_ shared: SharedHandle = SharedHandle()) { self.shared = shared }

    /// To be called once, by the object's initialiser.
    func set(_ object: Object) { shared.set(Unmanaged.passUnretained(object).toOpaque()) }

    /// To be called by the object's `deinit`: its memory stays until that returns.
    func clear() { shared.set(nil) }

    /// The object, unless it is gone or on its way out.
    var object: Object? { shared.retained.map { Unmanaged<Object>.fromOpaque($0).takeRetainedValue() } }
}

/// What the copies of a ``WeakHandle`` share.
final class SharedHandle: @unchecked Sendable {
    private let lock = Lock()
    private var pointer: UnsafeMutableRawPointer?

    fileprivate func set(_ object: UnsafeMutableRawPointer?) {
        lock.withLock { pointer = object }
    }

    /// The object with a reference for the caller.
    fileprivate var retained: UnsafeMutableRawPointer? {
        lock.withLock { pointer.flatMap { swift_tryRetain($0) } }
    }
}
