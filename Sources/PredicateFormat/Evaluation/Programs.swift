import Foundation

/// A predicate compiled to closures. Immutable after it is made, so several threads may run it.
final class PredicateProgram: @unchecked Sendable {
    private let test: TreeCompiler.Test
    private let needsScope: Bool

    /// Compiles a tree. What cannot be compiled (a bad regular expression, say) throws when it is evaluated.
    init(_ node: PredicateNode) {
        test = TreeCompiler.compileOrFail(node)
        needsScope = node.assigns
    }

    func evaluate(with object: Any?, bindings: [String: Any]?) throws -> Bool {
        if bindings == nil, !needsScope { return try test(object, nil) }
        return try test(object, Scope(bindings: bindings ?? [:]))
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

/// Turns trees into closures, so that what is constant is prepared once.
enum TreeCompiler {
    typealias Test = (Any?, Scope?) throws -> Bool
    typealias Value = (Any?, Scope?) throws -> Any?

    static func compileOrFail(_ node: PredicateNode) -> Test {
        do {
            return try compile(node)
        } catch {
            return { _, _ in throw error }
        }
    }

    static func compileOrFail(_ node: ExpressionNode) -> Value {
        do {
            return try compile(node)
        } catch {
            return { _, _ in throw error }
        }
    }

    // MARK: Predicates

    private static func compile(_ node: PredicateNode) throws -> Test {
        switch node {
        case .constant(let value):
            return { _, _ in value }
        case .and(let nodes):
            let tests = nodes.map(compileOrFail)
            return { object, scope in
                for test in tests where try !test(object, scope) { return false }
                return true
            }
        case .or(let nodes):
            let tests = nodes.map(compileOrFail)
            return { object, scope in
                for test in tests where try test(object, scope) { return true }
                return false
            }
        case .not(let node):
            let test = try compile(node)
            return { try !test($0, $1) }
        case .comparison(let comparison):
            return try compile(comparison)
        case .opaque(let predicate):
            return { object, scope in
                predicate.evaluate(with: object, substitutionVariables: scope?.allBindings)
            }
        }
    }

    private static func compile(_ node: ComparisonNode) throws -> Test {
        let compiler = ComparisonCompiler(comparison: node.comparison, options: node.options)
        let left = try compile(node.left)
        if let constant = node.right.constant {
            let test = try compiler.test(against: constant.value)
            switch node.modifier {
            case .direct: return { try test(try left($0, $1)) }
            case .any: return { try anyElement(of: try left($0, $1), test) }
            case .all: return { try everyElement(of: try left($0, $1), test) }
            }
        }
        let right = try compile(node.right)
        let test = compiler.test()
        switch node.modifier {
        case .direct:
            return { try test(try left($0, $1), try right($0, $1)) }
        case .any:
            return { object, scope in
                let value = try right(object, scope)
                return try anyElement(of: try left(object, scope)) { try test($0, value) }
            }
        case .all:
            return { object, scope in
                let value = try right(object, scope)
                return try everyElement(of: try left(object, scope)) { try test($0, value) }
            }
        }
    }

    /// Whether one element passes; collections inside the collection (from several to-many steps) are looked through.
    private static func anyElement(of value: Any?, _ test: (Any?) throws -> Bool) throws -> Bool {
        for element in try quantified(value) {
            if element is any PredicateCollection {
                if try anyElement(of: element, test) { return true }
            } else if try test(element) {
                return true
            }
        }
        return false
    }

    private static func everyElement(of value: Any?, _ test: (Any?) throws -> Bool) throws -> Bool {
        for element in try quantified(value) {
            if element is any PredicateCollection {
                if try !everyElement(of: element, test) { return false }
            } else if try !test(element) {
                return false
            }
        }
        return true
    }

    private static func quantified(_ value: Any?) throws -> [Any] {
        if let collection = value as? any PredicateCollection { return collection.predicateElements }
        guard Operand(value).isNull else { throw PredicateEvaluationError.quantifierNeedsCollection(value) }
        return []
    }

    // MARK: Expressions

    private static func compile(_ node: ExpressionNode) throws -> Value {
        switch node {
        case .constant(let value):
            return { _, _ in value }
        case .evaluatedObject:
            return { object, _ in object }
        case .variable(let name):
            return { _, scope in
                guard let scope else { throw PredicateEvaluationError.unboundVariable(name, []) }
                return try scope.value(of: name)
            }
        case .keyPath(let keys, of: let base):
            return try compile(path: keys, of: base)
        case .function(let function, let arguments):
            let values = try arguments.map(compile)
            return { object, scope in try function.call(try values.map { try $0(object, scope) }) }
        case .message(let target, let message, let arguments):
            let receiver = try compile(target)
            let values = try arguments.map(compile)
            return { object, scope in
                try message.send(to: try receiver(object, scope), try values.map { try $0(object, scope) })
            }
        case .aggregate(let elements):
            let values = try elements.map(compile)
            return { object, scope in try values.map { try $0(object, scope) ?? NSNull() } }
        case .set(let operation, let left, let right):
            let (a, b) = (try compile(left), try compile(right))
            return { try combine(operation, try a($0, $1), try b($0, $1)) }
        case .subquery(let collection, variable: let name, let predicate):
            return try compile(subquery: collection, name, predicate)
        case .conditional(let predicate, let yes, let no):
            let (test, a, b) = (try compile(predicate), try compile(yes), try compile(no))
            return { try test($0, $1) ? try a($0, $1) : try b($0, $1) }
        case .assignment(variable: let name, let expression):
            let value = try compile(expression)
            return { object, scope in
                let result = try value(object, scope)
                scope?.assign(name, result)
                return result
            }
        case .symbolicIndex(let index):
            return { _, _ in index }
        case .block(let block, let arguments):
            let values = try arguments.map(compile)
            return { object, scope in
                let bindings = scope.map { NSMutableDictionary.bindings($0.allBindings) }
                return block.body(object, try values.map { try $0(object, scope) ?? NSNull() }, bindings)
            }
        case .fetch:
            throw PredicateEvaluationError.unsupported("FETCH can only be evaluated by Core Data")
        case .anyKey:
            throw PredicateEvaluationError.unsupported("ANYKEY can only be evaluated by Spotlight")
        }
    }

    private static func compile(path keys: [String], of base: ExpressionNode) throws -> Value {
        let path = try CompiledKeyPath(keys: keys)
        guard base.isEvaluatedObject else {
            let origin = try compile(base)
            return { try path.value(of: try origin($0, $1)) }
        }
        guard let key = path.onlyKey else { return { object, _ in try path.value(of: object) } }
        return { object, _ in
            guard let object else { return nil }
            return try KeyValueAccess.value(of: object, forKey: key)
        }
    }

    private static func compile(
        subquery collection: ExpressionNode, _ name: String, _ predicate: PredicateNode
    ) throws -> Value {
        let (elements, test) = (try compile(collection), try compile(predicate))
        return { object, scope in
            let value = try elements(object, scope)
            guard let collection = value as? any PredicateCollection else {
                if Operand(value).isNull { return [Any]() }
                throw PredicateEvaluationError.notACollection(value)
            }
            let inner = Scope(variable: name, in: scope)
            let kept = try collection.predicateElements.filter { element in
                inner.element = element
                return try test(object, inner)
            }
            return collection.isPredicateSet ? KeyValueAccess.set(kept) : kept
        }
    }

    private static func combine(_ operation: SetOperation, _ left: Any?, _ right: Any?) throws -> Any? {
        guard let a = CollectionTest.elements(of: left) else { throw PredicateEvaluationError.notACollection(left) }
        guard let b = CollectionTest.elements(of: right) else { throw PredicateEvaluationError.notACollection(right) }
        switch operation {
        case .union: return KeyValueAccess.set(KeyValueAccess.withoutDuplicates(a + b))
        case .intersection:
            let other = ValueSet(b)
            return KeyValueAccess.set(KeyValueAccess.withoutDuplicates(a.filter { other.contains(Operand($0)) }))
        case .difference:
            let other = ValueSet(b)
            return KeyValueAccess.set(KeyValueAccess.withoutDuplicates(a.filter { !other.contains(Operand($0)) }))
        }
    }
}

extension NSMutableDictionary {
    fileprivate static func bindings(_ values: [String: Any]) -> NSMutableDictionary {
        let result = NSMutableDictionary()
        for (name, value) in values { result[name] = value }
        return result
    }
}
