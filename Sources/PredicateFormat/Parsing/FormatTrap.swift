/// Parses formats for initializers that cannot throw; an error is fatal.
enum FormatTrap {
    static func predicate(_ format: String, _ arguments: [Any?]) -> PredicateStorage {
        arguments.withUnsafeBufferPointer { predicate(format, $0) }
    }

    /// Parses a format with one argument, without allocating an array.
    static func predicate(_ format: String, only argument: Any?) -> PredicateStorage {
        withUnsafePointer(to: argument) { predicate(format, UnsafeBufferPointer(start: $0, count: 1)) }
    }

    private static func predicate(_ format: String, _ arguments: UnsafeBufferPointer<Any?>) -> PredicateStorage {
        do {
            return try FormatCache.storage(format, arguments)
        } catch {
            fatalError("\(error)")
        }
    }

    static func expression(_ format: String, _ arguments: [Any?]) -> ExpressionNode {
        do {
            return try ExpressionNode(format: format, arguments: arguments)
        } catch {
            fatalError("\(error)")
        }
    }
}
