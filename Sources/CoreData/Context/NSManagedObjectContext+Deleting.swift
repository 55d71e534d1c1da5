import CoreDataRowStorage
import CoreDataRuntimeSupport

// Delete rules.

extension NSManagedObjectContext {
    /// Applies the delete rules of all newly deleted objects, and of those deleted by the rules.
    final func propagateDeletes() {
        if changes.deletions.isEmpty { return }
        Probe.internally { propagateDeletions() }
    }

    private final func propagateDeletions() {
        let failures = readErrors.count
        while !changes.deletions.isEmpty {
            let wave = changes.takeDeletions().filter { $0._state.isDeleted && !$0._state.contains(.propagated) }
            guard readErrors.count == failures else {
                changes.postpone(deletionsOf: wave)
                continue
            }
            for object in wave { object._state.insert(.propagated) }
            let loaded = loadForDeletion(wave)
            var table: EntityTable?
            var known: Set<Int>?
            var isLoadedThroughout = false
            for (position, object) in wave.enumerated() {
                if object._table !== table {
                    table = object._table
                    known = table.flatMap { loaded[ObjectIdentifier($0)] }
                    isLoadedThroughout =
                        known != nil && object.layout.rulesOfDeletion.allSatisfy { known!.contains($0.index) }
                }
                // Relationships without destinations were not materialized, and nothing else is to be done.
                if isLoadedThroughout, !object._state.contains(.fault), object._extra?.relationships.isEmpty ?? true {
                    continue
                }
                propagateDelete(of: object, known)
                guard readErrors.count == failures else {
                    // Data that could not be read does not count as empty: the rules are applied once it can be read.
                    for object in wave[position...] { object._state.remove(.propagated) }
                    changes.postpone(deletionsOf: wave[position...])
                    break
                }
            }
        }
    }

    /// Loads the relationships that the rules of several objects need, with a few queries instead of several for each object.
    ///
    /// Returns the loaded relationships by the objects' tables. Empty relationships are not materialized, since no rule
    /// concerns them.
    private final func loadForDeletion(_ objects: [NSManagedObject]) -> [ObjectIdentifier: Set<Int>] {
        guard objects.count > 1 else { return [:] }
        var loaded: [ObjectIdentifier: Set<Int>] = [:]
        for (table, group) in Self.groupedByTable(objects) where group.count > 1 {
            // Objects that cannot be read now are read one by one, which reports their errors.
            guard table.store != nil, (try? loadRows(of: group)) != nil else { continue }
            for relationship in table.layout.relationships where relationship.concernsOthersOnDeletion {
                if relationship.isToMany {
                    let isLoaded: Void? = try? prefetchToMany(
                        relationship, of: group, table, materialisesEmpty: false)
                    if isLoaded != nil { loaded[ObjectIdentifier(table), default: []].insert(relationship.index) }
                } else {
                    try? prefetchStep(relationship.name, of: group)
                }
            }
        }
        return loaded
    }

    /// Schedules the delete rules again after other objects were refreshed: the destinations of a deleted object refer to it in
    /// the store.
    final func reapplyDeleteRules() {
        changes.objects.forEachUnretained { object in
            guard object._state.isDeleted, object._state.contains(.propagated) else { return }
            object._state.remove(.propagated)
            changes.note(deletionOf: object)
        }
    }

    /// Applies the delete rules of one object.
    ///
    /// - Parameter known: The relationships already loaded for all objects with destinations.
    private final func propagateDelete(of object: NSManagedObject, _ known: Set<Int>?) {
        guard object.realise() else { return }
        for relationship in object.layout.rulesOfDeletion {
            if let known, known.contains(relationship.index), !object.isMaterialised(relationship.index) { continue }
            switch relationship.deleteRule {
            case .noAction, .deny: continue
            case .cascade:
                for destination in object.destinations(of: relationship) { delete(destination) }
            case .nullify:
                object.withdraw(from: relationship)
            }
        }
    }

    /// Applies all delete rules. For contexts that apply them during saves only.
    final func propagateAllDeletes() {
        changes.beginProcessing()
        propagateDeletes()
        changes.endProcessing()
        processPendingChanges()
    }
}

extension EntityLayout.Relationship {
    /// True if deleting an object changes or deletes the destinations of this relationship.
    var concernsOthersOnDeletion: Bool {
        switch deleteRule {
        case .noAction, .deny: false
        case .cascade: true
        case .nullify: inverse != nil
        }
    }
}
