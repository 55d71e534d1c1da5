import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// What instruments know of one thread: the operation it is in. Used by that thread only.
@usableFromInline
package final class InstrumentThread {
    /// 0 for the main thread; others count up from 1.
    package let number: Int
    /// The innermost operation that runs on this thread.
    @usableFromInline @exclusivity(unchecked) package var current: EventRecord?
    /// The faults fulfilled from memory since the last other operation.
    @usableFromInline @exclusivity(unchecked) package var hits: HitRun?
    /// Whether what happens is the engine's own doing.
    @usableFromInline @exclusivity(unchecked) package var isInternal = false
    /// The piece of work and the recordings that a block of a context belongs to, while one runs.
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

    /// The current thread's, which keeps it until it ends.
    @usableFromInline package static var current: InstrumentThread {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<InstrumentThread>.fromOpaque(pointer).takeUnretainedValue()
        }
        let thread = InstrumentThread()
        pthread_setspecific(key, Unmanaged.passRetained(thread).toOpaque())
        return thread
    }
}
