extension Instruments {
    /// The thresholds from which an operation counts as a mistake.
    public struct AlarmSettings: Hashable, Sendable {
        /// The number of queries for different objects, from one place in one unit of work, that counts as one query per
        /// object; also the number of small saves.
        public var repetitions = 5
        /// The longest pause between queries of a loop, for one task or thread outside of named work. A task that occasionally
        /// receives an event repeats nothing; a machine under load needs a longer pause.
        public var longestPauseBetweenQueries = Duration.seconds(1)
        /// The number of small saves of separate contexts in direct succession that counts as a loop.
        public var repeatedSaves = 25
        /// The longest pause between such saves of a loop.
        public var longestPauseBetweenSaves = Duration.milliseconds(20)
        /// The largest number of objects in a small save.
        public var largestSmallSave = 20
        /// The smallest number of objects in a fetch that is reported for only counting them. Fetches for deletion are reported
        /// from ``repetitions`` on.
        public var smallestFetch = 10
        /// The smallest number of objects in a fetch that is reported for filtering or sorting them in memory.
        public var smallestFilteredFetch = 20
        /// The smallest number of rows in a table that is reported for a scan without an index.
        public var smallestScannedTable = 1000
        /// The number of unsaved objects of one context that is reported.
        public var mostUnsavedObjects = 10_000

        /// Creates the default settings.
        public init() {}
    }
}

extension UInt64 {
    /// Returns the time, in nanoseconds, after a duration; the maximum if it overflows.
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
