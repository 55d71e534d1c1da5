import Foundation

/// A predicate compiled to closures. Immutable, so several threads may run it.
final class PredicateProgram: @unchecked Sendable {
    private let test: TreeCompiler.Test
    private let needsScope: Bool

    /// Compiles a tree. Parts that cannot be compiled, such as a malformed regular expression, throw when evaluated.
    init(_ node: PredicateNode) {
        test = TreeCompiler.compileOrFail(node)
        needsScope = node.assigns
    }

    @inline(__always)
    func evaluate(with object: Any?, bindings: [String: Any]?) throws -> Bool {
        try test(object, bindings == nil && !needsScope ? nil : Scope(bindings: bindings ?? [:]))
    }
}

/// An expression compiled to closures. See ``PredicateProgram``.
final class ExpressionProgram: @unchecked Sendable {
    private let value: TreeCompiler.Value

    init(_ node: ExpressionNode) {
        value = TreeCompiler.compileOrFail(node)
    }

    func evaluate(with object: Any?, context: NSMutableDictionary?) throws -> Any? {
        try value(object, Scope(context: context))
    }
}
