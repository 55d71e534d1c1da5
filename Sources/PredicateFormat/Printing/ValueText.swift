import Foundation

/// Textual descriptions of values, for messages and the function `description`.
enum ValueText {
    /// The limit for describing dates: off Apple's platforms Foundation crashes on dates beyond some hundred thousand years.
    private static let describableSeconds = 1e12

    static func description(of value: Any?) -> String {
        switch PredicateValue(value) {
        case .null: "nil"
        case .string(let text): text
        case .number(let number): FormatPrinter.text(of: number)
        case .date(let seconds):
            seconds.magnitude < describableSeconds
                ? Date(timeIntervalSinceReferenceDate: seconds).description
                : ExpressionNode.constant(value).expressionFormat
        case .other(let other):
            other is any PredicateCollection ? ExpressionNode.constant(other).expressionFormat : "\(other)"
        }
    }
}
