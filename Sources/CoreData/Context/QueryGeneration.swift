import CoreDataRowStorage
import Synchronization

/// One state of a coordinator's stores, which stays readable while others write.
final class QueryGeneration: Sendable {
    private static let lastNumber = Atomic<Int>(0)

    /// Greater than those of all generations made before in this process.
    let number: Int
    /// Those that can be pinned, all but SQLite stores in rollback mode and stores that programs write themselves.
    private let states: [(store: NSPersistentStore, session: any StoreSession)]

    /// The present state of the stores.
    init(of stores: [any RowStore]) throws {
        number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        states = try stores.compactMap { store in try store.snapshot().map { (store, $0) } }
    }

    /// Returns the session that shows a store in this state; nil for a store that is read as it is, such as one added later.
    func session(of store: any RowStore) -> (any StoreSession)? { states.first { $0.store === store }?.session }

    /// Tells whether the generation has a state of every store that can be pinned.
    func covers(_ stores: [any RowStore]) -> Bool {
        let identifiers = states.map(\.store.identifier)
        return stores.allSatisfy { !$0.abilities.contains(.snapshots) || identifiers.contains($0.identifier) }
    }

    /// Ends the sessions; what is asked of them later is an error.
    func end() { for (_, session) in states { try? session.end() } }
}
