/// Finds data that stores of the source may contain and an inferred migration cannot preserve.
struct HazardRules {
    private let models: ModelCorrespondence
    private let destination: ModelIndex
    private let source: ModelIndex

    init(_ models: ModelCorrespondence) {
        self.models = models
        destination = models.destination
        source = models.source
    }

    func hazards() -> [MigrationHazard] {
        destination.model.entities.sorted(byText: \.name).flatMap { entity in
            ModelProperty.own(entity).sorted(byText: \.name).flatMap { property in
                switch property {
                case .attribute(let attribute): missingValues(attribute, of: entity.name)
                case .relationship(let relationship): links(of: relationship, declaredIn: entity.name)
                }
            }
        }
    }

    // MARK: Attributes

    private func missingValues(_ attribute: Attribute, of entity: String) -> [MigrationHazard] {
        var found: [String: MigrationHazard] = [:]
        for heir in models.heirs(of: attribute.name, declaredIn: entity) {
            let origin = models.sourceProperty(of: attribute.name, in: heir)
            // Reported as a refusal.
            if case .relationship? = origin { continue }
            var old: Attribute?
            if case .attribute(let attribute)? = origin { old = attribute }
            for (path, isNew) in missing(attribute, old, path: attribute.name) where found[path] == nil || isNew {
                found[path] = MigrationHazard(
                    .missingValue, entity: entity, property: path,
                    words: isNew
                        ? "is new and required, but has no default value"
                        : "became required, but has no default value for objects without one")
            }
        }
        return found.sorted(byText: \.key).map(\.value)
    }

    private func missing(_ new: Attribute, _ old: Attribute?, path: String) -> [(path: String, isNew: Bool)] {
        if new.isTransient || new.isDerived { return [] }
        let old = old?.isTransient == true ? nil : old
        if new.type == .composite {
            if old == nil, new.isOptional { return [] }
            let before = old.map { source.elements(of: $0) } ?? []
            let pairs = old.map { models.elementNames($0, new) } ?? [:]
            let elements = destination.elements(of: new).map { element in
                (new: element, old: before.first { $0.name == pairs[element.name] })
            }
            let mayBeNil =
                !new.isOptional && old?.isOptional ?? true && !elements.contains { hasValue($0.new, $0.old) }
            return (mayBeNil ? [(path, old == nil)] : [])
                + elements.flatMap { missing($0.new, $0.old, path: "\(path).\($0.new.name)") }
        }
        guard !new.isOptional, new.defaultValue == nil, old?.isOptional ?? true else { return [] }
        return [(path, old == nil)]
    }

    /// Returns whether an element of a composite attribute has a value in every object after the migration.
    private func hasValue(_ new: Attribute, _ old: Attribute?) -> Bool {
        if new.type == .composite {
            let before = old.map { source.elements(of: $0) } ?? []
            let pairs = old.map { models.elementNames($0, new) } ?? [:]
            return destination.elements(of: new).contains { element in
                hasValue(element, before.first { $0.name == pairs[element.name] })
            }
        }
        return new.defaultValue != nil && (old == nil || !new.isOptional)
    }

    // MARK: Relationships

    /// A relationship of the source, identified by the entity that declares it.
    private struct Origin: Hashable {
        var entity: String
        var relationship: Relationship
    }

    private func links(of relationship: Relationship, declaredIn entity: String) -> [MigrationHazard] {
        guard !relationship.isTransient else { return [] }
        let heirs = models.heirs(of: relationship.name, declaredIn: entity)
        let origins = heirs.map { origin(of: relationship.name, in: $0) }
        // Reported as a refusal.
        if !relationship.isToMany, origins.contains(where: { $0?.relationship.isToMany == true }) { return [] }
        let strays = strays(of: relationship, Set(origins.compactMap { $0 }))
        var hazards: [MigrationHazard] = []
        if !strays.isEmpty {
            hazards.append(
                MigrationHazard(
                    .destination, entity: entity, property: relationship.name,
                    words: "leads to \(relationship.destinationName), which objects of "
                        + "\(strays.joined(separator: ", ")) it may lead to are not"))
        }
        if let words = sharedPlace(of: relationship, declaredIn: entity, Set(origins.compactMap { $0 })) {
            hazards.append(MigrationHazard(.place, entity: entity, property: relationship.name, words: words))
        }
        if !relationship.isToMany, !relationship.isOptional, let isNew = mayBeMissing(origins) {
            hazards.append(
                MigrationHazard(
                    .missingObject, entity: entity, property: relationship.name,
                    words: isNew ? "is new and required" : "is required, and may lead nowhere"))
        }
        return hazards
    }

