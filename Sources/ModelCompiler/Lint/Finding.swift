import ModelFormat

/// Something `modelc lint` found.
public struct Finding: Sendable, Hashable {
    /// The rule's name, by which it can be switched off.
    public var rule: String
    public var severity: Diagnostic.Severity
    public var entity: String?
    public var property: String?
    public var message: String
    public var advice: String?
}

/// One thing that is looked for.
struct LintRule {
    var name: String
    /// What is looked for, in a few words.
    var summary: String
    var check: @Sendable (inout LintRun) -> Void
}

/// A model being checked.
struct LintRun {
    let model: Model
    let index: ModelIndex
    private(set) var findings: [Finding] = []
    /// The rule at work.
    var rule = ""

    init(_ model: Model) {
        self.model = model
        index = ModelIndex(model)
    }

    mutating func report(
        _ severity: Diagnostic.Severity, _ entity: String?, _ property: String?, _ message: String,
        advice: String? = nil
    ) {
        let finding = Finding(
            rule: rule, severity: severity, entity: entity, property: property, message: message, advice: advice)
        if !findings.contains(finding) { findings.append(finding) }
    }
}
