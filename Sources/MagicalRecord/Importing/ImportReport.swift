import CoreData

extension MagicalRecord {
    /// What an import did.
    public struct ImportReport: Sendable {
        /// A record that was not imported, and why.
        public struct Failure: Sendable {
            /// The record's place in the input, from 0.
            public let index: Int
            /// What was wrong with it.
            public let error: any Error
        }

        /// Records that made a new object.
        public internal(set) var inserted = 0
        /// Records that changed an existing object.
        public internal(set) var updated = 0
        /// Records whose object had all their values already.
        public internal(set) var unchanged = 0
        /// Records that a hook, or the options, turned down.
        public internal(set) var skipped = 0
        /// Objects at the other end of relationships that were made.
        public internal(set) var relatedInserted = 0
        /// Records that were not imported.
        public internal(set) var failures: [Failure] = []
        /// How often the store was asked for existing objects.
        public internal(set) var lookUps = 0
        /// Whether the import was cancelled before its end. What had been saved stays.
        public internal(set) var isCancelled = false

        /// All records that were read.
        public var total: Int { inserted + updated + unchanged + skipped + failures.count }
    }
}

extension MagicalRecord.ImportReport: CustomStringConvertible {
    public var description: String {
        var text = "\(inserted) inserted, \(updated) updated, \(unchanged) unchanged, \(skipped) skipped"
        if !failures.isEmpty { text += ", \(failures.count) failed" }
        if isCancelled { text += ", cancelled" }
        return text
    }
}
