import CoreDataRowStorage
import Synchronization

/// A state of a coordinator's stores that stays readable while others write.
final class QueryGeneration: Sendable {
    private static let lastNumber = Atomic<Int>(0)

    /// A number greater than those of all generations created before in this process.
    let number: Int
    /// The states of the stores that can be pinned: all but SQLite stores in rollback mode and incremental stores of programs.
    private let states: [(store: NSPersistentStore, session: any StoreSession)]

    /// Creates a generation of the stores' current state.
    ///
    /// - Throws: Errors of the stores.
    init(of stores: [any RowStore]) throws {
        number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        states = try stores.compactMap { store in try store.snapshot().map { (store, $0) } }
    }

    /// Returns the session that reads a store in this state; nil for a store that is read unpinned, such as one added later.
    func session(of store: any RowStore) -> (any StoreSession)? { states.first { $0.store === store }?.session }

    /// Returns true if the generation has a state of every store that can be pinned.
    func covers(_ stores: [any RowStore]) -> Bool {
        let identifiers = states.map(\.store.identifier)
        return stores.allSatisfy { !$0.abilities.contains(.snapshots) || identifiers.contains($0.identifier) }
    }

    /// Ends the sessions; reading from them later throws.
    func end() { for (_, session) in states { try? session.end() } }
}
