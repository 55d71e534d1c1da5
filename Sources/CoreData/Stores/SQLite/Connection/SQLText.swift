import Synchronization

/// The text of a statement, with the number by which connections remember what they prepared for it.
final class SQLText: Sendable {
    let text: String
    let id: Int

    private static let nextID = Atomic<Int>(1)

    init(_ text: String) {
        self.text = text
        id = Self.nextID.wrappingAdd(1, ordering: .relaxed).oldValue
    }
}
