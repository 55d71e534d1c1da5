#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import Foundation

/// The store that a copy is written to. It has a journal until everything was copied and compared.
protocol CopyDestination: AnyObject {
    /// The place for messages.
    var name: String { get }
    var limits: CopyLimits.Kind { get }
    /// The metadata as it was found, or as it was when the store was made.
    var metadata: [String: Any] { get }
    /// True if the store was not made just now.
    var isContinued: Bool { get }
    var session: any StoreSession { get }
    /// Saves changes, with the next journal in their metadata, if no other process has written one since.
    ///
    /// - Parameter journal: The last journal.
    func save(_ changes: StoreChanges, after journal: CopyJournal) throws
    /// Raises the counters of keys, by the numbers of the root entities.
    func raiseHighestKeys(to keys: [Int: Int64]) throws
    /// Closes the store, which is complete, and puts it in its place.
    func finish() throws
    /// Closes the store, to be continued later.
    func close()
}

/// The store of a driver, made or found.
final class CopyTarget<Driver: StoreDriver> {
    let engine: Driver.Engine
    let session: any StoreSession
    let metadata: [String: Any]

    /// Opens a found store.
    init(_ found: Driver.Found, _ source: CopySource, _ model: CopiedModel?) throws {
        let known = Driver.metadata(of: found)
        metadata = known.values()
        engine = try Driver.open(
            found,
            for: EngineOpening(
                layouts: source.layouts, model: model, required: source.present, identifier: known.identifier,
                objectID: { _ in NSObject() }))
        session = try engine.session()
    }

    func close() {
        try? session.end()
        Driver.close(engine)
    }
}
#endif
