import Foundation
import ModelFormat

/// Compares two versions of a model and determines the effect of each change on stores.
///
/// Correspondence and refusals are computed by the same code as in the framework.
public struct ModelComparison: Sendable {
    /// The changes, entity by entity.
    public private(set) var changes: [ModelChange] = []

    private let models: ModelCorrespondence
    private let refusals: [InferenceRefusal]
    private let hazards: [MigrationHazard]
    /// True if stores of the old version open with the new one without migration.
    public let hashesAreEqual: Bool
    /// The data that an inferred migration from the new version back to the old one would drop: entities, properties and
    /// elements by their names in the new version.
    public let lossesBack: [String]
    /// True if the changes only remove elements, as a migration back from a later version does.
    public let onlyTakesAway: Bool

    /// Compares two versions of a model.
    ///
    /// - Throws: `ModelFormatError` for a missing parent or an inheritance cycle in either model.
    public init(old: Model, new: Model) throws(ModelFormatError) {
        models = ModelCorrespondence(source: old, destination: new)
        refusals = models.refusals()
        hazards = models.hazards()
        hashesAreEqual = try old.versionHashes() == new.versionHashes()
        lossesBack = hashesAreEqual ? [] : ModelCorrespondence(source: new, destination: old).losses()
        onlyTakesAway = !hashesAreEqual && lossesBack.isEmpty && !models.losses().isEmpty
        compareEntities()
        compareRest(old, new)
        if hashesAreEqual { dropEffects() }
        if !hashesAreEqual, effect == .none {
            add(
                .lightweight, nil, nil, "the version hashes differ",
                "stores are migrated, though nothing in them changes")
        }
    }

    /// The requirement of a store of the old version: a mapping if any change needs one, since nothing is inferred then;
    /// otherwise the most severe effect of all changes.
    public var effect: ModelChange.Effect {
        changes.contains { $0.effect == .needsMapping } ? .needsMapping : changes.map(\.effect).max() ?? .none
    }

    private mutating func add(
        _ effect: ModelChange.Effect, _ entity: String?, _ property: String?, _ change: String, _ reason: String
    ) {
        changes.append(ModelChange(effect, entity: entity, property: property, change: change, reason: reason))
    }

    /// Clears the effects of changes if the version hashes are equal, because stores are then opened without migration. For
    /// example, names exchanged by renaming identifiers keep their values.
    private mutating func dropEffects() {
        for index in changes.indices where changes[index].effect != .none {
            changes[index].effect = .none
            changes[index].reason = "the version hashes are the same: stores are opened as they are"
        }
    }

    // MARK: Entities

    private mutating func compareEntities() {
        for refusal in refusals where refusal.entity == nil { changes.append(ModelChange(refusal)) }
        for entity in models.destination.model.entities.sorted(byText: \.name, .literal) {
            if let old = models.source[models.sourceNames[entity.name]] {
                compare(old, entity)
            } else {
                add(.lightweight, entity.name, nil, "added entity \(entity.name)", "it starts without objects")
                changes += refusals.filter { $0.entity == entity.name }.map { ModelChange($0) }
                // Its subentities already have objects.
                changes += hazards.filter { $0.entity == entity.name }.map { ModelChange($0) }
            }
        }
        for entity in models.source.model.entities.sorted(byText: \.name, .literal)
        where models.destinationNames[entity.name] == nil {
            var reason = "its objects are dropped"
            if entity.isAbstract { reason = "it had no objects of its own" }
            if let candidate = renameCandidate(for: entity) {
                reason += "; if \(candidate) is this entity renamed, give it the renaming identifier \(entity.name)"
            }
            add(
                entity.isAbstract ? .lightweight : .losesData, entity.name, nil, "removed entity \(entity.name)", reason
            )
        }
    }

    /// Returns the name of a new entity with at least two thirds of the properties of a removed one; nil if there is none.
    private func renameCandidate(for entity: Entity) -> String? {
        let names = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
        guard !names.isEmpty else { return nil }
        return models.destination.model.entities.first { candidate in
            guard models.sourceNames[candidate.name] == nil else { return false }
            let others = Set(candidate.attributes.map(\.name) + candidate.relationships.map(\.name))
            return others.intersection(names).count * 3 >= names.count * 2
        }?.name
    }

