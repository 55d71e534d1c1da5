import CoreDataModelBuilding
import ModelFormat

/// A finding of `modelc lint`.
public struct Finding: Sendable, Hashable {
    /// The name of the rule, by which it can be disabled.
    public var rule: String
    /// The severity.
    public var severity: Diagnostic.Severity
    /// The affected entity.
    public var entity: String?
    /// The affected property.
    public var property: String?
    /// The description of the problem, in one sentence.
    public var message: String
    /// The advice for developers.
    public var advice: String?
    /// The line, if it is not that of the entity or property.
    var line: Int?
}

extension Finding {
    /// Creates the finding for an unknown key of a compiled model.
    init(unknownKey key: String) {
        self.init(
            rule: "unknown-attribute", severity: .note, entity: nil, property: nil,
            message: "the archive has the key \(key), which means nothing here", advice: nil)
    }
}

/// A lint rule.
struct LintRule {
    var name: String
    /// The short description of the rule.
    var summary: String
    var check: @Sendable (inout LintRun) -> Void
}

extension LintRule {
    /// Creates a rule that checks each attribute separately.
    static func attributes(
        _ name: String, _ summary: String,
        check: @escaping @Sendable (Attribute, Entity, ModelIndex) -> [Complaint]
    ) -> LintRule {
        LintRule(name: name, summary: summary) { run in
            for entity in run.model.entities {
                for attribute in entity.attributes {
                    run.report(check(attribute, entity, run.index), entity.name, attribute.name)
                }
            }
        }
    }

    /// Creates a rule that checks each relationship with its inverse, if it has one.
    static func relationships(
        _ name: String, _ summary: String,
        check: @escaping @Sendable (Relationship, _ inverse: Relationship?) -> [Complaint]
    ) -> LintRule {
        LintRule(name: name, summary: summary) { run in
            for entity in run.model.entities {
                for relationship in entity.relationships {
                    let complaints = check(relationship, run.index.inverse(of: relationship))
                    run.report(complaints, entity.name, relationship.name)
                }
            }
        }
    }
}

extension LintRule {
    /// Creates a rule that reports the warnings of ``Model/warnings(lines:file:)`` with a code.
    static func warnings(_ name: String, _ summary: String, _ code: ModelFormatError.Code) -> LintRule {
        LintRule(name: name, summary: summary) { run in
            for warning in run.warnings where warning.code == code {
                run.report(.warning, warning.entity, warning.property, warning.message, advice: warning.advice)
            }
        }
    }
}

/// A problem that a rule reports for a property.
struct Complaint {
    var severity: Diagnostic.Severity
    var message: String
    var advice: String?

    static func error(_ message: String, advice: String? = nil) -> Complaint {
        Complaint(severity: .error, message: message, advice: advice)
    }

    static func warning(_ message: String, advice: String) -> Complaint {
        Complaint(severity: .warning, message: message, advice: advice)
    }

    static func note(_ message: String, advice: String) -> Complaint {
        Complaint(severity: .note, message: message, advice: advice)
    }
}

extension ModelIndex {
    /// Returns the inverse of a relationship; nil if there is none.
    func inverse(of relationship: Relationship) -> Relationship? {
        guard let name = relationship.inverseName else { return nil }
        return relationships(relationship.destinationName).first { $0.name == name }
    }
}

/// A model being checked.
struct LintRun {
    let model: Model
    let index: ModelIndex
    let warnings: [ModelFormatError]
    private(set) var findings: [Finding] = []
    /// The rule that is being checked.
    var rule = ""

    init(_ model: Model) {
        self.model = model
        index = ModelIndex(model)
        warnings = model.warnings()
    }

    mutating func report(_ complaints: [Complaint], _ entity: String, _ property: String) {
        for complaint in complaints {
            report(complaint.severity, entity, property, complaint.message, advice: complaint.advice)
        }
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
