import CoreDataModelBuilding
import ModelFormat

/// Something `modelc lint` found.
public struct Finding: Sendable, Hashable {
    /// The rule's name, by which it can be switched off.
    public var rule: String
    /// How bad it is.
    public var severity: Diagnostic.Severity
    /// The entity concerned.
    public var entity: String?
    /// The property concerned.
    public var property: String?
    /// What is wrong, in one sentence.
    public var message: String
    /// What to do about it.
    public var advice: String?
    /// The line, where it is not that of the entity or property.
    var line: Int?
}

extension Finding {
    /// Something a compiled model says that is unknown here.
    init(unknownKey key: String) {
        self.init(
            rule: "unknown-attribute", severity: .note, entity: nil, property: nil,
            message: "the archive has the key \(key), which means nothing here", advice: nil)
    }
}

/// One thing that is looked for.
struct LintRule {
    var name: String
    /// What is looked for, in a few words.
    var summary: String
    var check: @Sendable (inout LintRun) -> Void
}

extension LintRule {
    /// A rule that looks at each attribute by itself.
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

    /// A rule that looks at each relationship with its inverse, where it has one.
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
    /// A rule that repeats what ``Model/warnings(lines:file:)`` says.
    static func warnings(_ name: String, _ summary: String, _ code: ModelFormatError.Code) -> LintRule {
        LintRule(name: name, summary: summary) { run in
            for warning in run.warnings where warning.code == code {
                run.report(.warning, warning.entity, warning.property, warning.message, advice: warning.advice)
            }
        }
    }
}

/// What a rule has to say of a property.
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
    /// The relationship that leads back, if there is one.
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
    /// The rule at work.
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
