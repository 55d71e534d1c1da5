import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The state of instruments for one thread: the operation that it runs. Used by that thread only.
@usableFromInline
package final class InstrumentThread {
    /// The thread's number: 0 for the main thread; others count up from 1.
    package let number: Int
    /// The innermost operation that runs on this thread.
    @usableFromInline @exclusivity(unchecked) package var current: EventRecord?
    /// The faults fulfilled from memory since the last other operation.
    @usableFromInline @exclusivity(unchecked) package var hits: HitRun?
    /// Whether the current work is internal to the engine.
    @usableFromInline @exclusivity(unchecked) package var isInternal = false
    /// The work item and the recordings of the running block of a context.
    @exclusivity(unchecked) package var origin: InstrumentOrigin?

    private static let lastNumber = Atomic<Int>(0)

    private init() {
        number = Thread.isMainThread ? 0 : Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            guard let pointer = pointer as UnsafeMutableRawPointer? else { return }
            Unmanaged<AnyObject>.fromOpaque(pointer).release()
        }
        return key
    }()

    /// The state of the current thread, which retains it until the thread ends.
    @usableFromInline package static var current: InstrumentThread {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<InstrumentThread>.fromOpaque(pointer).takeUnretainedValue()
        }
        let thread = InstrumentThread()
        pthread_setspecific(key, Unmanaged.passRetained(thread).toOpaque())
        return thread
    }
}
