/// The stages of an object's life. Only ``NSManagedObject/move(to:)`` changes an object's stage.
///
/// Whether the values are loaded is independent (``ObjectState/fault``): objects in several of these stages may be faults.
@usableFromInline
enum ObjectLife: UInt8, Sendable {
    // The bits: in the context's table 1, inserted 2, updated 4, deleted 8, deletion saved 16, out of its context 32,
    // permanently 64, not part of an object graph 128.

    /// In no context yet.
    case detached = 0
    /// In a context, without changes: a fault, or as in the store.
    case saved = 0b0000_0001
    /// New, and not saved yet.
    case inserted = 0b0000_0011
    /// Changed since it was fetched or saved.
    case updated = 0b0000_0101
    /// Fetched or saved before, and deleted by the next save; possibly changed as well.
    case deleted = 0b0000_1001
    /// New, and deleted before it was saved.
    case discarded = 0b0000_1011
    /// Its row was deleted, by a save here or elsewhere; observers of the context are being notified.
    case erased = 0b0001_0001
    /// Removed from its context, but with its values: undo may restore it.
    case left = 0b0010_0000
    /// Detached from its context, or deleted and saved: reads as nil.
    case gone = 0b0110_0000
    /// Records the keys of a key path instead of returning values.
    case recorder = 0b1000_0000

    /// Returns true if an object in this stage may move to another. Staying is no move.
    func mayBecome(_ next: ObjectLife) -> Bool {
        switch (self, next) {
        // A fault of a row, a new object, a recorder.
        case (.detached, .saved), (.detached, .inserted), (.detached, .recorder): true
        // The last two: deleted elsewhere; and inserted again after its row was deleted.
        case (.saved, .updated), (.saved, .deleted), (.saved, .erased), (.saved, .inserted): true
        // Saved or reverted; and as above.
        case (.updated, .saved), (.updated, .deleted), (.updated, .erased), (.updated, .inserted): true
        // Saved, or refreshed before the first save.
        case (.inserted, .saved), (.inserted, .discarded): true
        case (.deleted, .saved), (.deleted, .updated), (.deleted, .erased): true
        // Reverted; the last two: saved in a context that never processes its changes.
        case (.discarded, .inserted), (.discarded, .erased), (.discarded, .saved): true
        // A deleted new object, or one with an undone insertion, can be restored.
        case (.inserted, .left), (.discarded, .left), (.left, .inserted): true
        // The context is reset, or unregisters the object.
        case (.saved, .gone), (.inserted, .gone), (.updated, .gone), (.deleted, .gone), (.discarded, .gone),
            (.erased, .gone), (.left, .gone):
            true
        // Undo may restore an object after a saved deletion, and a program may insert a deleted object.
        case (.gone, .inserted): true
        default: false
        }
    }
}

extension ObjectState {
    @inline(__always)
    var life: ObjectLife { ObjectLife(rawValue: UInt8(truncatingIfNeeded: rawValue)).unsafelyUnwrapped }

    @inline(__always)
    private func isAny(_ bits: UInt32) -> Bool { rawValue & bits != 0 }

    /// True if the object is in the context's table.
    @inline(__always) var isRegistered: Bool { isAny(1) }
    /// True for a new object, even if deleted before it was saved.
    @inline(__always) var isInserted: Bool { isAny(2) }
    /// True if the object is changed, and neither new nor to be deleted.
    @inline(__always) var isUpdated: Bool { isAny(4) }
    /// True if the next save deletes the object, or it is new and was deleted before it was saved.
    @inline(__always) var isDeleted: Bool { isAny(8) }
    @inline(__always) var isErased: Bool { isAny(16) }
    /// True if the object is not in its context.
    @inline(__always) var isOut: Bool { isAny(32) }
    @inline(__always) var isRecorder: Bool { isAny(128) }
    /// True if there is something to save.
    @inline(__always) var isChanged: Bool { isAny(2 | 4 | 8) }
    /// True if the object is inserted or to be deleted.
    @inline(__always) var isInsertedOrDeleted: Bool { isAny(2 | 8) }
    /// True if the object is to be deleted, is deleted, or is not in its context.
    @inline(__always) var isEnding: Bool { isAny(8 | 16 | 32) }
}

extension NSManagedObject {
    /// Moves the object to another stage of its life. Stops the program if that is not allowed.
    @inline(__always)
    final func move(to next: ObjectLife) {
        let life = _state.life
        if life == next { return }
        guard life.mayBecome(next) else { failToMove(to: next) }
        _state.enter(next)
    }

    @inline(never)
    private final func failToMove(to next: ObjectLife) -> Never {
        fatalError(
            "An object that is \(_state.life) cannot become \(next): \(identifier). This is a mistake in Core Data itself, or "
                + "the object was used on two threads at once. Use objects on the queue of their context.")
    }
}
