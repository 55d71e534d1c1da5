import CoreDataModelBuilding
import ModelFormat

/// Compares the properties that two versions of an entity declare.
struct PropertyComparison {
    let models: ModelCorrespondence
    let old: Entity
    let new: Entity
    /// The refusals of the inference for this entity.
    let refusals: [InferenceRefusal]
    /// The data of this entity that may make an inferred migration fail.
    let hazards: [MigrationHazard]

    func changes() -> [ModelChange] {
        let before = Dictionary(models.source.properties(old.name).map { ($0.name, $0) }) { first, _ in first }
        let after = Dictionary(models.destination.properties(new.name).map { ($0.name, $0) }) { first, _ in first }
        let ownOld = Set(ModelProperty.own(old).map(\.name)), ownNew = Set(ModelProperty.own(new).map(\.name))
        let pairs = models.propertyNames(of: new.name)
        var open = refusals.filter { $0.property == nil }
        var result = open.map { ModelChange($0) }
        open = refusals.filter { $0.property != nil }
        for (newName, oldName) in pairs.sorted(byText: \.key, .literal) {
            guard let before = before[oldName], let after = after[newName] else { continue }
            let refused = take(newName, from: &open)
            guard ownOld.contains(oldName) || ownNew.contains(newName) || !refused.isEmpty else { continue }
            if ownOld.contains(oldName), !ownNew.contains(newName) {
                result.append(change(.lightweight, newName, "\(after.kind) moved up to an ancestor", "values are kept"))
            } else if !ownOld.contains(oldName), ownNew.contains(newName) {
                result.append(
                    change(.lightweight, newName, "\(after.kind) moved down from an ancestor", "values are kept"))
            }
            result += compare(before, after, refused)
        }
        let matchedOld = Set(pairs.values)
        let added = ModelProperty.own(new).filter { pairs[$0.name] == nil }
        for property in added { result += self.added(property) }
        for property in models.source.properties(old.name)
        where !matchedOld.contains(property.name) && (ownOld.contains(property.name) || isLeftBehind(property.name)) {
            result.append(removed(property, added: added))
        }
        return result + open.map { ModelChange($0) } + fetchedProperties()
    }

    /// Returns whether an inherited property is lost because of the parent, which still has it or is removed, and not because
    /// it was removed there.
    private func isLeftBehind(_ property: String) -> Bool {
        let owner = models.source.lineage(old.name).first { ancestor in
            ModelProperty.own(ancestor).contains { $0.name == property }
        }
        guard let owner, let successor = models.destinationNames[owner.name] else { return true }
        return models.propertyNames(of: successor).values.contains(property)
    }

    /// Returns the hazards of a property or its elements.
    private func hazards(of property: String) -> [MigrationHazard] {
        hazards.filter { $0.property == property || $0.property.hasPrefix(property + ".") }
    }

    /// Removes and returns the refusals of a property or its elements.
    private func take(_ name: String, from refusals: inout [InferenceRefusal]) -> [InferenceRefusal] {
        func concerns(_ refusal: InferenceRefusal) -> Bool {
            refusal.property == name || refusal.property?.hasPrefix(name + ".") == true
        }
        defer { refusals.removeAll(where: concerns) }
        return refusals.filter(concerns)
    }

    private func change(
        _ effect: ModelChange.Effect, _ property: String, _ change: String, _ reason: String
    ) -> ModelChange {
        ModelChange(effect, entity: new.name, property: property, change: change, reason: reason)
    }

    // MARK: Coming and going

