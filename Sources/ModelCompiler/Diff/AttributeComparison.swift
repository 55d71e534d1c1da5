import ModelFormat

/// Compares two versions of an attribute.
struct AttributeComparison {
    let entity: String
    let before: Attribute
    let after: Attribute
    /// The name shown: with the composite attribute's before it, for elements.
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
            result.append(transience())
            return result
        }
        if before.type != after.type {
            add(
                .needsMapping, "type \(before.type.xmlName) to \(after.type.xmlName)",
                "no mapping is inferred between types; add a new attribute and convert, or write a mapping"
                    + (narrows ? ". Large values will not fit" : ""))
        }
        if before.isDerived != after.isDerived {
            after.isDerived
                ? add(.losesData, "became derived", "stored values give way to computed ones")
                : add(.lightweight, "no longer derived", "the values computed last stay")
        } else if before.derivation != after.derivation {
            add(.lightweight, "derived by \(after.derivation ?? "")", "the store computes the values anew")
        }
        if before.isOptional, !after.isOptional {
            after.defaultValue == nil
                ? add(.needsMapping, "became required", "objects without a value have no default to take: give one")
                : add(.lightweight, "became required", "objects without a value get the default")
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

    private func transience() -> ModelChange {
        func change(_ effect: ModelChange.Effect, _ text: String, _ reason: String) -> ModelChange {
            ModelChange(effect, entity: entity, property: name, change: text, reason: reason)
        }
        if after.isTransient { return change(.losesData, "became transient", "its stored values are dropped") }
        if after.isOptional || after.defaultValue != nil {
            return change(.lightweight, "no longer transient", "existing objects get nil or the default")
        }
        return change(
            .needsMapping, "no longer transient", "existing objects have no value, and there is no default: give one")
    }

    private static let widths: [AttributeType: Int] = [
        .boolean: 1, .integer16: 16, .integer32: 32, .float: 33, .integer64: 64, .double: 65, .decimal: 128,
    ]

    private var narrows: Bool {
        guard let old = Self.widths[before.type], let new = Self.widths[after.type] else { return false }
        return new < old
    }

    private func elements() -> [ModelChange] {
        guard before.type == .composite, after.type == .composite else { return [] }
        let old = Dictionary(before.elements.map { ($0.name, $0) }) { first, _ in first }
        let new = Dictionary(after.elements.map { ($0.name, $0) }) { first, _ in first }
        var result: [ModelChange] = []
        for element in after.elements {
            let elementPath = "\(name).\(element.name)"
            if let known = old[element.name] {
                result += AttributeComparison(entity: entity, before: known, after: element, path: elementPath)
                    .changes()
            } else {
                result.append(
                    ModelChange(
                        .lightweight, entity: entity, property: elementPath, change: "added element",
                        reason: "nil in existing objects"))
            }
        }
        for element in before.elements where new[element.name] == nil {
            result.append(
                ModelChange(
                    .losesData, entity: entity, property: "\(name).\(element.name)", change: "removed element",
                    reason: "its values are dropped"))
        }
        return result
    }

    /// What version hashes do not see.
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
