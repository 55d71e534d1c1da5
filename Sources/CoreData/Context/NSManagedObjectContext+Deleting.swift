// Delete rules.

extension NSManagedObjectContext {
    /// Applies the delete rules of every newly deleted object, and of those deleted by that.
    final func propagateDeletes() {
        while !deletions.isEmpty {
            let wave = Array(deletions).filter { $0._state.contains(.deleted) && !$0._state.contains(.propagated) }
            deletions = []
            for object in wave { object._state.insert(.propagated) }
            loadForDeletion(wave)
            for object in wave { propagateDelete(of: object) }
        }
    }

    /// Reads what the rules of many objects need with a few queries instead of several for each.
    private final func loadForDeletion(_ objects: [NSManagedObject]) {
        guard objects.count > 1, parent == nil else { return }
        let groups = Dictionary(grouping: objects.filter { $0._table?.store != nil }) { ObjectIdentifier($0._table!) }
        for group in groups.values where group.count > 1 {
            // What cannot be read now is read, and its failure met, object by object.
            try? loadRows(of: group)
            for relationship in group[0].layout.relationships where relationship.concernsOthersOnDeletion {
                _ = try? prefetchStep(relationship.name, of: group)
            }
        }
    }

    private final func propagateDelete(of object: NSManagedObject) {
        guard object.realise() else { return }
        for relationship in object.layout.relationships {
            switch relationship.deleteRule {
            case .noActionDeleteRule, .denyDeleteRule: continue
            case .cascadeDeleteRule:
                for destination in object.destinations(of: relationship) { delete(destination) }
            case .nullifyDeleteRule:
                object.withdraw(from: relationship)
            }
        }
    }

    /// For contexts that apply delete rules in saves only.
    final func propagateAllDeletes() {
        isProcessing = true
        propagateDeletes()
        isProcessing = false
        processPendingChanges()
    }
}

extension EntityLayout.Relationship {
    /// Whether deleting an object touches what this relationship leads to.
    var concernsOthersOnDeletion: Bool {
        switch deleteRule {
        case .noActionDeleteRule, .denyDeleteRule: false
        case .cascadeDeleteRule: true
        case .nullifyDeleteRule: description.inverseRelationship != nil
        }
    }
}
