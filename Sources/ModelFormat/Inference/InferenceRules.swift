/// Finds the differences for which no mapping can be inferred, by Apple's documented rules.
struct InferenceRules {
    private let models: ModelCorrespondence

    init(_ models: ModelCorrespondence) { self.models = models }

    /// Returns one refusal for each ambiguous difference.
    func refusals() -> [InferenceRefusal] {
        var refusals = hierarchies()
        for entity in models.destination.model.entities.sorted(byText: \.name)
        where models.sourceNames[entity.name] != nil {
            let own = Set(ModelProperty.own(entity).map(\.name))
            // An inherited property is reported where it is declared, unless it came from elsewhere.
            for property in models.destination.properties(entity.name).sorted(byText: \.name)
            where own.contains(property.name) || !inheritsMapping(property.name, entity) {
                if let refusal = refusal(property, in: entity.name) { refusals.append(refusal) }
            }
        }
        return refusals
    }

    /// Returns whether the owner of an inherited property is migrated too, with the same mapping.
    private func inheritsMapping(_ property: String, _ entity: Entity) -> Bool {
        let owner = models.destination.lineage(entity.name).first { ancestor in
            ModelProperty.own(ancestor).contains { $0.name == property }
        }
        guard let owner, models.sourceNames[owner.name] != nil else { return false }
        return origin(of: property, owner.name) == origin(of: property, entity.name)
    }

    /// Returns the source entity that declares the origin of a property, and its name there.
    private func origin(of property: String, _ entity: String) -> [String?] {
        guard let name = models.propertyNames(of: entity)[property], let source = models.sourceNames[entity] else {
            return []
        }
        let owner = models.source.lineage(source).first { ancestor in
            ModelProperty.own(ancestor).contains { $0.name == name }
        }
        return [owner?.name, name]
    }

    // MARK: Hierarchies

    /// Returns a refusal for each hierarchy with origins in several tables, since their primary keys may collide.
    private func hierarchies() -> [InferenceRefusal] {
        var refusals: [InferenceRefusal] = []
        for root in models.destination.model.entities where root.parentName == nil {
            var origins: [String: [String]] = [:]
            for entity in models.destination.family(root.name) {
                guard let old = models.sourceNames[entity.name] else { continue }
                origins[models.source.root(old), default: []].append(entity.name)
            }
            guard origins.count > 1 else { continue }
            let groups = origins.sorted(byText: \.key).map { "\($1.sorted().joined(separator: ", ")) from \($0)" }
            refusals.append(
                InferenceRefusal(
                    .hierarchy, entity: root.name,
                    reason: "entities under \(root.name) have no common parent in the source "
                        + "(\(groups.joined(separator: "; ")))"))
        }
        return refusals
    }

    // MARK: Properties

    private func refusal(_ property: ModelProperty, in entity: String) -> InferenceRefusal? {
        let path = Path(entity: entity, property: property.name)
        switch (property, models.sourceProperty(of: property.name, in: entity)) {
        case (.attribute(let new), .attribute(let old)): return attribute(new, old, path)
        case (.relationship(let new), .relationship(let old)): return relationship(new, old, path)
        case (.attribute, .relationship):
            return path.refusal(.kind, "was a relationship and is now an attribute")
        case (.relationship, .attribute):
            return path.refusal(.kind, "was an attribute and is now a relationship")
        case (_, nil): return nil
        }
    }

    /// The destination property of a refusal.
    private struct Path {
        var entity: String
        var property: String

        func appending(_ element: String) -> Path { Path(entity: entity, property: "\(property).\(element)") }

        func refusal(_ kind: InferenceRefusal.Kind, _ words: String) -> InferenceRefusal {
            InferenceRefusal(kind, entity: entity, property: property, reason: "\(entity).\(property) \(words)")
        }
    }

    private func attribute(_ new: Attribute, _ old: Attribute, _ path: Path) -> InferenceRefusal? {
        if new.isTransient || new.isDerived || old.isTransient { return nil }
        guard new.type == old.type || old.type.converts(to: new.type) else {
            return path.refusal(.type, "changed its type from \(old.type.words) to \(new.type.words)")
        }
        guard new.type == .composite else { return nil }
        let before = Dictionary(models.source.elements(of: old).map { ($0.name, $0) }) { first, _ in first }
        let pairs = models.elementNames(old, new)
        return models.destination.elements(of: new).lazy.compactMap { element in
            pairs[element.name].flatMap { before[$0] }.flatMap { attribute(element, $0, path.appending(element.name)) }
        }.first
    }

    private func relationship(_ new: Relationship, _ old: Relationship, _ path: Path) -> InferenceRefusal? {
        if new.isTransient || old.isTransient { return nil }
        guard models.source[old.destinationName] != nil, models.destination[new.destinationName] != nil else {
            return nil
        }
        // If the destination entity is gone, there is nothing left to reference: the relationship starts empty.
        guard models.survives(old), old.isToMany, !new.isToMany else { return nil }
        return path.refusal(
            .toManyToOne, "was a to-many relationship and is now to-one: which object to keep is not known")
    }
}
