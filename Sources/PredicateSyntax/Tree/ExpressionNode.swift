import CoreDataRuntimeSupport
import Foundation

/// An expression as a value. See ``PredicateNode`` for what trees are for.
public indirect enum ExpressionNode {
    /// A constant: `nil`, a number, a string, a date, a collection, a managed object, whatever the format's arguments
    /// held. The value is kept as it was given.
    case constant(Any?)
    /// `SELF`, the evaluated object.
    case evaluatedObject
    /// `$name`; the name is without the dollar.
    case variable(String)
    /// A path of keys and collection operators (`@count`, `@sum` …) followed from `of`.
    ///
    /// A plain path such as `account.name` starts from ``evaluatedObject``; `$x.name` from a variable;
    /// `SUBQUERY(…).@count` from the subquery. A path never starts from another path: build paths with
    /// ``path(_:of:)-([String],_)``, which joins them.
    case keyPath([String], of: ExpressionNode)
    /// A predefined function and its arguments. Arithmetic, `CAST` and index expressions are functions too.
    case function(PredicateFunction, [ExpressionNode])
    /// `FUNCTION(target, "selector:", …)`: one of a fixed list of messages (see ``PredicateMessage``).
    case message(ExpressionNode, PredicateMessage, [ExpressionNode])
    /// `{a, b, c}`: a list whose elements are expressions.
    case aggregate([ExpressionNode])
    /// A set operation on two collections.
    case set(SetOperation, ExpressionNode, ExpressionNode)
    /// `SUBQUERY(collection, $variable, predicate)`: the elements for which the predicate holds.
    case subquery(ExpressionNode, variable: String, PredicateNode)
    /// `TERNARY(predicate, a, b)`.
    case conditional(PredicateNode, ExpressionNode, ExpressionNode)
    /// `$variable := expression`.
    case assignment(variable: String, ExpressionNode)
    /// `FETCH(request, context, countOnly)`. Core Data gives it its meaning; elsewhere it cannot be evaluated.
    case fetch(request: ExpressionNode, context: ExpressionNode, countOnly: ExpressionNode)
    /// `FIRST`, `LAST` or `SIZE`, as the index of ``PredicateFunction/index``.
    case symbolicIndex(SymbolicIndex)
    /// `ANYKEY`.
    case anyKey
    /// Code. Never usable in a query of a store.
    case block(ExpressionBlock, [ExpressionNode])

    /// Creates the constant of a value that a program gives: what lies in an optional in the `Any` is taken out, and an empty
    /// one is nil.
    package static func constant(given value: Any?) -> ExpressionNode {
        .constant(value.flatMap(OptionalContents.unwrapped))
    }

    /// Creates the path `keys` from `base`, joining it with `base` where that is a path itself.
    ///
    /// - Parameters:
    ///   - keys: the components, in order. A leading `SELF` (or `self`) on the evaluated object is dropped, since
    ///     `SELF.name` means `name`.
    ///   - base: what the path starts from.
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

    /// Creates the path from `base` that the value of `path` names. A constant, or a key path from `SELF`, is joined with
    /// `base` at once; anything else is evaluated when the path is followed.
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

    /// Creates the path written with dots in `text`, such as `account.name` or `items.@count`.
    public static func path(_ text: String, of base: ExpressionNode = .evaluatedObject) -> ExpressionNode {
        path(text.split(separator: ".").map(String.init), of: base)
    }
}

/// An operation of two collections that yields a set.
public enum SetOperation: String, Sendable {
    /// Elements of either.
    case union = "UNION"
    /// Elements of both.
    case intersection = "INTERSECT"
    /// Elements of the left that are not in the right.
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

/// The code of a block expression. Two are equal when they are the same object.
public final class ExpressionBlock {
    /// Receives the evaluated object, the evaluated arguments and the bindings.
    public let body: (Any?, [Any], NSMutableDictionary?) -> Any

    /// Wraps `body`.
    public init(_ body: @escaping (Any?, [Any], NSMutableDictionary?) -> Any) {
        self.body = body
    }
}

extension ExpressionNode {
    /// Whether this is `SELF`.
    package var isEvaluatedObject: Bool {
        if case .evaluatedObject = self { return true }
        return false
    }
}
