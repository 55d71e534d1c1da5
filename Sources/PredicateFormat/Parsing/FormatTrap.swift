/// The initialisers that cannot throw stop the process with the error.
enum FormatTrap {
    static func predicate(_ format: String, _ arguments: [Any?]) -> PredicateStorage {
        arguments.withUnsafeBufferPointer { predicate(format, $0) }
    }

    /// For one argument, which needs no array then.
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
