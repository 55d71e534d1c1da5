import Foundation

/// The values of variables during one evaluation. A subquery adds a scope of its own inside the outer one.
final class Scope {
    private let parent: Scope?
    private let name: String?
    /// The element a subquery is looking at.
    var element: Any?
    private var bindings: [String: Any]
    private let context: NSMutableDictionary?

    /// The outermost scope.
    init(bindings: [String: Any] = [:], context: NSMutableDictionary? = nil) {
        parent = nil
        name = nil
        self.bindings = bindings
        self.context = context
    }

    /// The scope of a subquery with the variable `name`.
    init(variable name: String, in parent: Scope?) {
        self.parent = parent
        self.name = name
        bindings = [:]
        context = nil
    }

    /// The value of `$name`.
    ///
    /// - Throws: ``PredicateEvaluationError`` when no scope knows the name.
    func value(of name: String) throws -> Any? {
        if name == self.name { return element }
        if let value = bindings[name] { return value }
        if let context, let value = context.object(forKey: NSString(string: name)) { return value }
        guard let parent else { throw PredicateEvaluationError.unboundVariable(name, Array(bindings.keys)) }
        return try parent.value(of: name)
    }

    /// Sets `$name`, where it is known or else in the outermost scope.
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

    /// Every variable with its value; inner ones hide outer ones.
    var allBindings: [String: Any] {
        var result = parent?.allBindings ?? bindings
        if let context {
            for case (let key as String, let value) in context { result[key] = value }
        }
        if let name { result[name] = element ?? NSNull() }
        return result
    }
}
