#if PostgreSQL
import CoreDataRowStorage
import Foundation
import Synchronization

/// The migration of a store by several steps in one transaction: others see the store when all are complete.
///
/// The places of the steps are URLs with marks, under which this process finds the store as it is in the transaction. Copying the
/// store there copies nothing. A step object by object reads the store at a place with tables of other names, which are dropped
/// when the step is over: see ``FormerTables``.
final class StagedReplacement: StoreReplacement, @unchecked Sendable {
    let successor: URL
    private let base: URL
    private let makePool: () throws -> ConnectionPool
    private let mark: String
    private var transaction: StagedTransaction?
    private let lease: MigrationLease?
    /// The places that the store was copied to.
    private var places: Set<String> = []
    /// The store before the last step object by object, and where to create the destination of the step.
    private var former: FormerTables?
    private var destination: String?
    /// The number of steps object by object.
    private var copies = 0

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
        guard let replacement = replacement(at: url), let mark = url.fragment,
            replacement.places.contains(mark) || replacement.former?.mark == mark
        else { return nil }
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

    // MARK: Object by object

    /// Begins a step object by object; returns the place of its source, or nil if the destination is not the place of a step.
    static func source(for destination: URL) throws -> URL? {
        guard let replacement = replacement(at: destination), let mark = destination.fragment,
            !replacement.places.contains(mark)
        else { return nil }
        return marked(replacement.base, try replacement.makeRoom(forDestination: mark))
    }

    private func makeRoom(forDestination mark: String) throws -> String {
        try hold()
        guard let transaction else { throw Self.unsupported }
        try dropFormer()
        copies += 1
        let source = "\(self.mark).source\(copies)"
        do {
            try StoreMigration.retrying(nil) {
                try transaction.step { former = try FormerTables(source, number: copies, $0) }
            }
        } catch let error as PostgreSQLError {
            throw MigrationFailure.error(error, of: base, place: transaction.pool.settings.place)
        }
        destination = mark
        // The store is no longer what was copied.
        places = []
        return source
    }

    /// Returns the tables of the source of a step; nil for other places.
    static func former(at url: URL) -> FormerTables? {
        guard let former = replacement(at: url)?.former, former.mark == url.fragment else { return nil }
        return former
    }

    /// Returns the transaction in which to create the destination of a step that has begun.
    static func beginDestination(at url: URL) throws -> StagedTransaction {
        guard let replacement = replacement(at: url), let mark = url.fragment, replacement.destination == mark,
            let transaction = replacement.transaction
        else { throw unsupported }
        replacement.destination = nil
        replacement.places.insert(mark)
        return transaction
    }

    private func dropFormer() throws {
        guard let transaction, let former else { return }
        do {
            try transaction.step { try former.drop($0) }
        } catch let error as PostgreSQLError {
            throw MigrationFailure.error(error, of: base, place: transaction.pool.settings.place)
        }
        self.former = nil
    }

    private static var unsupported: NSError {
        StoreErrors.unsupported("the creation of a PostgreSQL store at the place of another one")
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
        try dropFormer()
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
