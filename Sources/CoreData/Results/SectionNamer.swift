import Foundation
import PredicateFormat

/// Tells the name of an object's section.
struct SectionNamer {
    /// Leads from an object to the name; nil where there are no sections.
    private let expression: NSExpression?

    init(keyPath: String?) {
        expression = keyPath.map { NSExpression(forKeyPath: $0) }
    }

    /// Whether results without objects have one empty section all the same.
    var hasFixedSection: Bool { expression == nil }

    /// The name: the value of the key path as text, empty for nil.
    ///
    /// Throws when the key path leads nowhere.
    func name(of object: AnyObject) throws -> String {
        guard let expression else { return "" }
        switch try expression.expressionValueThrowing(with: object) {
        case nil, is NSNull: return ""
        case let text as String: return text
        case let number as NSNumber: return number.stringValue
        case .some(let value): return "\(value)"
        }
    }
}
