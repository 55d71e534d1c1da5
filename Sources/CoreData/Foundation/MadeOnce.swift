import Synchronization

/// An object that is made when it is asked for first, on any thread. Asking again costs a load.
///
/// PredicateFormat has its own `OnceCell`, and the standard library `AtomicLazyReference`: generic types are not specialised
/// across modules, which shows in every use.
struct MadeOnce<Value: AnyObject>: ~Copyable, @unchecked Sendable {
    private let pointer = Atomic<UnsafeRawPointer?>(nil)

    /// The object. When several threads ask first, each may make one, and all get the same.
    @inline(__always)
    func value(_ make: () -> Value) -> Value {
        if let pointer = pointer.load(ordering: .acquiring) {
            return Unmanaged<Value>.fromOpaque(pointer).takeUnretainedValue()
        }
        return keep(make())
    }

    @inline(never)
    private func keep(_ made: Value) -> Value {
        let new = Unmanaged.passRetained(made)
        let (stored, current) = pointer.compareExchange(
            expected: nil, desired: UnsafeRawPointer(new.toOpaque()), ordering: .acquiringAndReleasing)
        guard !stored, let current else { return made }
        new.release()
        return Unmanaged<Value>.fromOpaque(current).takeUnretainedValue()
    }

    deinit {
        if let pointer = pointer.load(ordering: .acquiring) { Unmanaged<Value>.fromOpaque(pointer).release() }
    }
}
