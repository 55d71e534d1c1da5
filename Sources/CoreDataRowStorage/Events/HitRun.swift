import Synchronization

/// Faults of one entity in one context that were fulfilled from memory one after the other: one event for all of them.
///
/// The thread counts while listeners may read already, so the counter is atomic.
@usableFromInline
package final class HitRun: Sendable {
    /// The address of the objects' table, which is of one context and entity. Not used to get there.
    package let table: UInt
    package let count = Atomic<Int>(1)

    package init(table: UnsafeMutableRawPointer) { self.table = UInt(bitPattern: table) }
}
