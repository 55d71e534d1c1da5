import CoreData

extension MagicalRecord {
    /// The policy for opening a store that was written with another version of the model.
    public struct Migration: Hashable, Sendable {
        /// Whether Core Data migrates the store.
        public var migratesAutomatically: Bool
        /// Whether Core Data infers the mapping if it finds no mapping model.
        public var infersMapping: Bool
        /// Whether a store that cannot be opened because of its model is deleted and replaced with an empty one. The legacy set-up
        /// functions take the value from ``MagicalRecord/shouldDeleteStoreOnModelMismatch()``.
        public var deletesOnMismatch: Bool
        /// The step that migrates the store before it is opened; see ``through(_:mappings:in:progress:)``.
        var preparation: Preparation?

        /// Creates a policy.
        public init(migratesAutomatically: Bool, infersMapping: Bool, deletesOnMismatch: Bool = false) {
            self.migratesAutomatically = migratesAutomatically
            self.infersMapping = infersMapping
            self.deletesOnMismatch = deletesOnMismatch
        }

        /// No migration: a store of another model version is an error.
        public static let none = Migration(migratesAutomatically: false, infersMapping: false)
        /// Migration with a mapping model if there is one, otherwise with an inferred mapping. The default.
        public static let automatic = Migration(migratesAutomatically: true, infersMapping: true)
        /// Migration with mapping models found in the bundles, without inferred mappings.
        public static let mappingModelsOnly = Migration(migratesAutomatically: true, infersMapping: false)
        /// Migration if possible; otherwise **deletes the data** and begins with an empty store. For caches.
        public static let recreating = Migration(
            migratesAutomatically: true, infersMapping: true, deletesOnMismatch: true)

        /// A step that runs before a store is opened. Compared by identity.
        final class Preparation: Hashable, Sendable {
            let versions: ModelVersions
            let run: @Sendable (Store, NSManagedObjectModel) throws -> Void

            init(
                through versions: ModelVersions,
                _ run: @escaping @Sendable (Store, NSManagedObjectModel) throws -> Void
            ) {
                (self.versions, self.run) = (versions, run)
            }

            static func == (left: Preparation, right: Preparation) -> Bool { left === right }

            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }

        /// Returns the options for adding a store.
        func options(ofStoresOfType type: String) -> [String: Any] {
            guard migratesAutomatically else { return [:] }
            var options: [String: Any] = [
                NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: infersMapping,
            ]
            if type == NSSQLiteStoreType { options[NSSQLitePragmasOption] = ["journal_mode": "WAL"] }
            return options
        }

        /// Returns whether an error says that a store does not match the model. The original did not include 134140, a missing
        /// mapping model.
        static func isMismatch(_ error: any Error) -> Bool {
            let error = error as NSError
            return error.domain == NSCocoaErrorDomain
                && [
                    NSPersistentStoreIncompatibleVersionHashError, NSMigrationMissingSourceModelError, NSMigrationError,
                    NSMigrationMissingMappingModelError, NSInferredMappingModelError,
                ].contains(error.code)
        }
    }
}
