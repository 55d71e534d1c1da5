import Synchronization

/// An object that is made when it is asked for first, on any thread. Asking again costs a load.
///
/// PredicateFormat has its own `OnceCell`, and the standard library `AtomicLazyReference`: generic types are not specialised
/// across modules, which shows in every use.
struct MadeOnce<Value: AnyObject>: ~Copyable, @unchecked Sendable {
    private let pointer = Atomic<UnsafeRawPointer?>(nil)

    /// The object. When several threads ask first, each may make one, and all get the same.
    @inline(__always)
    func value(_ make: () -> Value) -> Value { reference(make).takeUnretainedValue() }

    /// The same without counting references.
    @inline(__always)
    func reference(_ make: () -> Value) -> Unmanaged<Value> {
        if let pointer = pointer.load(ordering: .acquiring) { return .fromOpaque(pointer) }
        return keep(make())
    }

    @inline(never)
    private func keep(_ made: Value) -> Unmanaged<Value> {
        let new = Unmanaged.passRetained(made)
        let (stored, current) = pointer.compareExchange(
            expected: nil, desired: UnsafeRawPointer(new.toOpaque()), ordering: .acquiringAndReleasing)
        guard !stored, let current else { return new }
        new.release()
        return .fromOpaque(current)
    }

    deinit {
        if let pointer = pointer.load(ordering: .acquiring) { Unmanaged<Value>.fromOpaque(pointer).release() }
    }
}
