/// What only some objects need: changed ones, and those with materialised relationships.
final class ObjectExtra {
    /// The object's table, see ``ObjectAttachment``.
    @exclusivity(unchecked) var table: Unmanaged<EntityTable>?
    @exclusivity(unchecked) var objectID: NSManagedObjectID?
    /// By relationship index: the destination of a to-one, or the ``ToMany`` of a to-many; nil where not materialised.
    @exclusivity(unchecked) var relationships: ContiguousArray<AnyObject?> = []
    /// Values that do not live in cells, by cell index: transformables' decoded values and untyped transients.
    @exclusivity(unchecked) var boxed: [Int: Any] = [:]
    /// Fetched properties' results, by name.
    @exclusivity(unchecked) var fetched: [String: [NSManagedObject]] = [:]

    /// The row as it was loaded or saved last, while the object owns a changed copy.
    @exclusivity(unchecked) var committed: Snapshot?
    /// The row as it was before the current event, nil while that equals `committed`.
    @exclusivity(unchecked) var eventStart: Snapshot?
    /// Store chosen for a new object.
    @exclusivity(unchecked) var assignedStore: NSPersistentStore?

    /// What relationships led to when a change by primitive values was announced, by relationship index.
    @exclusivity(unchecked) var announced: [Int: ContiguousArray<NSManagedObject>] = [:]

    /// A row that does not change any more.
    struct Snapshot {
        let row: UnsafeMutableRawPointer
        let slab: RowSlab
        var boxed: [Int: Any] = [:]
    }
}
