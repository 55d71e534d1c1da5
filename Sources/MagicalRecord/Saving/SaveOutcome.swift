import CoreData

extension MagicalRecord {
    /// The outcome of a save: the place that its changes reached.
    public enum SaveOutcome: Hashable, Sendable {
        /// There was nothing to save, here or in the contexts above.
        case nothingToSave
        /// The changes are in the parent context, which has not been saved.
        case parent
        /// The changes are in the persistent store.
        case store
    }
}

extension MagicalRecord {
    /// The destination of a save.
    public enum SaveDestination: Hashable, Sendable {
        /// One step: to the parent context, or to the store if there is no parent.
        case parent
        /// Through all parents to the store.
        case store
    }
}
