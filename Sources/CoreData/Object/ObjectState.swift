/// The state of a managed object: its life stage in the lowest byte, and flags.
@usableFromInline
struct ObjectState: OptionSet, Sendable {
    @usableFromInline private(set) var rawValue: UInt32

    @inlinable
    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ life: ObjectLife, _ notes: ObjectState = []) { rawValue = UInt32(life.rawValue) | notes.rawValue }

    /// Sets the life stage. Called by ``NSManagedObject/move(to:)`` only.
    @inline(__always)
    mutating func enter(_ life: ObjectLife) {
        rawValue = rawValue & ~0xff | UInt32(life.rawValue)
        // Delete rules are applied to each deletion.
        if life != .deleted, life != .discarded { remove(.propagated) }
    }

    /// Values are not loaded, though the row may be in memory.
    static let fault = ObjectState(rawValue: 1 << 8)
    /// The row is a private copy with change bits.
    static let ownsRow = ObjectState(rawValue: 1 << 9)
    /// Part of the context's current change-processing pass.
    static let inEvent = ObjectState(rawValue: 1 << 10)
    /// In the context's list of objects with unsaved changes, which retains them. May outlast the changes.
    static let enlisted = ObjectState(rawValue: 1 << 11)
    /// Loading values: changes are not tracked.
    static let awaking = ObjectState(rawValue: 1 << 12)
    /// The row could not be found: it was deleted elsewhere.
    static let inaccessible = ObjectState(rawValue: 1 << 13)
    /// The delete rules of this deletion have been applied.
    static let propagated = ObjectState(rawValue: 1 << 14)
    /// Changed since `willSave()` was last called.
    static let changedInSave = ObjectState(rawValue: 1 << 15)
    /// Observers of the context have been notified of the insertion.
    static let insertionReported = ObjectState(rawValue: 1 << 16)
    /// Values may be written directly to the row: the object has already changed in this pass. Set only if values may also be
    /// read directly.
    @inlinable static var writable: ObjectState { ObjectState(rawValue: 1 << 17) }
    /// Observers of the context have been notified of the deletion.
    static let deletionReported = ObjectState(rawValue: 1 << 18)
    /// A value was read, and the row could not be found: no longer a fault for the program.
    static let fired = ObjectState(rawValue: 1 << 19)
}