    private func added(_ property: ModelProperty) -> [ModelChange] {
        let what = "added \(property.kind)"
        guard !property.isTransient else {
            return [change(.none, property.name, what + ", transient", "stores do not hold it")]
        }
        switch property {
        case .attribute(let attribute):
            let facts = "\(what) (\(PropertyWords.facts(attribute).joined(separator: ", ")))"
            if attribute.isDerived {
                return [change(.lightweight, attribute.name, facts, "the store computes its values")]
            }
            let hazards = hazards(of: attribute.name)
            guard hazards.isEmpty else { return hazards.map { ModelChange($0, change: facts) } }
            let hasDefault = attribute.defaultValue != nil || attribute.type == .composite
            return [
                change(
                    .lightweight, attribute.name, facts,
                    hasDefault ? "existing objects get the default" : "nil in existing objects")
            ]
        case .relationship(let relationship):
            let facts = "\(what) (\(PropertyWords.facts(relationship).joined(separator: ", ")))"
            let hazards = hazards(of: relationship.name)
            if hazards.contains(where: { $0.kind == .missingObject }) {
                return hazards.map { ModelChange($0, change: facts) }
            }
            let reason =
                relationship.isOptional || !relationship.isToMany
                ? "empty in existing objects"
                : "empty in existing objects, which cannot be saved again until it is set, as it is required"
            return [change(.lightweight, relationship.name, facts, reason)] + hazards.map { ModelChange($0) }
        }
    }

    private func removed(_ property: ModelProperty, added: [ModelProperty]) -> ModelChange {
        guard !property.isTransient else {
            return change(.none, property.name, "removed \(property.kind), transient", "stores do not hold it")
        }
        if case .attribute(let attribute) = property, attribute.isDerived {
            return change(.lightweight, attribute.name, "removed derived attribute", "its values were computed")
        }
        var reason: String
        switch property {
        case .attribute: reason = "its values are dropped"
        case .relationship: reason = "which objects were related is dropped"
        }
        if let same = added.first(where: { $0.name == property.name }), let identifier = same.identifier {
            reason += "; the new \(same.name) is another by its renaming identifier \(identifier)"
            return change(.losesData, property.name, "removed \(property.kind)", reason)
        }
        let candidates = added.filter { Self.mayBeRenamed(property, to: $0) }
        if candidates.count == 1 {
            reason += "; if \(candidates[0].name) is the same renamed, give it the renaming identifier \(property.name)"
        }
        return change(.losesData, property.name, "removed \(property.kind)", reason)
    }

    private static func mayBeRenamed(_ old: ModelProperty, to new: ModelProperty) -> Bool {
        switch (old, new) {
        case (.attribute(let old), .attribute(let new)): old.type == new.type
        case (.relationship(let old), .relationship(let new)):
            old.destinationName == new.destinationName && old.isToMany == new.isToMany
        default: false
        }
    }

    private func fetchedProperties() -> [ModelChange] {
        let before = Dictionary(old.fetchedProperties.map { ($0.name, $0) }) { first, _ in first }
        let after = Dictionary(new.fetchedProperties.map { ($0.name, $0) }) { first, _ in first }
        return Set(before.keys).union(after.keys).sorted().compactMap { name in
            guard before[name] != after[name] else { return nil }
            let word = before[name] == nil ? "added" : after[name] == nil ? "removed" : "changed"
            return change(.none, name, "\(word) fetched property", "stores do not hold it")
        }
    }

    // MARK: Changes

    private func compare(
        _ before: ModelProperty, _ after: ModelProperty, _ refused: [InferenceRefusal]
    ) -> [ModelChange] {
        var result = refused.map { ModelChange($0) }
        if before.name != after.name {
            result.append(
                change(
                    .lightweight, after.name, "renamed from \(before.name)", "the renaming identifier leads to it"))
        }
        switch (before, after) {
        case (.attribute(let before), .attribute(let after)):
            result += hazards(of: after.name).map { ModelChange($0) }
            result += AttributeComparison(models: models, entity: new.name, before: before, after: after).changes()
        case (.relationship(let before), .relationship(let after)):
            let hazards = hazards(of: after.name)
            result += hazards.map { hazard in
                let isMoved =
                    hazard.kind == .destination
                    && models.destinationNames[before.destinationName] != after.destinationName
                return ModelChange(
                    hazard,
                    change: isMoved ? "destination \(before.destinationName) to \(after.destinationName)" : nil)
            }
            result +=
                RelationshipComparison(
                    models: models, entity: new.name, before: before, after: after, hazards: Set(hazards.map(\.kind))
                ).changes()
        // Reported as a refusal; a subentity may map it differently.
        case (.attribute, .relationship), (.relationship, .attribute):
            result += hazards(of: after.name).map { ModelChange($0) }
        }
        return result
    }
}
