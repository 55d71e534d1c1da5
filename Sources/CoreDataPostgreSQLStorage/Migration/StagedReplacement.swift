#if PostgreSQL
import CoreDataRowStorage
import Foundation
import Synchronization

/// The migration of a store by several steps in one transaction: others see the store when all are complete.
///
/// The places of the steps are URLs with marks, under which this process finds the store as it is in the transaction. Copying the
/// store there copies nothing.
final class StagedReplacement: StoreReplacement, @unchecked Sendable {
    let successor: URL
    private let base: URL
    private let makePool: () throws -> ConnectionPool
    private let mark: String
    private var transaction: StagedTransaction?
    private let lease: MigrationLease?
    /// The places that the store was copied to.
    private var places: Set<String> = []

    private static let registered = Mutex<[String: Reference]>([:])

    private struct Reference: Sendable { weak var replacement: StagedReplacement? }

    /// Waits until no other process migrates the store.
    ///
    /// - Throws: 134090 if one does so for longer than the timeout in the options.
    init(_ place: StorePlace, _ makePool: @escaping () throws -> ConnectionPool) throws {
        // A step belongs to a transaction that has the lease.
        lease = Self.isMarked(place.url) ? nil : try MigrationLease.take(place)
        self.makePool = makePool
        base = place.url
        mark = Self.markBegin + UUID().uuidString
        successor = Self.marked(place.url, mark + ".0")
        Self.registered.withLock { $0[mark] = Reference(replacement: self) }
    }

    deinit {
        Self.registered.withLock { $0[mark] = nil }
        // Others find the store as the transaction leaves it.
        transaction = nil
        lease?.end()
    }

    // MARK: Marks

    private static let markBegin = "coredata-stages-"

    private static func marked(_ url: URL, _ mark: String) -> URL {
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        parts?.fragment = mark
        return parts?.url ?? url
    }

    /// Returns a URL without mark, for errors.
    static func withoutMark(_ url: URL) -> URL {
        guard isMarked(url), var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return url }
        parts.fragment = nil
        return parts.url ?? url
    }

    /// Returns true if a URL is the place of a step, perhaps one that is over.
    static func isMarked(_ url: URL) -> Bool { url.fragment?.hasPrefix(markBegin) == true }

    private static func replacement(at url: URL) -> StagedReplacement? {
        guard isMarked(url), let mark = url.fragment?.prefix(while: { $0 != "." }) else { return nil }
        return registered.withLock { $0[String(mark)]?.replacement }
    }

    /// Returns the transaction that a place with a copy of the store belongs to.
    static func transaction(at url: URL) -> StagedTransaction? {
        guard let replacement = replacement(at: url), let mark = url.fragment, replacement.places.contains(mark) else {
            return nil
        }
        return replacement.transaction
    }

    /// Copies the store to the place of a step; returns false for other places.
    static func copy(to url: URL) throws -> Bool {
        guard let replacement = replacement(at: url), let mark = url.fragment else { return false }
        try replacement.hold()
        replacement.places.insert(mark)
        return true
    }

    static func discard(_ url: URL) {
        if let mark = url.fragment { replacement(at: url)?.places.remove(mark) }
    }

    /// Throws for the place of a step: stores cannot be created there.
    static func requireNone(_ url: URL) throws {
        if isMarked(url) { throw unsupported }
    }

    private static var unsupported: NSError {
        StoreErrors.unsupported("the migration of PostgreSQL stores object by object")
    }

    // MARK: Replacing

    func place(ofStep number: Int) throws -> URL { Self.marked(base, mark + ".\(number)") }
    func removeStep(_ number: Int) {}

    func hold() throws {
        guard transaction == nil else { return }
        let pool = try makePool()
        do {
            transaction = try StagedTransaction(pool)
        } catch let error as PostgreSQLError {
            throw ServerFailure.error(error, place: pool.settings.place)
        }
    }

    func copyStore() throws { _ = try Self.copy(to: successor) }

    func swap() throws {
        guard let transaction, !places.isEmpty else { throw Self.unsupported }
        do {
            try transaction.commit()
        } catch let error as PostgreSQLError {
            throw ServerFailure.error(error, place: transaction.pool.settings.place)
        }
        places = []
        self.transaction = nil
    }
}
#endif
