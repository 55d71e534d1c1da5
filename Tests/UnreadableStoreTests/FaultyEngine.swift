import CoreDataRowStorage
import CoreDataTestSupport
import Foundation
import Synchronization

/// An engine that refuses chosen questions and passes the others on to one that keeps its rows in memory.
final class FaultyEngine: StoreEngine {
    /// A question that an engine is asked.
    enum Question: CaseIterable {
        case rowsOfFetch, references, count, dictionaries, rows, members, membersOfMany, keys
    }

    private struct Plan: Sendable {
        var refused: Set<Question> = []
        /// The number of refusals left; nil for any number.
        var left: Int?
        /// Refuses one question in so many, at random.
        var oneIn: Int?
        var generator = SeededGenerator(seed: 0)
        var refusals = 0
        var repeatsRows = false
    }

    private let wrapped: any StoreEngine
    private let plan = Mutex(Plan())

    init(_ wrapped: any StoreEngine) { self.wrapped = wrapped }

    /// Refuses some questions from now on: so many times, or always.
    func refuse(_ questions: Set<Question> = Set(Question.allCases), times: Int? = nil) {
        plan.withLock {
            $0.refused = questions
            $0.left = times
            $0.oneIn = nil
        }
    }

    /// Refuses one question in so many.
    func refuse(oneIn number: Int, seed: UInt64) {
        plan.withLock {
            $0.refused = Set(Question.allCases)
            $0.left = nil
            $0.oneIn = number
            $0.generator = SeededGenerator(seed: seed)
        }
    }

    /// Answers every question again.
    func relent() { plan.withLock { $0.refused = [] } }

    /// Gives every row of a fetch twice from now on, or no longer.
    func repeatRows(_ repeats: Bool) { plan.withLock { $0.repeatsRows = repeats } }

    fileprivate var repeatsRows: Bool { plan.withLock { $0.repeatsRows } }

    /// The number of questions that were refused.
    var refusals: Int { plan.withLock { $0.refusals } }

    /// The error that a refused question gets: that of a SQLite file which another process holds.
    static let error = NSError(
        domain: NSCocoaErrorDomain, code: 134_090,
        userInfo: [NSLocalizedDescriptionKey: "The store is in use by others."])

    fileprivate func ask(_ question: Question) throws {
        let isRefused = plan.withLock { plan in
            guard plan.refused.contains(question) else { return false }
            if let number = plan.oneIn {
                guard plan.generator.next() % UInt64(number) == 0 else { return false }
            } else if let left = plan.left {
                guard left > 0 else { return false }
                plan.left = left - 1
            }
            plan.refusals += 1
            return true
        }
        if isRefused { throw Self.error }
    }

    // MARK: StoreEngine

    func session() throws -> any StoreSession { FaultySession(self, try wrapped.session()) }

    func reserveKeys(count: Int, of layout: EntityLayout) throws -> KeyRuns {
        try ask(.keys)
        return try wrapped.reserveKeys(count: count, of: layout)
    }
}

/// A session of a ``FaultyEngine``.
private final class FaultySession: StoreSession {
    private let engine: FaultyEngine
    private let wrapped: any StoreSession

    init(_ engine: FaultyEngine, _ wrapped: any StoreSession) {
        self.engine = engine
        self.wrapped = wrapped
    }

    func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws {
        try engine.ask(.rowsOfFetch)
        try wrapped.fetchRows(fetch, into: sink)
        if engine.repeatsRows { try wrapped.fetchRows(fetch, into: sink) }
    }

    func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        try engine.ask(.references)
        return try wrapped.fetchReferences(fetch)
    }

    func countRows(_ fetch: StoreFetch) throws -> Int {
        try engine.ask(.count)
        return try wrapped.countRows(fetch)
    }

    func fetchDictionaries(_ fetch: StoreFetch, object: @escaping (RowReference) -> Any) throws -> [[String: Any]] {
        try engine.ask(.dictionaries)
        return try wrapped.fetchDictionaries(fetch, object: object)
    }

    func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws {
        try engine.ask(.rows)
        try wrapped.readRows(keys: keys, of: layout, into: sink)
    }

    func readToMany(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64
    ) throws -> ContiguousArray<RowReference> {
        try engine.ask(.members)
        return try wrapped.readToMany(relationship, of: layout, key: key)
    }

    func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) throws {
        try engine.ask(.membersOfMany)
        try wrapped.readToManyRows(relationship, of: layout, keys: keys, into: sink, group: group)
    }

    func save(_ changes: StoreChanges) throws -> SavedKeys { try wrapped.save(changes) }
}
