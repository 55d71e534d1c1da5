import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation
import PredicateFormat

/// What stays of a request when its constants are taken out: requests of one shape share their SQL and statement.
package struct RequestShape: Equatable {
    private let bytes: ContiguousArray<UInt8>
    /// Equal shapes have equal digests.
    package let digest: Int

    fileprivate init(_ bytes: ContiguousArray<UInt8>) {
        self.bytes = bytes
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        self.digest = Int(truncatingIfNeeded: digest)
    }

    package static func == (left: RequestShape, right: RequestShape) -> Bool {
        left.digest == right.digest && left.bytes == right.bytes
    }
}

extension StoreFetch {
    /// What decides on the SQL beside the entity, the predicate and the order.
    package var shapeFlags: Int {
        (includesSubentities ? 1 : 0) | (limit > 0 || offset > 0 ? 2 : 0) | (offset > 0 ? 4 : 0) | (isShortPage ? 8 : 0)
    }

    /// A few rows are read before a more elaborate query would have been prepared.
    package var isShortPage: Bool { limit > 1 && limit <= 100 }
}

/// Walks a request: writes down its shape and collects its constants in order.
///
/// ``NumberedConstants`` walks the same way, so that both number the constants alike.
package struct ShapeWriter {
    private var bytes: ContiguousArray<UInt8>
    package private(set) var constants: [Any?] = []
    private let separatesNumbers: Bool

    /// - Parameter separatesNumbers: as the dialect has it (``SQLDialect/separatesNumbers``).
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

    package mutating func add(_ node: PredicateNode) {
        switch node {
        case .comparison(let comparison):
            add(1)
            add(UInt8(truncatingIfNeeded: comparison.comparison.rawValue))
            add(UInt8(truncatingIfNeeded: comparison.modifier.rawValue << 4 | comparison.options.rawValue))
            if let selector = comparison.selector { add(selector.name) }
            add(comparison.left)
            add(comparison.right)
        case .and(let nodes): add(2, nodes)
        case .or(let nodes): add(3, nodes)
        case .not(let node):
            add(4)
            add(node)
        case .constant(let value): add(value ? 5 : 6)
        case .opaque: add(7)
        }
    }

    private mutating func add(_ tag: UInt8, _ nodes: [PredicateNode]) {
        add(tag)
        add(nodes.count)
        for node in nodes { add(node) }
    }

    package mutating func add(_ node: ExpressionNode) {
        switch node.withKnownValue {
        case .constant(let value):
            add(20)
            add(ConstantKind(value).rawValue)
            if separatesNumbers, case .number(let number) = PredicateValue(value) {
                add(number.isInteger ? 1 : number.isDecimal ? 2 : 3)
            }
            constants.append(value)
        case .evaluatedObject: add(21)
        case .variable(let name):
            add(22)
            add(name)
        case .keyPath(let keys, let base):
            add(23)
            for key in keys { add(key) }
            add(base)
        case .function(let function, let arguments):
            add(24)
            add(function.rawValue)
            add(25, arguments)
            if arguments.count == 2 { for argument in arguments { addOperand(argument) } }
        case .message(let target, let message, let arguments):
            add(26)
            add(message.rawValue)
            add(target)
            add(27, arguments)
        case .aggregate(let elements): add(28, elements)
        case .set(let operation, let left, let right):
            add(29)
            add(operation.rawValue)
            add(left)
            add(right)
        case .subquery(let collection, let variable, let predicate):
            add(30)
            add(variable)
            add(collection)
            add(predicate)
        case .conditional(let predicate, let yes, let no):
            add(31)
            add(predicate)
            add(yes)
            add(no)
        case .assignment(let variable, let value):
            add(32)
            add(variable)
            add(value)
        case .fetch(let request, _, let countOnly):
            add(33)
            addFetch(request, countOnly: countOnly)
        case .symbolicIndex(let index):
            add(34)
            add(index.rawValue)
        case .anyKey: add(35)
        case .block: add(36)
        }
    }

    private mutating func add(_ tag: UInt8, _ nodes: [ExpressionNode]) {
        add(tag)
        add(nodes.count)
        for node in nodes { add(node) }
    }

    /// Adds what the SQL of a function of two values takes from a constant itself: the class of a number, as the result has the class
    /// of both, and the type that a value is cast to.
    private mutating func addOperand(_ node: ExpressionNode) {
        guard case .constant(let value) = node.withKnownValue else { return }
        switch PredicateValue(value) {
        case .number(let number): add(number.isInteger ? 1 : number.isDecimal ? 2 : 3)
        case .string(let text): add(text)
        default: add(0)
        }
    }

    private mutating func addFetch(_ node: ExpressionNode, countOnly: ExpressionNode) {
        guard let request = NestedFetch(node, countOnly: countOnly) else { return }
        add(request.entityName)
        add(request.includesSubentities ? 1 : 0)
        add(request.isCount ? 1 : 0)
        add(request.property ?? "")
        if let predicate = request.predicate { add(predicate) }
    }
}
