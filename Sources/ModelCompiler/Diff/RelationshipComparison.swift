import ModelFormat

/// Compares two versions of a relationship. Refusals of the inference and hazards of the migration are reported by the caller.
struct RelationshipComparison {
    let models: ModelCorrespondence
    let entity: String
    let before: Relationship
    let after: Relationship
    /// The hazards of the relationship.
    let hazards: Set<MigrationHazard.Kind>

    func changes() -> [ModelChange] {
        var result: [ModelChange] = []
        func add(_ effect: ModelChange.Effect, _ text: String, _ reason: String) {
            result.append(ModelChange(effect, entity: entity, property: after.name, change: text, reason: reason))
        }
        if before.isTransient || after.isTransient {
            switch (before.isTransient, after.isTransient) {
            case (true, true):
                if before != after { add(.none, "transient relationship changed", "stores do not hold it") }
            case (false, true): add(.losesData, "became transient", "which objects were related is dropped")
            default: add(.lightweight, "no longer transient", "empty in existing objects")
            }
            return result
        }
        guard models.survives(before) else {
            add(
                .losesData, "destination \(before.destinationName) is gone",
                "the relationship is empty in existing objects")
            return result
        }
        compareDestinations(add)
        switch (before.isToMany, after.isToMany) {
        case (false, true): add(.lightweight, "to one became to many", "the one object becomes the only member")
        // Reported as a refusal.
        case (true, false): break
        default:
            if before.minCount != after.minCount || before.maxCount != after.maxCount {
                add(
                    .lightweight, "count \(after.minCount)...\(after.maxCount == 0 ? "" : "\(after.maxCount)")",
                    "checked when objects are next saved, not before")
            }
        }
        if before.isOrdered != after.isOrdered {
            after.isOrdered
                ? add(.lightweight, "became ordered", "the order is arbitrary at first")
                : add(.losesData, "no longer ordered", "the order is dropped")
        }
        if before.isOptional != after.isOptional {
            if after.isOptional {
                add(.lightweight, "became optional", "related objects are kept")
            } else if !hazards.contains(.missingObject) {
                add(
                    .lightweight, "became required",
                    "related objects are kept; objects without any cannot be saved again until it is set")
            }
        }
        if expectedInverse != after.inverseName {
            add(
                .lightweight, "inverse \(before.inverseName ?? "none") to \(after.inverseName ?? "none")",
                joinsOthers ? "the related objects of both are kept together" : "related objects are kept")
        }
        if before.versionHashModifier != after.versionHashModifier {
            add(
                .lightweight, "version hash modifier \(after.versionHashModifier ?? "removed")",
                "the version hash changes, the data stay")
        }
        if before.deleteRule != after.deleteRule {
            add(
                .none, "delete rule \(before.deleteRule.xmlName) to \(after.deleteRule.xmlName)",
                "stores do not know delete rules")
        }
        if before.userInfo != after.userInfo { add(.none, "user info changed", "stores do not hold it") }
        return result
    }

    /// The new name of the old inverse; nil if there was none.
    private var expectedInverse: String? {
        guard let name = before.inverseName else { return nil }
        let names = models.propertyNames(of: after.destinationName)
        return names.first { $0.value == name }?.key ?? name
    }

    /// True if the new inverse was a separate relationship with objects before.
    private var joinsOthers: Bool {
        guard let name = after.inverseName,
            case .relationship(let other)? = models.sourceProperty(of: name, in: after.destinationName)
        else { return false }
        return other.name != before.inverseName
    }

    private func compareDestinations(_ add: (ModelChange.Effect, String, String) -> Void) {
        guard models.destinationNames[before.destinationName] != after.destinationName,
            !hazards.contains(.destination)
        else { return }
        add(
            .lightweight, "destination \(before.destinationName) to \(after.destinationName)",
            "related objects are kept")
    }
}
