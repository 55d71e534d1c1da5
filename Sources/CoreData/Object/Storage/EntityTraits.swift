/// What only the graph knows of an entity, and what is asked rarely: when tables or first objects are made, never for a row.
///
/// May be asked on any thread.
package protocol EntityTraits: AnyObject, Sendable {
    /// The value that new objects begin with.
    func startingValue(of cell: EntityLayout.Cell) -> AttributeDefault
}
