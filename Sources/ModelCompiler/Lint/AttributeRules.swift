import Foundation
import ModelFormat

/// What can be wrong with attributes.
enum AttributeRules {
    static let all = [
        LintRule(
            name: "required-without-default", summary: "required attributes that nothing sets",
            check: requiredWithoutDefault),
        LintRule(name: "optional-scalar", summary: "nil that reads as zero", check: optionalScalar),
        LintRule(name: "undefined-type", summary: "stored attributes without a type", check: undefinedType),
        LintRule(
            name: "insecure-transformable", summary: "transformable attributes without a transformer",
            check: transformable),
        LintRule(name: "default-breaks-rule", summary: "defaults that fail their own validation", check: defaults),
        LintRule(name: "inline-binary", summary: "binary data kept in the rows", check: inlineBinary),
        LintRule(name: "bad-derivation", summary: "derived attributes that no store can compute", check: derivations),
    ]

    private static func each(_ run: LintRun, _ body: (Entity, Attribute) -> Void) {
        for entity in run.model.entities {
            for attribute in entity.attributes { body(entity, attribute) }
        }
    }

    @Sendable private static func requiredWithoutDefault(_ run: inout LintRun) {
        var found: [(Entity, Attribute)] = []
        each(run) { entity, attribute in
            guard !attribute.isOptional, !attribute.isTransient, !attribute.isDerived, attribute.defaultValue == nil,
                attribute.type != .composite
            else { return }
            found.append((entity, attribute))
        }
        for (entity, attribute) in found {
            let isScalar = attribute.type.hasScalarForm && attribute.type != .date
            run.report(
                isScalar ? .warning : .note, entity.name, attribute.name,
                "the attribute is required and has no default",
                advice: isScalar
                    ? "It reads as 0 while it is nil, and saving fails with error 1570: give it a default"
                    : "Saving fails with error 1570 until it is set, and adding it to a shipped model needs a mapping")
        }
    }

    @Sendable private static func optionalScalar(_ run: inout LintRun) {
        var found: [(Entity, Attribute)] = []
        each(run) { entity, attribute in
            guard attribute.isOptional, attribute.usesScalarValueType == true, attribute.type.hasScalarForm,
                attribute.defaultValue == nil
            else { return }
            found.append((entity, attribute))
        }
        for (entity, attribute) in found {
            run.report(
                .warning, entity.name, attribute.name, "the attribute is optional, but its Swift type cannot be nil",
                advice: "nil reads as 0 and predicates tell them apart: give a default, or do without the scalar type")
        }
    }

    @Sendable private static func undefinedType(_ run: inout LintRun) {
        var found: [(Entity, Attribute)] = []
        each(run) { if $1.type == .undefined, !$1.isTransient { found.append(($0, $1)) } }
        for (entity, attribute) in found {
            run.report(
                .error, entity.name, attribute.name, "the attribute has no type",
                advice: "Only transient attributes can do without: no store can be opened")
        }
    }

    @Sendable private static func transformable(_ run: inout LintRun) {
        var found: [(Entity, Attribute)] = []
        each(run) { entity, attribute in
            guard attribute.type == .transformable, !attribute.isTransient, attribute.valueTransformerName == nil else {
                return
            }
            found.append((entity, attribute))
        }
        for (entity, attribute) in found {
            run.report(
                .note, entity.name, attribute.name, "the attribute names no value transformer",
                advice: "Values go through NSSecureUnarchiveFromData, which takes property list classes only: name one")
        }
    }

    @Sendable private static func defaults(_ run: inout LintRun) {
        var found: [(Entity, Attribute, String)] = []
        each(run) { entity, attribute in
            guard let value = attribute.defaultValue else { return }
            for rule in attribute.validation where breaks(value, rule) {
                found.append((entity, attribute, PropertyWords.limit(rule)))
            }
        }
        for (entity, attribute, rule) in found {
            let value = attribute.defaultValue.map(PropertyWords.constant) ?? ""
            run.report(
                .warning, entity.name, attribute.name, "the default \(value) is not \(rule)",
                advice: "New objects cannot be saved unless it is changed")
        }
    }

    private static func breaks(_ value: ModelValue, _ rule: ValidationRule) -> Bool {
        switch rule {
        case .minimum(let limit): number(value).flatMap { value in number(limit).map { value < $0 } } ?? false
        case .maximum(let limit): number(value).flatMap { value in number(limit).map { value > $0 } } ?? false
        case .minimumLength(let count): value.string.map { $0.utf16.count < count } ?? false
        case .maximumLength(let count): value.string.map { $0.utf16.count > count } ?? false
        case .pattern, .predicate: false
        }
    }

    private static func number(_ value: ModelValue) -> Double? {
        switch value {
        case .bool(let flag): flag ? 1 : 0
        case .integer(let number): Double(number)
        case .double(let number), .date(let number): number
        case .decimal(let number): NSDecimalNumber(decimal: number).doubleValue
        default: nil
        }
    }

    @Sendable private static func inlineBinary(_ run: inout LintRun) {
        var found: [(Entity, Attribute)] = []
        each(run) { entity, attribute in
            guard attribute.type == .binary, !attribute.isTransient, !attribute.allowsExternalBinaryDataStorage else {
                return
            }
            found.append((entity, attribute))
        }
        for (entity, attribute) in found {
            run.report(
                .note, entity.name, attribute.name, "the attribute's data lie in the row itself",
                advice: "Fetches read them all: allow external storage if they may be larger than some kilobytes")
        }
    }

    /// The forms a SQLite store computes: a to-one path, one function over one, a count or aggregate of a to-many, `now()`.
    @Sendable private static func derivations(_ run: inout LintRun) {
        var found: [(Entity, Attribute, String)] = []
        each(run) { entity, attribute in
            guard let text = attribute.derivation else { return }
            guard let paths = FetchPaths.paths(ofExpression: text) else {
                return found.append((entity, attribute, "the expression \(text) cannot be read"))
            }
            for path in paths {
                if let problem = FetchPaths.problem(with: path, from: entity.name, in: run.index) {
                    found.append((entity, attribute, problem))
                }
            }
            if attribute.isTransient { found.append((entity, attribute, "a derived attribute cannot be transient")) }
        }
        for (entity, attribute, message) in found {
            run.report(
                .error, entity.name, attribute.name, message, advice: "Opening a store with the model fails")
        }
    }
}
