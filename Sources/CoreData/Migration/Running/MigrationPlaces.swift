import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation

/// The source and the destination of a migration, with their checks and errors.
struct MigrationPlaces {
    let source: MigrationRun.Place
    let destination: MigrationRun.Place
    /// The model of the source.
    let model: NSManagedObjectModel

    /// Checks that the source and the destination can be used.
    ///
    /// - Throws: 134160 if both are the same file, also through links; `NSPersistentStoreOperationError` if this thread has an
    ///   exclusive write transaction on either.
    func check() throws {
        CurrentContexts.restSessions()
        for place in [source, destination] { try ExclusiveWrites.requireNone(of: place.url, toBe: "migrated") }
        guard isFile(source), isFile(destination), StoreFiles.exists(source.url) else { return }
        let (from, to) = (StoreFiles.resolvingLinks(in: source.url), StoreFiles.resolvingLinks(in: destination.url))
        let identity = FileIdentity(from.path)
        guard from.path == to.path || identity != nil && identity == FileIdentity(to.path) else { return }
        throw CoreDataError.make(
            NSMigrationManagerDestinationStoreError,
            description: "The store at \(source.url.path) could not be migrated: it is its own destination.",
            reason: "\(destination.url.path) is the source.",
            advice:
                "Migrate to another URL and put the result in place with replacePersistentStore, or add the store with "
                + "NSMigratePersistentStoresAutomaticallyOption.",
            userInfo: [NSURLErrorKey: destination.url])
    }

    private func isFile(_ place: MigrationRun.Place) -> Bool {
        place.type != NSInMemoryStoreType && place.url.isFileURL && place.url.path != StoreOpening.nowhere.path
    }

    /// Checks that the source can be read and has the source model's version.
    ///
    /// - Throws: 134150 if not.
    func checkVersion() throws {
        do {
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: source.type, at: source.url, options: source.options)
            let names: [String?] = [source.configuration, nil] + model.configurations
            if names.contains(where: { model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata) }) {
                return
            }
            throw CoreDataError.make(
                NSPersistentStoreIncompatibleVersionHashError,
                description: "The model used to open the store is incompatible with the one used to create the store.",
                advice: "Give the manager the model the store was made with"
                    + VersionDifference(model: model, configuration: nil, metadata: metadata, stored: nil).inBrackets
                    + ".",
                userInfo: ["metadata": metadata, NSURLErrorKey: source.url])
        } catch {
            throw sourceFailure(error)
        }
    }

    /// Returns 134150 for an error of opening or reading the source.
    func sourceFailure(_ error: any Error) -> NSError {
        failure(
            error, NSMigrationManagerSourceStoreError,
            "The store to be migrated, at \(source.url.path), could not be opened.",
            "Check the URL, the type and the source model of the migration.", source.url)
    }

    /// Returns 134160 for an error of opening or creating the destination.
    func destinationFailure(_ error: any Error) -> NSError {
        failure(
            error, NSMigrationManagerDestinationStoreError,
            "The store to migrate to, at \(destination.url.path), could not be opened.",
            "Give a URL where there is no file yet, or a store of the destination model to add to.", destination.url)
    }

    private func failure(
        _ error: any Error, _ code: Int, _ description: String, _ advice: String, _ url: URL
    ) -> NSError {
        let cause = error as NSError
        return CoreDataError.make(
            code, description: description, reason: cause.localizedDescription,
            advice: cause.localizedRecoverySuggestion ?? advice, underlying: error, userInfo: [NSURLErrorKey: url])
    }
}
