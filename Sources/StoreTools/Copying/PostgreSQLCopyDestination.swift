#if PostgreSQL && canImport(CoreDataSQLiteStorage)
import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation

/// A PostgreSQL store. It cannot be opened before it is complete.
final class PostgreSQLCopyDestination: CopyDestination {
    private let target: CopyTarget<PostgreSQLDriver>
    private let found: PostgreSQLDriver.Found
    private let place: StorePlace
    let name: String
    let isContinued: Bool
    let limits = CopyLimits.Kind.postgreSQL
    var metadata: [String: Any] { target.metadata }
    var session: any StoreSession { target.session }

    /// Opens the unfinished copy in a database; returns nil if there is no store.
    ///
    /// - Throws: An error if there is a complete store.
    init?(continuing url: URL, _ source: CopySource) throws {
        let place = StorePlace(url)
        guard let found = try PostgreSQLDriver.findEvenUnfinished(place) else { return nil }
        (name, isContinued) = (place.name, true)
        (self.found, self.place) = (found, place)
        do {
            let known = PostgreSQLDriver.metadata(of: found)
            guard known.values()[UnfinishedCopy.key] != nil else {
                throw StoreToolError(
                    .destination,
                    known.identifier == source.identifier
                        ? "There is a complete copy of the store in \(place.name) already."
                        : "There is a store in \(place.name) already.",
                    advice: "Name another database, or a user with a schema without a store.")
            }
            try CopyJournal.requireSource(source.identifier, in: known.values(), place: place.name)
            target = try CopyTarget(found, source, nil)
        } catch {
            PostgreSQLDriver.abandon(found)
            throw error
        }
    }

    init(making url: URL, _ source: CopySource, _ journal: CopyJournal) throws {
        let place = StorePlace(url)
        (name, isContinued) = (place.name, false)
        let model = CopiedModel(source, journal)
        let found = try PostgreSQLDriver.make(place, for: model, source.layouts)
        (self.found, self.place) = (found, place)
        do {
            target = try CopyTarget(found, source, model)
        } catch {
            PostgreSQLDriver.abandon(found)
            throw error
        }
    }

    /// Removes an unfinished copy.
    static func remove(at url: URL) throws {
        let place = StorePlace(url)
        guard let found = try PostgreSQLDriver.findEvenUnfinished(place) else { return }
        defer { PostgreSQLDriver.abandon(found) }
        guard PostgreSQLDriver.metadata(of: found).values()[UnfinishedCopy.key] != nil else { return }
        try PostgreSQLDriver.destroy(place)
    }

    /// Excludes other writers between the look at the journal and the commit.
    func save(_ changes: StoreChanges, after journal: CopyJournal) throws {
        let session = try target.engine.exclusiveSession()
        defer { try? session.end() }
        let current = try PostgreSQLDriver.refresh(found, at: place).flatMap {
            CopyJournal(in: PostgreSQLDriver.metadata(of: $0).values())
        }
        guard current == journal else { throw CopyErrors.overtaken(name) }
        _ = try session.save(changes)
    }

    func raiseHighestKeys(to keys: [Int: Int64]) throws { try target.engine.raiseHighestKeys(to: keys) }

    func close() { target.close() }

    func finish() throws { close() }
}
#endif
