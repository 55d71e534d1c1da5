extension Instruments.Event {
    /// The ID of the object of a single fault.
    public var objectID: NSManagedObjectID? { facts.objectID }
}
