extension Instruments {
    /// What Core Data did while something ran: every operation, and totals.
    ///
    /// ```swift
    /// let recording = try await Instruments.record {
    ///     try await showInbox()
    /// }
    /// print(recording)
    /// ```
    public struct Recording: Sendable {
        /// The operations, in the order in which they began.
        public let events: [Event]
        /// How many operations were not kept, because there were more than the recording's limit. ``totals`` count them.
        public let droppedEvents: Int
        /// Sums over all operations.
        public let totals: Totals
        /// Mistakes that cost time; see ``Finding``.
        ///
        /// Their lines are looked up when this is first asked for, in debug builds: not while the recording runs. That takes up
        /// to seconds in a large program. ``description`` and the forms for files ask for it. May be used on any thread.
        public var findings: [Finding] { found.all }
        private let found: RecordedFindings
        /// When the recording began and ended: nanoseconds on the clock of ``Event/start``.
        public let start: UInt64, end: UInt64

        package init(
            events: [Event], droppedEvents: Int, totals: Totals, findings: [Finding], start: UInt64, end: UInt64
        ) {
            self.init(
                events: events, droppedEvents: droppedEvents, totals: totals, found: RecordedFindings(findings),
                start: start, end: end)
        }

        init(
            events: [Event], droppedEvents: Int, totals: Totals, found: RecordedFindings, start: UInt64, end: UInt64
        ) {
            (self.events, self.droppedEvents, self.totals) = (events, droppedEvents, totals)
            (self.found, self.start, self.end) = (found, start, end)
        }

        /// How long the recording ran.
        public var duration: Duration { .nanoseconds(Int64(clamping: end &- start)) }

        /// Fetches of objects, dictionaries and object IDs, and counts. Those that a parent context makes for its child's are
        /// left out.
        public var fetches: [Event] { outermost(\.isFetch) }
        /// Faults of objects and to-many relationships that the store had to be asked for: cache misses.
        public var faults: [Event] { events.filter { $0.isFault && $0.source == .store } }
        /// Faults that values in memory fulfilled: cache hits. One event may stand for several that followed each other.
        public var cacheHits: [Event] { events.filter { $0.isFault && $0.source == .memory } }
        /// Saves of contexts to stores and to parents.
        public var saves: [Event] { events.filter { $0.kind == .save } }
        /// All events of a kind.
        public func events(of kind: Event.Kind) -> [Event] { events.filter { $0.kind == kind } }

        private func outermost(_ isWanted: (Event) -> Bool) -> [Event] {
            var found: Set<Int> = []
            return events.filter { event in
                guard isWanted(event) else { return false }
                found.insert(event.id)
                return event.parentID.map { !found.contains($0) } ?? true
            }
        }
    }
}

extension Instruments.Event {
    var isFetch: Bool { kind == .fetch || kind == .count || kind == .dictionaries || kind == .objectIDs }
    var isFault: Bool { kind == .fault || kind == .relationshipFault }
}
