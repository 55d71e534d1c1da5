import Foundation

extension TreeCompiler {
    static func compile(_ node: ExpressionNode) throws -> Value {
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
            let values = try arguments.map { try compile($0) }
            return { object, scope in try function.call(try values.map { try $0(object, scope) }) }
        case .message(let target, let message, let arguments):
            let receiver = try compile(target)
            let values = try arguments.map { try compile($0) }
            return { object, scope in
                try message.send(to: try receiver(object, scope), try values.map { try $0(object, scope) })
            }
        case .aggregate(let elements):
            let values = try elements.map { try compile($0) }
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
            let values = try arguments.map { try compile($0) }
            return { object, scope in
                let bindings = scope.map { NSMutableDictionary.bindings($0.allBindings) }
                return block.body(object, try values.map { try $0(object, scope) ?? NSNull() }, bindings)
            }
        case .fetch(request: let request, context: let context, countOnly: let countOnly):
            return try compile(fetch: request, context, countOnly)
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
        return { object, _ in try path.value(of: object) }
    }

    private static func compile(
        fetch request: ExpressionNode, _ context: ExpressionNode, _ countOnly: ExpressionNode
    ) throws -> Value {
        let (request, context, countOnly) = (try compile(request), try compile(context), try compile(countOnly))
        return { object, scope in
            guard let fetchable = try request(object, scope) as? any PredicateFetchable else {
                throw PredicateEvaluationError.unsupported("FETCH needs a fetch request as its first argument")
            }
            let counts = ValueComparison.equal(try countOnly(object, scope), true)
            return try fetchable.predicateFetch(in: try context(object, scope), countOnly: counts)
        }
    }

    private static func compile(
        subquery collection: ExpressionNode, _ name: String, _ predicate: PredicateNode
    ) throws -> Value {
        let (elements, test) = (try compile(collection), try compile(predicate))
        return { object, scope in
            let value = try elements(object, scope)
            guard let collection = value as? any PredicateCollection else {
                if PredicateValue(value).isNull { return [Any]() }
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
            return KeyValueAccess.set(
                KeyValueAccess.withoutDuplicates(a.filter { other.contains(PredicateValue($0)) }))
        case .difference:
            let other = ValueSet(b)
            return KeyValueAccess.set(
                KeyValueAccess.withoutDuplicates(a.filter { !other.contains(PredicateValue($0)) }))
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
