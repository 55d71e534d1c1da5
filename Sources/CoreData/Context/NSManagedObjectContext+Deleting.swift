import CoreDataRowStorage
import CoreDataRuntimeSupport

// Delete rules.

extension NSManagedObjectContext {
    /// Applies the delete rules of every newly deleted object, and of those deleted by that.
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
                // What leads nowhere was not materialised, and nothing else is to be done.
                if isLoadedThroughout, !object._state.contains(.fault), object._extra?.relationships.isEmpty ?? true {
                    continue
                }
                propagateDelete(of: object, known)
                guard readErrors.count == failures else {
                    // What could not be read is not taken for empty: the rules are applied when it can be.
                    for object in wave[position...] { object._state.remove(.propagated) }
                    changes.postpone(deletionsOf: wave[position...])
                    break
                }
            }
        }
    }

    /// Reads what the rules of many objects need with a few queries instead of several for each.
    ///
    /// Gives the relationships it has loaded, by the tables of their objects. Those of objects that lead nowhere are left
    /// as they are: there is nothing to do for them.
    private final func loadForDeletion(_ objects: [NSManagedObject]) -> [ObjectIdentifier: Set<Int>] {
        guard objects.count > 1 else { return [:] }
        var loaded: [ObjectIdentifier: Set<Int>] = [:]
        for (table, group) in Self.groupedByTable(objects) where group.count > 1 {
            // What cannot be read now is read, and its failure met, object by object.
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

    /// Has the delete rules applied once more, where other objects have just been read again: those led to by a relationship of a
    /// deleted object lead back to it in the store.
    final func reapplyDeleteRules() {
        changes.objects.forEachUnretained { object in
            guard object._state.isDeleted, object._state.contains(.propagated) else { return }
            object._state.remove(.propagated)
            changes.note(deletionOf: object)
        }
    }

    /// - Parameter known: The relationships that have been loaded, for all objects that they lead anywhere from.
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

    /// For contexts that apply delete rules in saves only.
    final func propagateAllDeletes() {
        changes.beginProcessing()
        propagateDeletes()
        changes.endProcessing()
        processPendingChanges()
    }
}

extension EntityLayout.Relationship {
    /// Whether deleting an object touches what this relationship leads to.
    var concernsOthersOnDeletion: Bool {
        switch deleteRule {
        case .noAction, .deny: false
        case .cascade: true
        case .nullify: inverse != nil
        }
    }
}
