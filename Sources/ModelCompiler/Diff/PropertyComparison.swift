import ModelFormat

/// Compares the properties two versions of an entity declare.
struct PropertyComparison {
    /// An attribute or a relationship.
    private enum Property {
        case attribute(Attribute)
        case relationship(Relationship)

        var name: String {
            switch self {
            case .attribute(let attribute): attribute.name
            case .relationship(let relationship): relationship.name
            }
        }

        var identifier: String? {
            switch self {
            case .attribute(let attribute): attribute.renamingIdentifier
            case .relationship(let relationship): relationship.renamingIdentifier
            }
        }

        var isTransient: Bool {
            switch self {
            case .attribute(let attribute): attribute.isTransient
            case .relationship(let relationship): relationship.isTransient
            }
        }

        var kind: String {
            switch self {
            case .attribute: "attribute"
            case .relationship: "relationship"
            }
        }
    }

    let pairs: EntityPairs
    let old: Entity
    let new: Entity

    func changes() -> [ModelChange] {
        let allOld = Self.all(pairs.old.lineage(old.name))
        let allNew = Self.all(pairs.new.lineage(new.name))
        let ownOld = Set(Self.own(old).map(\.name))
        let ownNew = Set(Self.own(new).map(\.name))
        let matches = EntityPairs.pairs(
            allOld.map { ($0.name, $0.identifier) }, allNew.map { ($0.name, $0.identifier) })
        let oldByName = Dictionary(allOld.map { ($0.name, $0) }) { first, _ in first }
        let newByName = Dictionary(allNew.map { ($0.name, $0) }) { first, _ in first }
        var result: [ModelChange] = []
        for match in matches.sorted(by: { literallyPrecedes($0.new, $1.new) })
        where ownOld.contains(match.old) || ownNew.contains(match.new) {
            guard let before = oldByName[match.old], let after = newByName[match.new] else { continue }
            if ownOld.contains(match.old), !ownNew.contains(match.new) {
                result.append(
                    change(.lightweight, match.new, "\(after.kind) moved up to an ancestor", "values are kept"))
            } else if !ownOld.contains(match.old) {
                result.append(
                    change(.lightweight, match.new, "\(after.kind) moved down from an ancestor", "values are kept"))
            }
            result += compare(before, after)
        }
        let matchedOld = Set(matches.map(\.old))
        let matchedNew = Set(matches.map(\.new))
        let added = Self.own(new).filter { !matchedNew.contains($0.name) }
        for property in added { result += self.added(property) }
        for property in Self.own(old) where !matchedOld.contains(property.name) {
            result.append(removed(property, added: added))
        }
        return result + fetchedProperties()
    }

    private static func own(_ entity: Entity) -> [Property] {
        entity.attributes.map { .attribute($0) } + entity.relationships.map { .relationship($0) }
    }

    /// Own and inherited properties; a child's declaration hides its ancestors'.
    private static func all(_ lineage: [Entity]) -> [Property] {
        var names: Set<String> = []
        return lineage.flatMap { entity in own(entity).filter { names.insert($0.name).inserted } }
    }

    private func change(
        _ effect: ModelChange.Effect, _ property: String, _ change: String, _ reason: String
    ) -> ModelChange {
        ModelChange(effect, entity: new.name, property: property, change: change, reason: reason)
    }

    // MARK: Coming and going

    private func added(_ property: Property) -> [ModelChange] {
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
            if attribute.isOptional {
                let reason =
                    "nil in existing objects" + (attribute.defaultValue == nil ? "" : "; the default is for new ones")
                return [change(.lightweight, attribute.name, facts, reason)]
            }
            if attribute.defaultValue != nil || attribute.type == .composite {
                return [change(.lightweight, attribute.name, facts, "existing objects get the default")]
            }
            return [
                change(
                    .needsMapping, attribute.name, facts,
                    "existing objects have no value, and there is no default: give one, or make it optional")
            ]
        case .relationship(let relationship):
            let facts = "\(what) (\(PropertyWords.facts(relationship).joined(separator: ", ")))"
            let reason =
                relationship.isOptional
                ? "empty in existing objects"
                : "empty in existing objects, which cannot be saved again until it is set, as it is required"
            return [change(.lightweight, relationship.name, facts, reason)]
        }
    }

    private func removed(_ property: Property, added: [Property]) -> ModelChange {
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
        let candidates = added.filter { Self.mayBeRenamed(property, to: $0) }
        if candidates.count == 1 {
            reason += "; if \(candidates[0].name) is the same renamed, give it the renaming identifier \(property.name)"
        }
        return change(.losesData, property.name, "removed \(property.kind)", reason)
    }

    private static func mayBeRenamed(_ old: Property, to new: Property) -> Bool {
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

    private func compare(_ before: Property, _ after: Property) -> [ModelChange] {
        var result: [ModelChange] = []
        if before.name != after.name {
            result.append(
                change(
                    .lightweight, after.name, "renamed from \(before.name)", "the renaming identifier leads to it"))
        }
        switch (before, after) {
        case (.attribute(let before), .attribute(let after)):
            result += AttributeComparison(entity: new.name, before: before, after: after).changes()
        case (.relationship(let before), .relationship(let after)):
            result += RelationshipComparison(pairs: pairs, entity: new.name, before: before, after: after).changes()
        case (.attribute, .relationship), (.relationship, .attribute):
            result.append(
                change(
                    .losesData, after.name, "\(before.kind) became \(after.kind)",
                    "the old values are dropped; a mapping can carry them over"))
        }
        return result
    }
}
