#if PostgreSQL
import Synchronization

/// Compiled statements by their keys.
final class StatementCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let values = Mutex<[Key: Value]>([:])

    /// The number of statements after which the cache begins again.
    private static var highestCount: Int { 1000 }

    /// Returns the known value for a key, or makes it.
    func value(for key: Key, make: () throws -> Value) rethrows -> Value {
        if let known = values.withLock({ $0[key] }) { return known }
        let made = try make()
        values.withLock {
            if $0.count >= Self.highestCount { $0.removeAll() }
            $0[key] = made
        }
        return made
    }
}

/// The statement that reads rows by their keys, or the members of a to-many relationship.
enum KeyedStatement: Hashable {
    /// The rows of the root entity with a number.
    case rows(Int)
    /// The members of one row's relationship; the number is that of the row's entity.
    case members(Int, relationship: String)
    /// The rows of the members of several rows, with the keys of these.
    case memberRows(Int, relationship: String)
}
#endif
