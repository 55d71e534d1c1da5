import Foundation
import PredicateFormat

/// Returns the section names of objects.
struct SectionNamer {
    /// The expression of the section name; nil without sections.
    private let expression: NSExpression?

    init(keyPath: String?) {
        expression = keyPath.map { NSExpression(forKeyPath: $0) }
    }

    /// True if results without objects have one empty section.
    var hasFixedSection: Bool { expression == nil }

    /// Returns the name: the value of the key path as a string, empty for nil.
    ///
    /// - Throws: An error if the key path cannot be followed.
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
