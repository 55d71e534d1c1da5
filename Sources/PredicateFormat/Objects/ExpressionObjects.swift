import CoreDataRuntimeSupport
import Foundation

/// The initial class of expression objects; see ``ClassAdoption``. Its stored properties are those of ``TreeExpression``.
private final class ExpressionSeed: NSObject {
    private(set) var storage: ExpressionStorage?

    init(storage: ExpressionStorage) {
        self.storage = storage
    }
}

/// An expression of this module, named `TreeExpression` outside this file (see ``FoundationNames``).
@available(*, deprecated)
final class TreeExpressionClass: Foundation.NSExpression {
    private(set) var storage: ExpressionStorage?

    var node: ExpressionNode { storage!.node }

    override var description: String { node.expressionFormat }
    override var hash: Int { node.hashValue }
    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? TreeExpressionClass else { return false }
        return other === self || other.node == node
    }
}

enum OfTreeExpression: FoundationNaming {
    @available(*, deprecated)
    static func name() -> TreeExpressionClass { fatalError("declares a type only") }
}

typealias TreeExpression = OfTreeExpression.Named

/// Conversion between expression objects and trees.
enum ExpressionObjects {
    static func make(_ node: ExpressionNode, mayEvaluate: Bool = true) -> NSExpression {
        let seed = ExpressionSeed(storage: ExpressionStorage(node, mayEvaluate: mayEvaluate))
        ClassAdoption.adopt(seed, into: TreeExpression.self)
        return unsafeDowncast(seed as AnyObject, to: NSExpression.self)
    }

    static func make<E>(_ node: ExpressionNode, as type: E.Type) -> E {
        guard let result = make(node) as? E else {
            fatalError("Expressions are created as NSExpression; \(E.self) cannot be created from outside")
        }
        return result
    }

    static func storage(of expression: NSExpression) -> ExpressionStorage {
        guard let tree = expression as? TreeExpression else {
            fatalError("Unknown class of expression: \(type(of: expression))")
        }
        return tree.storage!
    }

    /// Returns the node of an element of an argument list: that of an expression, or a constant for any other value.
    static func node(ofElement element: Any) -> ExpressionNode {
        if let expression = element as? NSExpression { return storage(of: expression).node }
        if let node = element as? ExpressionNode { return node }
        return .constant(given: element)
    }
}