    private func origin(of relationship: String, in heir: String) -> Origin? {
        guard let sourceName = models.sourceNames[heir],
            case .relationship(let old)? = models.sourceProperty(of: relationship, in: heir), !old.isTransient
        else { return nil }
        let owner = source.lineage(sourceName).first { ancestor in
            ancestor.relationships.contains { $0.name == old.name }
        }
        return Origin(entity: owner?.name ?? sourceName, relationship: old)
    }

    /// Returns the entities outside the destination's family that the relationship may reference after the migration.
    private func strays(of relationship: Relationship, _ origins: Set<Origin>) -> [String] {
        let family = Set(destination.family(relationship.destinationName).map(\.name))
        var strays: Set<String> = []
        for origin in origins {
            for target in source.family(origin.relationship.destinationName) where !target.isAbstract {
                guard let successor = models.destinationNames[target.name], !family.contains(successor) else {
                    continue
                }
                strays.insert(successor)
            }
        }
        return strays.sorted()
    }

    /// Returns true if the relationship is new for some objects, false if their related objects may be missing or dropped, or
    /// nil if every object has one.
    /// may be dropped.
    private func mayBeMissing(_ origins: [Origin?]) -> Bool? {
        if origins.contains(nil) { return true }
        let mayLeadNowhere = origins.compactMap { $0?.relationship }.contains { old in
            old.isOptional
                || source.family(old.destinationName).contains {
                    !$0.isAbstract && models.destinationNames[$0.name] == nil
                }
        }
        return mayLeadNowhere ? false : nil
    }

    // MARK: Places for one

    /// Returns the reason why several objects may claim a single place; nil if none can.
    private func sharedPlace(of relationship: Relationship, declaredIn entity: String, _ own: Set<Origin>) -> String? {
        guard let inverseName = relationship.inverseName, let inverse = inverse(relationship) else {
            // In a to-many relationship without an inverse each member has one owner.
            guard relationship.isToMany, own.count > 1 || own.contains(where: mayShareMembers) else { return nil }
            return "has no inverse, so that an object belongs to one other, where several may have had it"
        }
        guard !relationship.isToMany else { return nil }
        let back = Set(
            models.heirs(of: inverseName, declaredIn: inverse.owner).compactMap { origin(of: inverseName, in: $0) })
        let foreign = back.filter { other in !own.contains { areInverse($0, other) } }
        guard !foreign.isEmpty else { return nil }
        let names = foreign.map { "\($0.entity).\($0.relationship.name)" }.sorted().joined(separator: ", ")
        if !own.isEmpty {
            return "is the inverse of what \(names) was, which may lead elsewhere than the relationship itself"
        }
        guard foreign.count > 1 || foreign.contains(where: mayShareMembers) else { return nil }
        return "holds one object, where several may have had one in \(names)"
    }

    private func inverse(_ relationship: Relationship) -> (owner: String, relationship: Relationship)? {
        guard let name = relationship.inverseName else { return nil }
        return destination.lineage(relationship.destinationName).lazy.compactMap { entity in
            entity.relationships.first { $0.name == name }.map { (entity.name, $0) }
        }.first
    }

    /// Returns whether several objects may reference the same object through a relationship of the source.
    private func mayShareMembers(_ origin: Origin) -> Bool {
        guard let inverse = sourceInverse(origin) else { return !origin.relationship.isToMany }
        return inverse.isToMany
    }

    private func sourceInverse(_ origin: Origin) -> Relationship? {
        guard let name = origin.relationship.inverseName else { return nil }
        return source.lineage(origin.relationship.destinationName).lazy.flatMap(\.relationships)
            .first { $0.name == name }
    }

    private func areInverse(_ one: Origin, _ other: Origin) -> Bool {
        one.relationship.inverseName == other.relationship.name
            && source.lineage(one.relationship.destinationName).contains { $0.name == other.entity }
    }
}
