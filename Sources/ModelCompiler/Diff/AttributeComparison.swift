import CoreDataModelBuilding
import ModelFormat

/// Compares two versions of an attribute. Refusals of the inference are reported by the caller.
struct AttributeComparison {
    let models: ModelCorrespondence
    let entity: String
    let before: Attribute
    let after: Attribute
    /// The displayed name, prefixed by that of the composite attribute for elements.
    var path: String?

    private var name: String { path ?? after.name }

    func changes() -> [ModelChange] {
        var result: [ModelChange] = []
        func add(_ effect: ModelChange.Effect, _ text: String, _ reason: String) {
            result.append(ModelChange(effect, entity: entity, property: name, change: text, reason: reason))
        }
        if before.isTransient, after.isTransient {
            if before != after { add(.none, "transient attribute changed", "stores do not hold it") }
            return result
        }
        if before.isTransient != after.isTransient {
            return transience()
        }
        if before.type != after.type, before.type.converts(to: after.type) {
            add(.lightweight, "type \(before.type.words) to \(after.type.words)", conversion)
        }
        if before.isDerived != after.isDerived {
            after.isDerived
                ? add(.losesData, "became derived", "stored values give way to computed ones")
                : add(.lightweight, "no longer derived", "the values computed last stay")
        } else if before.derivation != after.derivation {
            add(.lightweight, "derived by \(after.derivation ?? "")", "the store computes the values again")
        }
        if before.isOptional, !after.isOptional {
            if after.defaultValue != nil {
                add(.lightweight, "became required", "objects without a value get the default")
            }
        } else if !before.isOptional, after.isOptional {
            add(.lightweight, "became optional", "values are kept")
        }
        if before.allowsExternalBinaryDataStorage != after.allowsExternalBinaryDataStorage {
            let word = after.allowsExternalBinaryDataStorage ? "allowed" : "forbidden"
            add(.lightweight, "external storage \(word)", "values are kept, and moved when next saved")
        }
        if before.preservesValueInHistoryOnDeletion != after.preservesValueInHistoryOnDeletion {
            let word = after.preservesValueInHistoryOnDeletion ? "kept" : "no longer kept"
            add(.lightweight, "\(word) in history on deletion", "the version hash changes, the data stay")
        }
        if before.versionHashModifier != after.versionHashModifier {
            add(
                .lightweight, "version hash modifier \(after.versionHashModifier ?? "removed")",
                "the version hash changes, the data stay")
        }
        result += elements()
        result += unseen()
        return result
    }

    private func transience() -> [ModelChange] {
        func change(_ effect: ModelChange.Effect, _ text: String, _ reason: String) -> ModelChange {
            ModelChange(effect, entity: entity, property: name, change: text, reason: reason)
        }
        if after.isTransient { return [change(.losesData, "became transient", "its stored values are dropped")] }
        guard after.isOptional || after.defaultValue != nil || after.type == .composite || after.isDerived else {
            return []
        }
        let values =
            after.isDerived ? "the values are computed" : "existing objects get the default, or nil without one"
        return [change(.lightweight, "no longer transient", values)]
    }

    /// The conversion of values to the new type, as text.
    private var conversion: String {
        switch (before.type, after.type) {
        case (.boolean, _): "true becomes 1"
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64), (.integer16, .double),
            (.integer16, .float), (.integer32, .double), (.float, .double):
            "values are kept"
        case (.double, .float):
            "values are rounded; migration fails with error 134110 where one is too large for Float"
        default: "values are kept; migration fails with error 134110 where one does not fit \(after.type.words)"
        }
    }

    private func elements() -> [ModelChange] {
        guard before.type == .composite, after.type == .composite else { return [] }
        let oldElements = models.source.elements(of: before), newElements = models.destination.elements(of: after)
        let old = Dictionary(oldElements.map { ($0.name, $0) }) { first, _ in first }
        let pairs = models.elementNames(before, after)
        var result: [ModelChange] = []
        for element in newElements {
            let elementPath = "\(name).\(element.name)"
            if let known = pairs[element.name].flatMap({ old[$0] }) {
                if known.name != element.name {
                    result.append(
                        ModelChange(
                            .lightweight, entity: entity, property: elementPath, change: "renamed from \(known.name)",
                            reason: "the renaming identifier leads to it"))
                }
                result += AttributeComparison(
                    models: models, entity: entity, before: known, after: element, path: elementPath
                ).changes()
            } else if element.isOptional || element.defaultValue != nil || element.type == .composite {
                result.append(
                    ModelChange(
                        .lightweight, entity: entity, property: elementPath, change: "added element",
                        reason: element.defaultValue == nil
                            ? "nil in existing objects" : "existing objects get the default"))
            }
        }
        let kept = Set(pairs.values)
        for element in oldElements where !kept.contains(element.name) {
            result.append(
                ModelChange(
                    .losesData, entity: entity, property: "\(name).\(element.name)", change: "removed element",
                    reason: "its values are dropped"))
        }
        return result
    }

    /// Returns the changes that version hashes do not include.
    private func unseen() -> [ModelChange] {
        var result: [ModelChange] = []
        func add(_ text: String, _ reason: String) {
            result.append(ModelChange(.none, entity: entity, property: name, change: text, reason: reason))
        }
        if before.defaultValue != after.defaultValue {
            let value = after.defaultValue.map(PropertyWords.constant) ?? "removed"
            add("default \(value)", "only new objects get it")
        }
        if before.validation != after.validation {
            let rules = after.validation.map(PropertyWords.limit).joined(separator: ", ")
            add("validation \(rules.isEmpty ? "removed" : rules)", "checked when objects are next saved, not before")
        }
        if before.valueTransformerName != after.valueTransformerName || before.valueClassName != after.valueClassName {
            let name = after.valueTransformerName ?? "the framework's own"
            add(
                "value class \(after.valueClassName ?? "any"), transformer \(name)",
                "stored values stay as they are: make sure that they can still be read")
        }
        if before.usesScalarValueType != after.usesScalarValueType {
            add("Swift type changed", "only generated code is concerned")
        }
        if before.userInfo != after.userInfo { add("user info changed", "stores do not hold it") }
        return result
    }
}
