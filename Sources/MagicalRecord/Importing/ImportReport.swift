import CoreData

extension MagicalRecord {
    /// The results of an import.
    public struct ImportReport: Sendable, CustomStringConvertible {
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

        public var description: String {
            "\(inserted) inserted, \(updated) updated, \(unchanged) unchanged, \(skipped) skipped"
                + (failures.isEmpty ? "" : ", \(failures.count) failed") + (isCancelled ? ", cancelled" : "")
        }

        func cancelled() -> ImportReport {
            var copy = self
            copy.isCancelled = true
            return copy
        }
    }
}

/// Collects the errors of values that cannot be read. As in the original's functions, these are left out, and the rest of the
/// record is imported. Used by one import at a time.
final class ImportTolerance {
    private(set) var errors: [any Error] = []

    func add(_ error: any Error) { errors.append(error) }
}

extension ImportTolerance? {
    /// Returns the result of `body`; nil if it throws, with the error in the tolerance. Without a tolerance, throws the error.
    func collecting<Result>(_ body: () throws -> Result?) throws -> Result? {
        do {
            return try body()
        } catch {
            guard let self else { throw error }
            self.add(error)
            return nil
        }
    }
}
