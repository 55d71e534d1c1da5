import CoreData

extension MagicalRecord {
    /// What to do with a store whose model is not the present one.
    public struct Migration: Hashable, Sendable {
        /// Ask Core Data to migrate.
        public var migratesAutomatically: Bool
        /// Let it work the mapping out by itself where no mapping model is found.
        public var infersMapping: Bool
        /// Delete the store, and begin with an empty one, when it cannot be opened because of its model.
        ///
        /// The legacy set-up functions take this from ``MagicalRecord/shouldDeleteStoreOnModelMismatch()``.
        public var deletesOnMismatch: Bool
        /// Brings the store to the present version before it is opened; see
        /// ``through(_:mappings:in:progress:)``.
        var preparation: Preparation?

        /// A policy of your own.
        public init(migratesAutomatically: Bool, infersMapping: Bool, deletesOnMismatch: Bool = false) {
            self.migratesAutomatically = migratesAutomatically
            self.infersMapping = infersMapping
            self.deletesOnMismatch = deletesOnMismatch
        }

        /// No migration: a store of another model is an error.
        public static let none = Migration(migratesAutomatically: false, infersMapping: false)
        /// Migrate, with a mapping model where there is one, else with an inferred mapping. The default.
        public static let automatic = Migration(migratesAutomatically: true, infersMapping: true)
        /// Migrate only with mapping models found in the bundles.
        public static let mappingModelsOnly = Migration(migratesAutomatically: true, infersMapping: false)
        /// Migrate where possible, else **delete the data** and begin with an empty store. For caches.
        public static let recreating = Migration(
            migratesAutomatically: true, infersMapping: true, deletesOnMismatch: true)

        /// Work on a store that is about to be opened with a model.
        final class Preparation: Hashable, Sendable {
            let run: @Sendable (Store, NSManagedObjectModel) throws -> Void

            init(_ run: @escaping @Sendable (Store, NSManagedObjectModel) throws -> Void) {
                self.run = run
            }

            static func == (left: Preparation, right: Preparation) -> Bool { left === right }

            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }

        /// The options Core Data gets when a store is added.
        func options(ofStoresOfType type: String) -> [String: Any] {
            guard migratesAutomatically else { return [:] }
            var options: [String: Any] = [
                NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: infersMapping,
            ]
            if type == NSSQLiteStoreType { options[NSSQLitePragmasOption] = ["journal_mode": "WAL"] }
            return options
        }

        /// Errors that say "this store belongs to another model". The original left out 134140, the case where no
        /// mapping model exists.
        static let mismatchCodes: Set<Int> = [
            NSPersistentStoreIncompatibleVersionHashError, NSMigrationMissingSourceModelError, NSMigrationError,
            NSMigrationMissingMappingModelError, NSInferredMappingModelError,
        ]

        static func isMismatch(_ error: any Error) -> Bool {
            let error = error as NSError
            return error.domain == NSCocoaErrorDomain && mismatchCodes.contains(error.code)
        }
    }
}
