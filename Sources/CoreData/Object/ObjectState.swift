/// What a managed object is going through: its life in the lowest byte, and what is noted of it beside that.
@usableFromInline
struct ObjectState: OptionSet, Sendable {
    @usableFromInline private(set) var rawValue: UInt32

    @inlinable
    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ life: ObjectLife, _ notes: ObjectState = []) { rawValue = UInt32(life.rawValue) | notes.rawValue }

    /// To be called by ``NSManagedObject/move(to:)`` alone.
    @inline(__always)
    mutating func enter(_ life: ObjectLife) {
        rawValue = rawValue & ~0xff | UInt32(life.rawValue)
        // Delete rules are applied to each deletion.
        if life != .deleted, life != .discarded { remove(.propagated) }
    }

    /// Values are not loaded (a row may be at hand all the same).
    static let fault = ObjectState(rawValue: 1 << 8)
    /// The row is the object's own copy, with changed bits.
    static let ownsRow = ObjectState(rawValue: 1 << 9)
    /// In the context's list of objects that changed since it last processed changes.
    static let inEvent = ObjectState(rawValue: 1 << 10)
    /// In the context's list of objects with unsaved changes, which keeps them alive. May outlast the changes.
    static let enlisted = ObjectState(rawValue: 1 << 11)
    /// Loading values: changes are not tracked.
    static let awaking = ObjectState(rawValue: 1 << 12)
    /// The row could not be found: deleted by somebody else.
    static let inaccessible = ObjectState(rawValue: 1 << 13)
    /// The delete rules of this deletion have been applied.
    static let propagated = ObjectState(rawValue: 1 << 14)
    /// Changed since `willSave()` was last sent.
    static let changedInSave = ObjectState(rawValue: 1 << 15)
    /// Those who watch the context have been told of the insertion.
    static let insertionReported = ObjectState(rawValue: 1 << 16)
    /// Values may be written straight to the row: the object is known to have changed in this event. Only where values may
    /// be read straight from it as well.
    @inlinable static var writable: ObjectState { ObjectState(rawValue: 1 << 17) }
    /// Those who watch the context have been told of the deletion.
    static let deletionReported = ObjectState(rawValue: 1 << 18)
    /// Values were asked for, and the row could not be found: no longer a fault for the program.
    static let fired = ObjectState(rawValue: 1 << 19)
}
