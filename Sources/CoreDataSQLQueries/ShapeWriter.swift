import CoreDataRowStorage
import Foundation
import PredicateFormat

/// A constant in a predicate that is being compiled: its number among the request's constants. Its value may be used only if
/// the shape determines the result.
package struct NumberedConstant {
    package let slot: Int
    package let kind: ConstantKind
    package let value: Any?

    package init(slot: Int, kind: ConstantKind, value: Any?) {
        self.slot = slot
        self.kind = kind
        self.value = value
    }
}

extension NumberedConstant: CustomStringConvertible {
    /// The constant in the predicate format language, for messages.
    package var description: String { ExpressionNode.constant(value).expressionFormat }
}

/// A fetch inside a predicate that is being compiled.
struct NumberedFetch {
    let fetch: NestedFetch
    let predicate: PredicateNode?
}

/// Traverses a request: writes its shape, collects its constants in order and, on request, numbers them in a copy of the
/// tree.
package struct ShapeWriter {
    private var bytes: ContiguousArray<UInt8>
    package private(set) var constants: [Any?] = []
    private let separatesNumbers: Bool
    private var numbersConstants = false

    /// Creates a writer.
    ///
    /// - Parameter separatesNumbers: the dialect's ``SQLDialect/separatesNumbers``.
    package init(separatesNumbers: Bool = false) {
        self.separatesNumbers = separatesNumbers
        bytes = []
        bytes.reserveCapacity(96)
    }

    package var shape: RequestShape { RequestShape(bytes) }

    package mutating func add(_ byte: UInt8) { bytes.append(byte) }

    package mutating func add(_ number: Int) {
        withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
    }

    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
        bytes.append(0)
    }

    package mutating func add(_ node: PredicateNode) { _ = walk(node) }

    /// Adds a tree, and returns it with a ``NumberedConstant`` for each of its constants.
    package mutating func numbering(_ node: PredicateNode) -> PredicateNode {
        numbersConstants = true
        defer { numbersConstants = false }
        return walk(node) ?? node
    }

    package mutating func numbering(_ node: ExpressionNode) -> ExpressionNode {
        numbersConstants = true
        defer { numbersConstants = false }
        return walk(node) ?? node
    }

    // MARK: Traversal

    /// Adds a tree, and returns it with its constants numbered; returns nil if it contains none to number.
    private mutating func walk(_ node: PredicateNode) -> PredicateNode? {
        switch node {
        case .comparison(let comparison):
            add(1)
            add(UInt8(truncatingIfNeeded: comparison.comparison.rawValue))
            add(UInt8(truncatingIfNeeded: comparison.modifier.rawValue << 4 | comparison.options.rawValue))
            if let selector = comparison.selector { add(selector.name) }
            let (left, right) = (walk(comparison.left), walk(comparison.right))
            guard left != nil || right != nil else { return nil }
            var numbered = comparison
            if let left { numbered.left = left }
            if let right { numbered.right = right }
            return .comparison(numbered)
        case .and(let nodes): return walk(2, nodes).map { .and($0) }
        case .or(let nodes): return walk(3, nodes).map { .or($0) }
        case .not(let node):
            add(4)
            return walk(node).map { .not($0) }
        case .constant(let value): add(value ? 5 : 6)
        case .opaque: add(7)
        }
        return nil
    }

    private mutating func walk(_ tag: UInt8, _ nodes: [PredicateNode]) -> [PredicateNode]? {
        add(tag)
        add(nodes.count)
        var numbered: [PredicateNode]?
        for (index, node) in nodes.enumerated() {
            guard let node = walk(node) else { continue }
            if numbered == nil { numbered = nodes }
            numbered?[index] = node
        }
        return numbered
    }

    private mutating func walk(_ node: ExpressionNode) -> ExpressionNode? {
        switch node.withKnownValue {
        case .constant(let value):
            let kind = ConstantKind(value)
            add(20)
            add(kind.rawValue)
            if separatesNumbers, case .number(let number) = PredicateValue(value) {
                add(number.isInteger ? 1 : number.isDecimal ? 2 : 3)
            }
            constants.append(value)
            guard numbersConstants else { return nil }
            return .constant(NumberedConstant(slot: constants.count - 1, kind: kind, value: value))
        case .evaluatedObject: add(21)
        case .variable(let name):
            add(22)
            add(name)
        case .keyPath(let keys, let base):
            add(23)
            for key in keys { add(key) }
            return walk(base).map { .keyPath(keys, of: $0) }
        case .function(let function, let arguments):
            add(24)
            add(function.rawValue)
            let numbered = walk(25, arguments)
            if arguments.count == 2 { for argument in arguments { addOperand(argument) } }
            return numbered.map { .function(function, $0) }
        case .message(let target, let message, let arguments):
            add(26)
            add(message.rawValue)
            let (object, values) = (walk(target), walk(27, arguments))
            return both(object, target, values, arguments).map { .message($0, message, $1) }
        case .aggregate(let elements): return walk(28, elements).map { .aggregate($0) }
        case .set(let operation, let left, let right):
            add(29)
            add(operation.rawValue)
            let (first, second) = (walk(left), walk(right))
            return both(first, left, second, right).map { .set(operation, $0, $1) }
        case .subquery(let collection, let variable, let predicate):
            add(30)
            add(variable)
            let (objects, test) = (walk(collection), walk(predicate))
            return both(objects, collection, test, predicate).map { .subquery($0, variable: variable, $1) }
        case .conditional(let predicate, let yes, let no):
            add(31)
            let (test, first, second) = (walk(predicate), walk(yes), walk(no))
            guard test != nil || first != nil || second != nil else { return nil }
            return .conditional(test ?? predicate, first ?? yes, second ?? no)
        case .assignment(let variable, let value):
            add(32)
            add(variable)
            return walk(value).map { .assignment(variable: variable, $0) }
        case .fetch(let request, let context, let countOnly):
            add(33)
            guard let fetch = NestedFetch(request, countOnly: countOnly) else { return nil }
            let predicate = walk(fetch)
            guard numbersConstants else { return nil }
            let numbered = NumberedFetch(fetch: fetch, predicate: predicate ?? fetch.predicate)
            return .fetch(request: .constant(numbered), context: context, countOnly: countOnly)
        case .symbolicIndex(let index):
            add(34)
            add(index.rawValue)
        case .anyKey: add(35)
        case .block: add(36)
        }
        return nil
    }

    private mutating func walk(_ tag: UInt8, _ nodes: [ExpressionNode]) -> [ExpressionNode]? {
        add(tag)
        add(nodes.count)
        var numbered: [ExpressionNode]?
        for (index, node) in nodes.enumerated() {
            guard let node = walk(node) else { continue }
            if numbered == nil { numbered = nodes }
            numbered?[index] = node
        }
        return numbered
    }

    private mutating func walk(_ fetch: NestedFetch) -> PredicateNode? {
        add(fetch.entityName)
        add(fetch.includesSubentities ? 1 : 0)
        add(fetch.isCount ? 1 : 0)
        add(fetch.property ?? "")
        return fetch.predicate.flatMap { walk($0) }
    }

    /// Returns two parts of a tree, each numbered or unchanged; nil if both are unchanged.
    private func both<First, Second>(
        _ first: First?, _ firstBefore: First, _ second: Second?, _ secondBefore: Second
    ) -> (First, Second)? {
        first == nil && second == nil ? nil : (first ?? firstBefore, second ?? secondBefore)
    }

    /// Adds the properties of a constant that determine the SQL of a function of two values: the class of a number, because
    /// the result has the class of both, and the type of a cast.
    private mutating func addOperand(_ node: ExpressionNode) {
        guard case .constant(let value) = node.withKnownValue else { return }
        switch PredicateValue(value) {
        case .number(let number): add(number.isInteger ? 1 : number.isDecimal ? 2 : 3)
        case .string(let text): add(text)
        default: add(0)
        }
    }
}
