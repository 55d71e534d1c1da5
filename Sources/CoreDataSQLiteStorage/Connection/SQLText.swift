import Synchronization

/// The text of a statement, with a number that identifies the prepared statement on each connection.
package final class SQLText: Sendable {
    package let text: String
    let id: Int

    private static let nextID = Atomic<Int>(1)

    init(_ text: String) {
        self.text = text
        id = Self.nextID.wrappingAdd(1, ordering: .relaxed).oldValue
    }
}
