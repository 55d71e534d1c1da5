extension Instruments {
    /// From when on something counts as a mistake.
    public struct AlarmSettings: Hashable, Sendable {
        /// How many queries for different objects, from one place in one piece of work, are one too many for each object; also
        /// how many small saves.
        public var repetitions = 5
        /// Queries of one task or thread, outside of named work, are no loop when more time lies between them. A task that
        /// receives an event now and then repeats nothing; a machine under load needs more.
        public var longestPauseBetweenQueries = Duration.seconds(1)
        /// How many small saves of contexts of their own, one directly after the other, are a loop.
        public var repeatedSaves = 25
        /// Such saves are no loop when more time lies between them.
        public var longestPauseBetweenSaves = Duration.milliseconds(20)
        /// A save of more objects than this is no small one.
        public var largestSmallSave = 20
        /// How many objects a fetch returns at least, for it to matter that the program does no more than count them. To delete
        /// them matters from ``repetitions`` on.
        public var smallestFetch = 10
        /// How many objects a fetch returns at least, for it to matter that they are filtered or sorted in memory.
        public var smallestFilteredFetch = 20
        /// How many rows a table has at least, for it to matter that a fetch goes through it without an index.
        public var smallestScannedTable = 1000
        /// How many unsaved objects of one context are a pile.
        public var mostUnsavedObjects = 10_000

        /// Creates the usual settings.
        public init() {}
    }
}

extension UInt64 {
    /// Returns the time, in nanoseconds, that lies a duration later; the last there is, if that is later still.
    func later(by pause: Duration) -> UInt64 {
        let (seconds, attoseconds) = pause.components
        let (whole, isTooLong) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLong else { return .max }
        let (end, isTooLate) = addingReportingOverflow(whole)
        guard !isTooLate else { return .max }
        let (exact, isTooExact) = end.addingReportingOverflow(UInt64(clamping: attoseconds / 1_000_000_000))
        return isTooExact ? .max : exact
    }
}