    private mutating func compare(_ old: Entity, _ new: Entity) {
        let name = new.name
        if old.name != name {
            add(
                .lightweight, name, nil, "renamed entity \(old.name) to \(name)",
                "the renaming identifier \(new.renamingIdentifier ?? name) leads to it")
        }
        if !old.isAbstract, new.isAbstract {
            add(
                .lightweight, name, nil, "made abstract",
                "fails with error 134110 where a store holds objects of the entity itself: a mapping must say what they "
                    + "become")
        } else if old.isAbstract, !new.isAbstract {
            add(.lightweight, name, nil, "no longer abstract", "it starts without objects of its own")
        }
        compareParents(old, new)
        if old.versionHashModifier != new.versionHashModifier {
            let change = "version hash modifier \(new.versionHashModifier ?? "removed")"
            add(.lightweight, name, nil, change, "the version hash changes, the data stay")
        }
        compareConstraints(old, new)
        if old.className != new.className {
            let classes = "\(old.className ?? "NSManagedObject") to \(new.className ?? "NSManagedObject")"
            add(.none, name, nil, "class \(classes)", "stores do not know classes")
        }
        if Set(old.effectiveFetchIndexes) != Set(new.effectiveFetchIndexes) {
            add(.none, name, nil, "fetch indexes changed", fateOfIndexes(old, new))
        }
        if old.userInfo != new.userInfo { add(.none, name, nil, "user info changed", "stores do not hold it") }
        compareProperties(old, new)
    }

    /// Returns the effect on indexes, as text. Without a migration, indexes with new names are created, and others are
    /// unchanged.
    private func fateOfIndexes(_ old: Entity, _ new: Entity) -> String {
        guard hashesAreEqual else { return "made when a store is migrated" }
        let (before, after) = (Set(old.effectiveFetchIndexes), Set(new.effectiveFetchIndexes))
        let names = Set(before.map(\.name))
        let added = after.filter { !names.contains($0.name) && $0.elements.first?.kind != .rTree }
        var sentences: [String] = []
        if !added.isEmpty { sentences.append("new ones are made when a store is next opened for writing") }
        if after.subtracting(added) != before {
            sentences.append(
                "the \(added.isEmpty ? "" : "other ")changes are made when a store is migrated, for which \(new.name) needs "
                    + "another version hash modifier")
        }
        return sentences.joined(separator: "; ")
    }

    private mutating func compareParents(_ old: Entity, _ new: Entity) {
        let expected = old.parentName.flatMap { models.destinationNames[$0] ?? $0 }
        guard expected != new.parentName else { return }
        let change = "parent entity \(old.parentName ?? "none") to \(new.parentName ?? "none")"
        add(.lightweight, new.name, nil, change, "objects and values are kept")
    }

    private mutating func compareConstraints(_ old: Entity, _ new: Entity) {
        let (before, after) = (Set(old.uniquenessConstraints), Set(new.uniquenessConstraints))
        for constraint in new.uniquenessConstraints where !before.contains(constraint) {
            add(
                .lightweight, new.name, nil, "added uniqueness constraint on \(constraint.joined(separator: ", "))",
                "fails with error 134111 where a store holds duplicates: remove these first")
        }
        for constraint in old.uniquenessConstraints where !after.contains(constraint) {
            add(
                .lightweight, new.name, nil, "removed uniqueness constraint on \(constraint.joined(separator: ", "))",
                "data stay, and duplicates become possible")
        }
    }

    // MARK: Properties

    private mutating func compareProperties(_ old: Entity, _ new: Entity) {
        let comparison = PropertyComparison(
            models: models, old: old, new: new, refusals: refusals.filter { $0.entity == new.name },
            hazards: hazards.filter { $0.entity == new.name })
        changes += comparison.changes()
    }

    // MARK: The rest

    private mutating func compareRest(_ old: Model, _ new: Model) {
        let templates = (
            Dictionary(old.fetchTemplates.map { ($0.name, $0) }) { first, _ in first },
            Dictionary(new.fetchTemplates.map { ($0.name, $0) }) { first, _ in first }
        )
        for name in Set(templates.0.keys).union(templates.1.keys).sorted() {
            switch (templates.0[name], templates.1[name]) {
            case (nil, _?): add(.none, nil, nil, "added fetch request \(name)", "stores do not hold it")
            case (_?, nil):
                add(.none, nil, nil, "removed fetch request \(name)", "stores do not hold it; code may ask for it")
            case (let before?, let after?) where before != after:
                add(.none, nil, nil, "fetch request \(name) changed", "stores do not hold it")
            default: break
            }
        }
        let configurations = (
            Dictionary(old.configurations.map { ($0.name, Set($0.entityNames)) }) { first, _ in first },
            Dictionary(new.configurations.map { ($0.name, Set($0.entityNames)) }) { first, _ in first }
        )
        for name in Set(configurations.0.keys).union(configurations.1.keys).sorted() {
            let (before, after) = (configurations.0[name], configurations.1[name])
            guard before != after else { continue }
            let change = before == nil ? "added" : after == nil ? "removed" : "changed"
            let moved = after?.subtracting(before ?? []).isEmpty == false && before != nil
            add(
                .none, nil, nil, "configuration \(name) \(change)",
                moved
                    ? "stores of that configuration get entities whose objects may lie in another store, and are not moved"
                    : "only stores opened with that configuration are concerned")
        }
    }
}
