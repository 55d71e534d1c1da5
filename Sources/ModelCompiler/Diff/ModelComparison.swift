import Foundation
import ModelFormat

/// Compares two versions of a model, and tells what each change means for stores.
///
/// The rules are those of Core Data's inferred migration: what it carries out by itself, what it refuses, and what it
/// carries out by dropping data.
public struct ModelComparison: Sendable {
    /// The changes, entity by entity.
    public private(set) var changes: [ModelChange] = []

    private let pairs: EntityPairs
    /// Whether stores of the old version open with the new one as they are.
    public let hashesAreEqual: Bool

    /// - Throws: `ModelFormatError` if inheritance in one of the models is broken.
    public init(old: Model, new: Model) throws(ModelFormatError) {
        pairs = EntityPairs(old, new)
        hashesAreEqual = try old.versionHashes() == new.versionHashes()
        compareEntities()
        compareRest(old, new)
        if !hashesAreEqual, effect == .none {
            add(
                .lightweight, nil, nil, "the version hashes differ",
                "stores are migrated, though nothing in them changes")
        }
    }

    /// The gravest effect of all changes.
    public var effect: ModelChange.Effect { changes.map(\.effect).max() ?? .none }

    private mutating func add(
        _ effect: ModelChange.Effect, _ entity: String?, _ property: String?, _ change: String, _ reason: String
    ) {
        changes.append(ModelChange(effect, entity: entity, property: property, change: change, reason: reason))
    }

    // MARK: Entities

    private mutating func compareEntities() {
        for entity in pairs.new.model.entities.sorted(by: { literallyPrecedes($0.name, $1.name) }) {
            guard let oldName = pairs.oldByNew[entity.name], let old = pairs.old[oldName] else {
                add(.lightweight, entity.name, nil, "added entity \(entity.name)", "it starts without objects")
                continue
            }
            compare(old, entity)
        }
        for entity in pairs.old.model.entities.sorted(by: { literallyPrecedes($0.name, $1.name) })
        where pairs.newByOld[entity.name] == nil {
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

    /// A new entity with mostly the properties of one that is gone.
    private func renameCandidate(for entity: Entity) -> String? {
        let names = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
        guard !names.isEmpty else { return nil }
        return pairs.new.model.entities.first { candidate in
            guard pairs.oldByNew[candidate.name] == nil else { return false }
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
                .needsMapping, name, nil, "made abstract",
                "objects of the entity itself, if there are any, need another entity")
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
            add(.none, name, nil, "fetch indexes changed", "they are made anew when a store is opened")
        }
        if old.userInfo != new.userInfo { add(.none, name, nil, "user info changed", "stores do not hold it") }
        compareProperties(old, new)
    }

    private mutating func compareParents(_ old: Entity, _ new: Entity) {
        let expected = old.parentName.flatMap { pairs.newByOld[$0] ?? $0 }
        guard expected != new.parentName else { return }
        let change = "parent entity \(old.parentName ?? "none") to \(new.parentName ?? "none")"
        // Entities of several tables cannot be brought together in one without a mapping.
        let roots = Set(
            pairs.new.family(pairs.new.root(new.name)).compactMap { pairs.oldByNew[$0.name] }.map(pairs.old.root))
        if roots.count > 1 {
            add(
                .needsMapping, new.name, nil, change,
                "its table would take in the objects of \(roots.sorted().joined(separator: ", ")), which had none in "
                    + "common")
        } else {
            add(.lightweight, new.name, nil, change, "objects and values are kept")
        }
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
        let comparison = PropertyComparison(pairs: pairs, old: old, new: new)
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
                moved ? .needsMapping : .none, nil, nil, "configuration \(name) \(change)",
                moved
                    ? "stores of that configuration get entities whose objects may lie in another store"
                    : "only stores opened with that configuration are concerned")
        }
    }
}
