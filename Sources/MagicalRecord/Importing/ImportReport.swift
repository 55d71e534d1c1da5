import CoreData

extension MagicalRecord {
    /// The results of an import.
    public struct ImportReport: Sendable, CustomStringConvertible {
        /// A record that was not imported, with the error. Prints the record's index, the place in the record and the reason.
        public struct Failure: Sendable, CustomStringConvertible {
            /// The record's index in the input, from 0.
            public let index: Int
            /// The reason why the record was not imported: a ``MagicalRecordError`` with the ``MagicalRecordError/path`` of the
            /// value, or Core Data's error, unchanged, with the object under `NSValidationObjectErrorKey`.
            public let error: any Error

            public var description: String {
                if let error = error as? MagicalRecordError, error.record != nil { return "\(error)" }
                return "record \(index): \((error as NSError).localizedDescription)"
            }
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

    /// Changes the errors that were added since there were `count`.
    func updateErrors(since count: Int, _ update: (any Error) -> any Error) {
        for index in errors.indices.dropFirst(count) { errors[index] = update(errors[index]) }
    }
}

extension ImportTolerance? {
    /// Returns the result of `body`; nil if it throws, with the error in the tolerance. Without a tolerance, throws the error.
    /// Prepends a component to the paths of all errors.
    func collecting<Result>(at component: @autoclosure () -> String?, _ body: () throws -> Result?) throws -> Result? {
        let known = self?.errors.count ?? 0
        do {
            let result = try body()
            if let self, self.errors.count > known { self.updateErrors(since: known) { $0.within(component()) } }
            return result
        } catch {
            guard let self else { throw error.within(component()) }
            self.add(error)
            self.updateErrors(since: known) { $0.within(component()) }
            return nil
        }
    }
}
