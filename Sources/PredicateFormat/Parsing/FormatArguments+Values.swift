import Foundation

extension FormatArguments: FormatValues {
    func term(_ argument: Any?) -> Parser.Term {
        // Values are not cast to classes: off Apple's platforms that bridges them, which crashes for some sets of numbers.
        if let argument, type(of: argument) is AnyClass {
            switch argument {
            case let predicate as NSPredicate: return .predicate(predicate.node)
            case let expression as NSExpression: return .expression(expression.node)
            default: return .expression(.constant(argument))
            }
        }
        switch argument {
        case let node as ExpressionNode: return .expression(node)
        case let node as PredicateNode: return .predicate(node)
        case let list? where type(of: list) == [NSExpression].self:
            return .expression(.aggregate((list as? [NSExpression] ?? []).map(\.node)))
        default: return .expression(.constant(argument))
        }
    }

    func name(of keyPath: AnyKeyPath) -> String? { KeyPathNaming.name(of: keyPath) }

    func number(_ constant: Any?) -> Double? { PredicateNumber(constant)?.double }

    func text(_ constant: Any?) -> String? {
        if case .string(let text) = PredicateValue(constant) { return text }
        return nil
    }
}
