import Foundation

/// The values of variables during one evaluation. A subquery adds a nested scope.
final class Scope {
    private let parent: Scope?
    private let name: String?
    /// The current element of the subquery.
    var element: Any?
    private var bindings: [String: Any]
    private let context: NSMutableDictionary?

    /// Creates the outermost scope.
    init(bindings: [String: Any] = [:], context: NSMutableDictionary? = nil) {
        parent = nil
        name = nil
        self.bindings = bindings
        self.context = context
    }

    /// Creates the scope of a subquery with the variable `name`.
    init(variable name: String, in parent: Scope?) {
        self.parent = parent
        self.name = name
        bindings = [:]
        context = nil
    }

    /// Returns the value of `$name`.
    ///
    /// - Throws: ``PredicateEvaluationError`` if the variable is unbound.
    func value(of name: String) throws -> Any? {
        if name == self.name { return element }
        if let value = bindings[name] { return value }
        if let context, let value = context.object(forKey: NSString(string: name)) { return value }
        guard let parent else { throw PredicateEvaluationError.unboundVariable(name, Array(bindings.keys)) }
        return try parent.value(of: name)
    }

    /// Sets `$name` in the scope that binds it, or else in the outermost scope.
    func assign(_ name: String, _ value: Any?) {
        if name == self.name {
            element = value
        } else if let parent {
            parent.assign(name, value)
        } else if let context {
            context.setObject(value ?? NSNull(), forKey: NSString(string: name))
        } else {
            bindings[name] = value ?? NSNull()
        }
    }

    /// The values of all variables; inner ones shadow outer ones.
    var allBindings: [String: Any] {
        var result = parent?.allBindings ?? bindings
        if let context {
            for case (let key as String, let value) in context { result[key] = value }
        }
        if let name { result[name] = element ?? NSNull() }
        return result
    }
}
