extension Instruments.Event {
    /// The object that a single fault belongs to.
    public var objectID: NSManagedObjectID? { facts.objectID }
}
