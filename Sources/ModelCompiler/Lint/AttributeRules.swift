import CoreDataModelBuilding
import Foundation
import ModelFormat

/// The rules for attributes.
enum AttributeRules {
    static let all: [LintRule] = [
        .attributes("required-without-default", "required attributes that nothing sets") { attribute, _, _ in
            guard !attribute.isOptional, !attribute.isTransient, !attribute.isDerived, attribute.defaultValue == nil,
                attribute.type != .composite
            else { return [] }
            let message = "the attribute is required and has no default"
            if attribute.type.hasScalarForm && attribute.type != .date {
                let advice = "It reads as 0 while it is nil, and saving fails with error 1570: give it a default"
                return [.warning(message, advice: advice)]
            }
            return [
                .note(
                    message,
                    advice:
                        "Saving fails with error 1570 until it is set, and adding it to a shipped model needs a mapping"
                )
            ]
        },
        .attributes("optional-scalar", "nil that reads as zero") { attribute, _, _ in
            guard attribute.isOptional, attribute.usesScalarValueType == true, attribute.type.hasScalarForm,
                attribute.defaultValue == nil
            else { return [] }
            return [
                .note(
                    "the attribute is optional, but its Swift type cannot be nil",
                    advice:
                        "nil reads as 0 and predicates tell them apart: give a default, or do without the scalar type")
            ]
        },
        .attributes("undefined-type", "stored attributes without a type") { attribute, _, _ in
            guard attribute.type == .undefined, !attribute.isTransient else { return [] }
            let advice = "Only transient attributes can do without: no store can be opened"
            return [.error("the attribute has no type", advice: advice)]
        },
        .attributes("insecure-transformable", "transformable attributes without a transformer") { attribute, _, _ in
            guard attribute.type == .transformable, !attribute.isTransient, attribute.valueTransformerName == nil else {
                return []
            }
            return [
                .note(
                    "the attribute names no value transformer",
                    advice:
                        "Values of any class are made of what a store holds: name NSSecureUnarchiveFromData, or a subclass that allows your classes"
                )
            ]
        },
        .warnings("unreadable-default", "invalid default values", .unreadableDefault),
        .warnings("misspelled-transformer", "transformers by a misspelled name", .misspelledName),
        .attributes("default-breaks-rule", "defaults that fail their own validation") { attribute, _, _ in
            guard let value = attribute.defaultValue else { return [] }
            return attribute.validation.filter { breaks(value, $0) }.map { rule in
                .warning(
                    "the default \(PropertyWords.constant(value)) is not \(PropertyWords.limit(rule))",
                    advice: "New objects cannot be saved unless it is changed")
            }
        },
        .attributes("inline-binary", "binary data kept in the rows") { attribute, _, _ in
            guard attribute.type == .binary, !attribute.isTransient, !attribute.allowsExternalBinaryDataStorage else {
                return []
            }
            return [
                .note(
                    "the attribute's data lie in the row itself",
                    advice: "Fetches read them all: allow external storage if they may be larger than some kilobytes")
            ]
        },
        .attributes("bad-derivation", "derived attributes that no store can compute") { attribute, entity, index in
            derivationProblems(attribute, entity, index)
                .map { .error($0, advice: "Opening a store with the model fails") }
        },
    ]

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

    /// Returns the problems of a derivation. A SQLite store computes a to-one path, one function of a path, a count or
    /// aggregate of a to-many relationship, and `now()`.
    private static func derivationProblems(_ attribute: Attribute, _ entity: Entity, _ index: ModelIndex) -> [String] {
        guard let text = attribute.derivation else { return [] }
        guard let paths = FetchPaths.paths(ofExpression: text) else { return ["the expression \(text) cannot be read"] }
        let problems = paths.compactMap { FetchPaths.problem(with: $0, from: entity.name, in: index) }
        return problems + (attribute.isTransient ? ["a derived attribute cannot be transient"] : [])
    }
}
