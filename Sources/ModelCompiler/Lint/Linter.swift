import ModelFormat

/// Checks a model for probable run-time problems.
public enum Linter {
    static let rules: [LintRule] =
        RelationshipRules.all + AttributeRules.all + NameRules.all + FetchRules.all + ModelRules.all

    /// Returns all findings, in the order of the model.
    ///
    /// - Parameters:
    ///   - model: the model to check.
    ///   - disabled: the names of rules to omit.
    public static func findings(in model: Model, disabled: Set<String> = []) -> [Finding] {
        var run = LintRun(model)
        for rule in rules where !disabled.contains(rule.name) {
            run.rule = rule.name
            rule.check(&run)
        }
        let order = Dictionary(
            model.entities.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
        return run.findings.enumerated().sorted { left, right in
            let (one, other) = (left.element.entity.flatMap { order[$0] }, right.element.entity.flatMap { order[$0] })
            return (one ?? Int.max, left.offset) < (other ?? Int.max, right.offset)
        }.map(\.element)
    }
}
