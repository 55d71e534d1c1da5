import Foundation

/// Compiles trees to closures, so that constant parts are prepared once.
enum TreeCompiler {
    /// Tests an object.
    typealias Test = (Any?, Scope?) throws -> Bool
    /// Computes a value from an object.
    typealias Value = (Any?, Scope?) throws -> Any?
    /// Computes a value for a comparison.
    typealias Operand = (Any?, Scope?) throws -> PredicateValue

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

    static func compile(_ node: PredicateNode) throws -> Test {
        switch node {
        case .constant(let value):
            return { _, _ in value }
        case .and(let nodes):
            return conjunction(nodes.map(compileOrFail))
        case .or(let nodes):
            return disjunction(nodes.map(compileOrFail))
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

    private static func conjunction(_ tests: [Test]) -> Test {
        if tests.count == 2 {
            let (first, second) = (tests[0], tests[1])
            return { try first($0, $1) && second($0, $1) }
        }
        return { object, scope in
            for test in tests where try !test(object, scope) { return false }
            return true
        }
    }

    private static func disjunction(_ tests: [Test]) -> Test {
        if tests.count == 2 {
            let (first, second) = (tests[0], tests[1])
            return { try first($0, $1) || second($0, $1) }
        }
        return { object, scope in
            for test in tests where try test(object, scope) { return true }
            return false
        }
    }

    // MARK: Comparisons

    private static func compile(_ node: ComparisonNode) throws -> Test {
        let compiler = ComparisonCompiler(
            comparison: node.comparison, options: node.options, selector: node.selector)
        if let constant = node.right.constant {
            return try compile(node, compiler, against: constant.value)
        }
        let right = try operand(node.right)
        let test = compiler.test()
        guard node.modifier == .direct else {
            return { object, scope in
                let value = try right(object, scope)
                return try quantified(node) { try test($0, value) }(object, scope)
            }
        }
        let left = try operand(node.left)
        return { try test(left($0, $1), right($0, $1)) }
    }

    private static func compile(
        _ node: ComparisonNode, _ compiler: ComparisonCompiler, against constant: Any?
    ) throws -> Test {
        let test = try compiler.test(against: constant)
        // Reached only for values of another kind than the constant's.
        guard let attribute = try AttributeComparison(compiler, against: constant) else {
            guard node.modifier == .direct else { return try quantified(node, test) }
            if let reader = reader(of: node.left) { return { object, _ in try test(reader.value(of: object)) } }
            let left = try operand(node.left)
            return { try test(left($0, $1)) }
        }
        guard node.modifier == .direct else {
            let left = try compile(node.left)
            let wantsAny = node.modifier == .any
            return { object, scope in
                func answer(_ value: PredicateValue) throws -> Bool {
                    try attribute.answer(value, in: object) ?? test(value)
                }
                let value = try left(object, scope)
                return wantsAny ? try anyElement(of: value, answer) : try everyElement(of: value, answer)
            }
        }
        if let reader = reader(of: node.left) {
            return { object, _ in
                let value = try reader.value(of: object)
                return try attribute.answer(value, in: object) ?? test(value)
            }
        }
        let left = try operand(node.left)
        return { object, scope in
            let value = try left(object, scope)
            return try attribute.answer(value, in: object) ?? test(value)
        }
    }

    /// Returns a reader for the expression if it is a single plain key of the evaluated object; nil otherwise.
    private static func reader(of node: ExpressionNode) -> KeyReader? {
        guard case .keyPath(let keys, of: .evaluatedObject) = node, keys.count == 1, keys[0].first != "@" else {
            return nil
        }
        return KeyReader(keys[0])
    }

    private static func operand(_ node: ExpressionNode) throws -> Operand {
        if let reader = reader(of: node) { return { object, _ in try reader.value(of: object) } }
        if node.isEvaluatedObject { return { object, _ in PredicateValue(object) } }
        let value = try compile(node)
        return { PredicateValue(try value($0, $1)) }
    }

    private static func quantified(_ node: ComparisonNode, _ test: @escaping ComparisonCompiler.Test) throws -> Test {
        let left = try compile(node.left)
        return node.modifier == .any
            ? { try anyElement(of: left($0, $1), test) } : { try everyElement(of: left($0, $1), test) }
    }

    /// Returns whether any element passes. Collections inside the collection (from several to-many steps) are searched
    /// recursively.
    private static func anyElement(of value: Any?, _ test: ComparisonCompiler.Test) throws -> Bool {
        for element in try elements(of: value) {
            if element is any PredicateCollection {
                if try anyElement(of: element, test) { return true }
            } else if try test(PredicateValue(element)) {
                return true
            }
        }
        return false
    }

    private static func everyElement(of value: Any?, _ test: ComparisonCompiler.Test) throws -> Bool {
        for element in try elements(of: value) {
            if element is any PredicateCollection {
                if try !everyElement(of: element, test) { return false }
            } else if try !test(PredicateValue(element)) {
                return false
            }
        }
        return true
    }

    private static func elements(of value: Any?) throws -> [Any] {
        if let collection = value as? any PredicateCollection { return collection.predicateElements }
        guard PredicateValue(value).isNull else { throw PredicateEvaluationError.quantifierNeedsCollection(value) }
        return []
    }
}
