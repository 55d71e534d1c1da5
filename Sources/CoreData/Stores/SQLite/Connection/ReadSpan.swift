import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A stretch of work on one thread in which reads follow each other closely: a block run by a context.
///
/// Locking the file's state for a read, and giving it up again, costs as much as looking up a row. So from the second read of
/// objects in a span on, a connection goes on with the transaction it has: faults are filled from one state of the file. Commits
/// of this process end it. So does whatever asks for the file's present state, a fetch or a refresh, so that what another process
/// has committed before that is seen from then on. When the span ends, and before this process writes, the transactions end, so
/// that they do not keep the log from being emptied.
final class ReadSpan {
    /// Of this span, up to the next read of the present state.
    @exclusivity(unchecked) private var serial = ReadSpan.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue << 40
    private static let lastNumber = Atomic<UInt64>(0)
    @exclusivity(unchecked) private var isActive = false
    /// The pool read from last.
    @exclusivity(unchecked) private var last: ObjectIdentifier?
    /// The pools whose connections may have been left in a transaction.
    @exclusivity(unchecked) private var pools: ContiguousArray<ConnectionPool> = []

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            guard let pointer = pointer as UnsafeMutableRawPointer? else { return }
            Unmanaged<AnyObject>.fromOpaque(pointer).release()
        }
        return key
    }()

    /// This thread's, which keeps it until it ends.
    private static var existing: Unmanaged<ReadSpan>? {
        pthread_getspecific(key).map { Unmanaged<ReadSpan>.fromOpaque($0) }
    }

    private static func make() -> Unmanaged<ReadSpan> {
        let span = Unmanaged.passRetained(ReadSpan())
        pthread_setspecific(key, span.toOpaque())
        return span
    }

    /// Begins this thread's span; there is none yet.
    static func begin() {
        (existing ?? make())._withUnsafeGuaranteedRef { span in
            span.isActive = true
            span.serial &+= 1
        }
    }

    /// Ends this thread's span.
    static func end() { existing?._withUnsafeGuaranteedRef { $0.finish() } }

    private func finish() {
        isActive = false
        last = nil
        guard !pools.isEmpty else { return }
        let pools = pools
        self.pools = []
        for pool in pools { pool.endKeptTransactions() }
    }

    /// Has the reads to come see what anybody has committed until now.
    @inline(__always)
    static func renew() {
        guard let pointer = pthread_getspecific(key) else { return }
        Unmanaged<ReadSpan>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.serial &+= 1 }
    }

    /// Ends the transactions kept by this thread's span, before something that may wait for them.
    static func pause() {
        existing?._withUnsafeGuaranteedRef { for pool in $0.pools { pool.endKeptTransactions() } }
    }

    /// Notes a read; from the second one in this thread's span on, what a transaction must be of to go on with it.
    @inline(__always)
    static func repeats(_ pool: ConnectionPool) -> UInt64? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        return Unmanaged<ReadSpan>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
            $0.isActive && $0.notes(pool) ? $0.serial : nil
        }
    }

    private func notes(_ pool: ConnectionPool) -> Bool {
        if pools.contains(where: { $0 === pool }) { return true }
        guard last == ObjectIdentifier(pool) else {
            last = ObjectIdentifier(pool)
            return false
        }
        pools.append(pool)
        return true
    }
}
