import CoreDataRuntimeSupport
import Foundation

/// An expression as a value. See ``PredicateNode`` for the purpose of trees.
public indirect enum ExpressionNode {
    /// A constant: `nil`, a number, a string, a date, a collection, a managed object, or any other argument of the format. The
    /// value is stored unchanged.
    case constant(Any?)
    /// `SELF`, the evaluated object.
    case evaluatedObject
    /// `$name`, without the dollar sign.
    case variable(String)
    /// A path of keys and collection operators (`@count`, `@sum` …) from a base.
    ///
    /// A plain path such as `account.name` starts at ``evaluatedObject``; `$x.name` at a variable; `SUBQUERY(…).@count` at the
    /// subquery. The base is never a path itself: create paths with ``path(_:of:)-([String],_)``, which joins them.
    case keyPath([String], of: ExpressionNode)
    /// A predefined function and its arguments. Arithmetic, `CAST` and index expressions are functions too.
    case function(PredicateFunction, [ExpressionNode])
    /// `FUNCTION(target, "selector:", …)`: one of a fixed list of messages (see ``PredicateMessage``).
    case message(ExpressionNode, PredicateMessage, [ExpressionNode])
    /// `{a, b, c}`: a list of expressions.
    case aggregate([ExpressionNode])
    /// A set operation on two collections.
    case set(SetOperation, ExpressionNode, ExpressionNode)
    /// `SUBQUERY(collection, $variable, predicate)`: the elements that match the predicate.
    case subquery(ExpressionNode, variable: String, PredicateNode)
    /// `TERNARY(predicate, a, b)`.
    case conditional(PredicateNode, ExpressionNode, ExpressionNode)
    /// `$variable := expression`.
    case assignment(variable: String, ExpressionNode)
    /// `FETCH(request, context, countOnly)`. Evaluated by Core Data; without it, evaluation throws.
    case fetch(request: ExpressionNode, context: ExpressionNode, countOnly: ExpressionNode)
    /// `FIRST`, `LAST` or `SIZE`, as the index of ``PredicateFunction/index``.
    case symbolicIndex(SymbolicIndex)
    /// `ANYKEY`.
    case anyKey
    /// A block. Not supported in the query of a store.
    case block(ExpressionBlock, [ExpressionNode])

    /// Creates a constant from a value supplied by the application: an optional inside the `Any` is unwrapped, and an empty one
    /// becomes nil.
    package static func constant(given value: Any?) -> ExpressionNode {
        .constant(value.flatMap(OptionalContents.unwrapped))
    }

    /// Creates the path `keys` from `base`, joining it with `base` if that is a path.
    ///
    /// - Parameters:
    ///   - keys: the components, in order. A leading `SELF` (or `self`) on the evaluated object is dropped, since `SELF.name`
    ///     means `name`.
    ///   - base: the start of the path.
    public static func path(_ keys: [String], of base: ExpressionNode = .evaluatedObject) -> ExpressionNode {
        guard !keys.isEmpty else { return base }
        switch base {
        case .keyPath(let head, let origin):
            return .keyPath(head + keys, of: origin)
        case .evaluatedObject where keys[0] == "SELF" || keys[0] == "self":
            return path(Array(keys.dropFirst()), of: base)
        default:
            return .keyPath(keys, of: base)
        }
    }

    /// Creates the path from `base` that is named by the value of `path`. A constant, or a key path from `SELF`, is joined with
    /// `base` immediately; any other expression is evaluated when the path is.
    static func path(
        _ base: ExpressionNode, followedBy path: ExpressionNode, _ text: (Any?) -> String?,
        _ refuse: (Any?) -> any Error
    ) throws -> ExpressionNode {
        switch path {
        case .constant(let value):
            guard let text = text(value),
                text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty })
            else { throw refuse(value) }
            return .path(text, of: base)
        case .keyPath(let keys, of: .evaluatedObject): return .path(keys, of: base)
        default: return .message(base, .valueForKeyPath, [path])
        }
    }

    /// Creates a path from its dotted form, such as `account.name` or `items.@count`.
    public static func path(_ text: String, of base: ExpressionNode = .evaluatedObject) -> ExpressionNode {
        path(text.split(separator: ".").map(String.init), of: base)
    }
}

/// An operation on two collections that yields a set.
public enum SetOperation: String, Sendable {
    /// The elements of either.
    case union = "UNION"
    /// The elements of both.
    case intersection = "INTERSECT"
    /// The elements of the left that are not in the right.
    case difference = "MINUS"
}

/// A symbolic index into a collection.
public enum SymbolicIndex: String, Sendable {
    /// The first element.
    case first = "FIRST"
    /// The last element.
    case last = "LAST"
    /// The number of elements.
    case size = "SIZE"
}

/// The block of a block expression. Two are equal if they are the same object.
public final class ExpressionBlock {
    /// The block; receives the evaluated object, the evaluated arguments and the bindings.
    public let body: (Any?, [Any], NSMutableDictionary?) -> Any

    /// Wraps `body`.
    public init(_ body: @escaping (Any?, [Any], NSMutableDictionary?) -> Any) {
        self.body = body
    }
}

extension ExpressionNode {
    /// True if this is `SELF`.
    package var isEvaluatedObject: Bool {
        if case .evaluatedObject = self { return true }
        return false
    }
}
