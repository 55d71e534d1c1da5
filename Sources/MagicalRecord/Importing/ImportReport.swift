import CoreData

extension MagicalRecord {
    /// The results of an import.
    public struct ImportReport: Sendable {
        /// A record that was not imported, with the error.
        public struct Failure: Sendable {
            /// The record's index in the input, from 0.
            public let index: Int
            /// The reason why the record was not imported.
            public let error: any Error
        }

        /// The number of records that inserted an object.
        public internal(set) var inserted = 0
        /// The number of records that changed an existing object.
        public internal(set) var updated = 0
        /// The number of records that left their object unchanged.
        public internal(set) var unchanged = 0
        /// The number of records that a hook or the options skipped.
        public internal(set) var skipped = 0
        /// The number of objects inserted as related objects of a record.
        public internal(set) var relatedInserted = 0
        /// The records that were not imported.
        public internal(set) var failures: [Failure] = []
        /// The number of fetches for existing objects.
        public internal(set) var lookUps = 0
        /// Whether the import was cancelled before its end. Saved chunks stay.
        public internal(set) var isCancelled = false

        /// The number of records read.
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
