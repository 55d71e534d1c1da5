import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Something of an engine that may go on with the transaction of a read in the next one.
@usableFromInline
package protocol TransactionKeeper: AnyObject {
    /// Ends what reads have left open.
    func endKeptTransactions()
}

/// A stretch of work on one thread in which reads follow each other closely: a block run by a context.
///
/// Locking a store's state for a read, and giving it up again, costs as much as looking up a row. So from the second read of
/// objects in a span on, a connection goes on with the transaction it has: faults are filled from one state. Commits of this
/// process end it. So does whatever asks for the present state, a fetch or a refresh, so that what another process
/// has committed before that is seen from then on. When the span ends, and before this process writes, the transactions end, so
/// that they do not keep the log from being emptied.
@usableFromInline
package final class ReadSpan {
    /// Of this span, up to the next read of the present state.
    @usableFromInline @exclusivity(unchecked) var serial =
        ReadSpan.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue << 40
    private static let lastNumber = Atomic<UInt64>(0)
    @usableFromInline @exclusivity(unchecked) var isActive = false
    /// What was read from last.
    @exclusivity(unchecked) private var last: ObjectIdentifier?
    /// Those that may have left a connection in a transaction.
    @exclusivity(unchecked) private var keepers: ContiguousArray<any TransactionKeeper> = []

    @usableFromInline static let key: pthread_key_t = {
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
    package static func begin() {
        (existing ?? make())._withUnsafeGuaranteedRef { span in
            span.isActive = true
            span.serial &+= 1
        }
    }

    /// Ends this thread's span.
    package static func end() { existing?._withUnsafeGuaranteedRef { $0.finish() } }

    private func finish() {
        isActive = false
        last = nil
        guard !keepers.isEmpty else { return }
        let keepers = keepers
        self.keepers = []
        for keeper in keepers { keeper.endKeptTransactions() }
    }

    /// Has the reads to come see what anybody has committed until now.
    @inlinable @inline(__always)
    package static func renew() {
        guard let pointer = pthread_getspecific(key) else { return }
        Unmanaged<ReadSpan>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.serial &+= 1 }
    }

    /// Ends the transactions kept by this thread's span, before something that may wait for them.
    package static func pause() {
        existing?._withUnsafeGuaranteedRef { for keeper in $0.keepers { keeper.endKeptTransactions() } }
    }

    /// Notes a read; from the second one in this thread's span on, what a transaction must be of to go on with it.
    @inlinable @inline(__always)
    package static func repeats(_ keeper: any TransactionKeeper) -> UInt64? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        return Unmanaged<ReadSpan>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
            $0.isActive && $0.notes(keeper) ? $0.serial : nil
        }
    }

    @usableFromInline func notes(_ keeper: any TransactionKeeper) -> Bool {
        if keepers.contains(where: { $0 === keeper }) { return true }
        guard last == ObjectIdentifier(keeper) else {
            last = ObjectIdentifier(keeper)
            return false
        }
        keepers.append(keeper)
        return true
    }
}
