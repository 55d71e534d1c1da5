import Synchronization

/// Consecutive faults of one entity in one context that were fulfilled from memory: one event for all of them.
///
/// The thread may still count while listeners read, so the counter is atomic.
@usableFromInline
package final class HitRun: Sendable {
    /// The address of the objects' uniquing table, which belongs to one context and entity. Used as an identifier only.
    package let table: UInt
    package let count = Atomic<Int>(1)

    package init(table: UnsafeMutableRawPointer) { self.table = UInt(bitPattern: table) }
}
