/// The reasons for which several values of an object changed at once; passed to `awake(fromSnapshotEvents:)`. Raw values are
/// Apple's.
public struct NSSnapshotEventType: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Undo reverted an insertion.
    public static let undoInsertion = NSSnapshotEventType(rawValue: 1 << 1)
    /// Undo reverted a deletion.
    public static let undoDeletion = NSSnapshotEventType(rawValue: 1 << 2)
    /// Undo reverted changes of values.
    public static let undoUpdate = NSSnapshotEventType(rawValue: 1 << 3)
    /// The context was rolled back.
    public static let rollback = NSSnapshotEventType(rawValue: 1 << 4)
    /// The object was refreshed, keeping its changes.
    public static let refresh = NSSnapshotEventType(rawValue: 1 << 5)
    /// A merge policy resolved a conflict.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 1 << 6)
}
