/// Where an object stands in its life. It goes from one stage to the next by ``NSManagedObject/move(to:)`` alone.
///
/// Whether the values are loaded is another matter (``ObjectState/fault``): objects in several of these stages may be faults.
@usableFromInline
enum ObjectLife: UInt8, Sendable {
    // The bits: in the context's table 1, inserted 2, updated 4, deleted 8, deletion saved 16, out of its context 32, for good 64,
    // no object of a graph 128.

    /// In no context yet.
    case detached = 0
    /// In a context, with nothing to save: a fault, or as the store has it.
    case saved = 0b0000_0001
    /// New, and not saved yet.
    case inserted = 0b0000_0011
    /// Changed since it was fetched or saved.
    case updated = 0b0000_0101
    /// Fetched or saved before, and to be deleted by the next save; perhaps changed as well.
    case deleted = 0b0000_1001
    /// New, and deleted before it was ever saved.
    case discarded = 0b0000_1011
    /// Its row is gone, by a save here or elsewhere; those who watch the context are being told.
    case erased = 0b0001_0001
    /// Out of its context, but with its values: an undo may bring it back.
    case left = 0b0010_0000
    /// Forgotten by its context, or deleted and saved: reads as nil.
    case gone = 0b0110_0000
    /// Records the keys of a key path instead of giving values.
    case recorder = 0b1000_0000

    /// Whether an object in this stage may go on to another. To stay is no move.
    func mayBecome(_ next: ObjectLife) -> Bool {
        switch (self, next) {
        // A fault of a row, a new object, a recorder.
        case (.detached, .saved), (.detached, .inserted), (.detached, .recorder): true
        // The last two: deleted elsewhere; and its row is gone, which is written once more.
        case (.saved, .updated), (.saved, .deleted), (.saved, .erased), (.saved, .inserted): true
        // Saved or taken back; and as above.
        case (.updated, .saved), (.updated, .deleted), (.updated, .erased), (.updated, .inserted): true
        // Saved, or refreshed away.
        case (.inserted, .saved), (.inserted, .discarded): true
        case (.deleted, .saved), (.deleted, .updated), (.deleted, .erased): true
        // Taken back; the last two: saved where a context never processes its changes.
        case (.discarded, .inserted), (.discarded, .erased), (.discarded, .saved): true
        // A new object that is deleted, or whose insertion is undone, can come back.
        case (.inserted, .left), (.discarded, .left), (.left, .inserted): true
        // The context is reset, or forgets the object.
        case (.saved, .gone), (.inserted, .gone), (.updated, .gone), (.deleted, .gone), (.discarded, .gone),
            (.erased, .gone), (.left, .gone):
            true
        // What is undone may be a deletion that was saved; and a program may insert what was deleted.
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

    /// In the context's table.
    @inline(__always) var isRegistered: Bool { isAny(1) }
    /// New, perhaps deleted before it was saved.
    @inline(__always) var isInserted: Bool { isAny(2) }
    /// Changed, and neither new nor to be deleted.
    @inline(__always) var isUpdated: Bool { isAny(4) }
    /// To be deleted by the next save, or new and deleted before it was saved.
    @inline(__always) var isDeleted: Bool { isAny(8) }
    @inline(__always) var isErased: Bool { isAny(16) }
    /// Out of its context.
    @inline(__always) var isOut: Bool { isAny(32) }
    @inline(__always) var isRecorder: Bool { isAny(128) }
    /// There is something to save.
    @inline(__always) var isChanged: Bool { isAny(2 | 4 | 8) }
    /// Inserted or to be deleted.
    @inline(__always) var isInsertedOrDeleted: Bool { isAny(2 | 8) }
    /// To be deleted, deleted, or out of its context.
    @inline(__always) var isEnding: Bool { isAny(8 | 16 | 32) }
}

extension NSManagedObject {
    /// The next stage of the object's life. Stops where there is no way from one to the other.
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
