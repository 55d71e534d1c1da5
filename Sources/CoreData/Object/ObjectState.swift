/// What a managed object is going through.
@usableFromInline
struct ObjectState: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt32

    @inlinable
    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Values are not loaded (a row may be at hand all the same).
    static let fault = ObjectState(rawValue: 1 << 0)
    /// In the context's uniquing table.
    static let registered = ObjectState(rawValue: 1 << 1)
    /// The row is the object's own copy, with changed bits.
    static let ownsRow = ObjectState(rawValue: 1 << 2)
    static let inserted = ObjectState(rawValue: 1 << 3)
    static let updated = ObjectState(rawValue: 1 << 4)
    static let deleted = ObjectState(rawValue: 1 << 5)
    /// In the context's list of objects that changed since it last processed changes.
    static let inEvent = ObjectState(rawValue: 1 << 6)
    /// In the context's list of objects with unsaved changes, which keeps them alive. May outlast the changes.
    static let enlisted = ObjectState(rawValue: 1 << 7)
    /// Loading values: changes are not tracked.
    static let awaking = ObjectState(rawValue: 1 << 8)
    /// Forgotten by its context, or deleted and saved: reads as nil.
    static let dead = ObjectState(rawValue: 1 << 9)
    /// Records the keys of a key path instead of giving values.
    static let recorder = ObjectState(rawValue: 1 << 10)
    /// The row could not be found: deleted by somebody else.
    static let inaccessible = ObjectState(rawValue: 1 << 11)
    /// The delete rules of this deletion have been applied.
    static let propagated = ObjectState(rawValue: 1 << 12)
    /// Changed since `willSave()` was last sent.
    static let changedInSave = ObjectState(rawValue: 1 << 13)
    /// Those who watch the context have been told of the insertion.
    static let insertionReported = ObjectState(rawValue: 1 << 14)
    /// Those who watch the context have been told of the deletion.
    static let deletionReported = ObjectState(rawValue: 1 << 15)
    /// The row has been deleted by a save whose observers are being told.
    static let deletionSaved = ObjectState(rawValue: 1 << 16)
    /// Values may be written straight to the row: the object is known to have changed in this event. Only where values may
    /// be read straight from it as well.
    @inlinable static var writable: ObjectState { ObjectState(rawValue: 1 << 17) }

    /// There is something to save.
    static let changed: ObjectState = [.inserted, .updated, .deleted]
}
