extension Instruments {
    /// The operations of Core Data during a period, and totals.
    ///
    /// ```swift
    /// let recording = try await Instruments.record {
    ///     try await showInbox()
    /// }
    /// print(recording)
    /// ```
    public struct Recording: Sendable {
        /// The operations, in the order of their start.
        public let events: [Event]
        /// The number of operations over the recording's limit, which are not kept. ``totals`` includes them.
        public let droppedEvents: Int
        /// The sums over all operations.
        public let totals: Totals
        /// The performance mistakes; see ``Finding``.
        ///
        /// Their lines are symbolicated on first access, in debug builds: not while the recording runs. That takes up to
        /// seconds in a large program. ``description`` and the file formats access them. May be read on any thread.
        public var findings: [Finding] { found.all }
        private let found: RecordedFindings
        /// The start and end of the recording in nanoseconds on the clock of ``Event/start``.
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

        /// The duration of the recording.
        public var duration: Duration { .nanoseconds(Int64(clamping: end &- start)) }

        /// The fetches of objects, dictionaries and object IDs, and the counts. Excludes those that a parent context makes for
        /// its child.
        public var fetches: [Event] { outermost(\.isFetch) }
        /// The faults of objects and to-many relationships that were read from the store: cache misses.
        public var faults: [Event] { events.filter { $0.isFault && $0.source == .store } }
        /// The faults that were fulfilled by values in memory: cache hits. One event may represent several consecutive ones.
        public var cacheHits: [Event] { events.filter { $0.isFault && $0.source == .memory } }
        /// The saves of contexts to stores and to parents.
        public var saves: [Event] { events.filter { $0.kind == .save } }
        /// Returns all events of a kind.
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
