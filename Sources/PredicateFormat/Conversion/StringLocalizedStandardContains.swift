import Foundation

extension PredicateExpressions {
    /// `string.localizedStandardContains(other)` in `#Predicate` and `#Expression`, which Foundation lacks off Apple's
    /// platforms.
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
        PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The expression yields true if the string contains the other one.
        public typealias Output = Bool

        /// The string that is searched.
        public let root: Root
        /// The string to find.
        public let other: Other

        /// Creates the expression from its operands.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// Searches ignoring case and diacritics, as `CONTAINS[cdl]` does: an empty string is never found.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            let (text, needle) = (try root.evaluate(bindings), try other.evaluate(bindings))
            return try StringMatcher(
                .contains, needle: String(needle),
                options: [.caseInsensitive, .diacriticInsensitive, .localeSensitive]
            ).matches(String(text))
        }
    }

    /// Builds the expression for the `#Predicate` macro.
    @_disfavoredOverload
    public static func build_localizedStandardContains<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
        StringLocalizedStandardContains(root: root, other: other)
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {}

extension PredicateExpressions.StringLocalizedStandardContains: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        let left = try conversion.expression(root)
        return .predicate(
            .comparison(
                ComparisonNode(
                    left, .contains, try conversion.expression(other),
                    options: [.caseInsensitive, .diacriticInsensitive, .localeSensitive])))
    }
}
