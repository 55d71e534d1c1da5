extension Instruments.Finding {
    /// The finding that a tally amounts to.
    init(_ tally: FindingTally) {
        let texts = FindingTexts(tally)
        self.init(
            kind: tally.kind, entity: tally.approach?.entity ?? tally.entity,
            keyPath: tally.approach?.relationship ?? texts.keyPath, place: tally.places.first,
            callers: Array(tally.places.dropFirst()), message: texts.message, remedy: texts.remedy,
            repetitions: tally.count, queries: tally.queries, duration: .nanoseconds(tally.nanoseconds),
            eventIDs: tally.eventIDs)
    }
}

/// What a finding says.
private struct FindingTexts {
    let keyPath: String?
    let message: String
    let remedy: String

    init(_ tally: FindingTally) {
        let entity = tally.entity ?? "objects"
        let cost = "\(tally.queries) \(tally.queries == 1 ? "query" : "queries"), \(tally.nanoseconds.milliseconds) ms"
        switch tally.kind {
        case .repeatedRelationshipFault:
            let name = tally.keyPath ?? ""
            keyPath = name
            message = "\(entity).\(name) was read object by object: \(tally.count) times, \(cost)."
            remedy = Self.prefetching(name, of: entity, isThere: tally.isPrefetched)
        case .repeatedFault:
            if let approach = tally.approach {
                keyPath = approach.relationship
                message =
                    "\(approach.entity).\(approach.relationship) was followed object by object: \(tally.count) faults of "
                    + "\(entity), \(cost)."
                remedy = Self.prefetching(approach.relationship, of: approach.entity, isThere: tally.isPrefetched)
            } else {
                keyPath = nil
                message = "Faults of \(entity) were fulfilled one by one: \(tally.count) times, \(cost)."
                remedy =
                    "Fetch the objects with their values: request.returnsObjectsAsFaults = false, with "
                    + "includesPropertyValues left on. For objects that are at hand as faults, fetch "
                    + "NSPredicate(format: \"SELF IN %@\", objects) once before the loop."
            }
        case .repeatedFetch:
            let key = tally.detail
            keyPath = key
            message =
                "\(entity) was \(tally.counts ? "counted" : "fetched") by \(key), one value at a time: \(tally.count) times, \(cost)."
            remedy =
                tally.counts
                ? "Count all values with one request: propertiesToGroupBy = [\"\(key)\"] and a count expression, or "
                    + "MagicalRecord's count(groupedBy: \\.\(key))."
                : "Fetch all with one request before the loop: NSPredicate(format: \"\(key) IN %@\", values), and look them "
                    + "up in a dictionary by \(key)."
        case .fetchToCount:
            keyPath = nil
            message = "\(tally.objects) objects of \(entity) were fetched, and none was used: \(cost)."
            remedy =
                "To count, use context.count(for: request), or MagicalRecord's \(entity).count(where:). To find out whether "
                + "there is one, set request.fetchLimit = 1."
        case .fetchToDelete:
            keyPath = nil
            message = "\(tally.objects) objects of \(entity) were fetched to be deleted: \(cost)."
            remedy =
                "Delete them in the store: context.execute(NSBatchDeleteRequest(fetchRequest: request)). It runs no "
                + "validation and posts no changes of objects; merge its object IDs where contexts hold some of them."
        case .saveInLoop:
            keyPath = nil
            message =
                "A context was saved \(tally.count) times for \(tally.objects) changed objects, \(tally.nanoseconds.milliseconds) ms."
            remedy = "Save once after the loop, or after every few hundred objects."
        case .filterInMemory:
            keyPath = tally.keyPath
            message =
                "\(tally.objects) objects of \(entity) were fetched and filtered in memory"
                + (tally.keyPath.map { " by \($0)" } ?? "") + ": \(cost)."
            remedy =
                "Give the fetch the condition: request.predicate = NSPredicate(format: \"\(tally.keyPath ?? "key") == %@\", "
                + "value), or MagicalRecord's \(entity).findAll(where:)."
        case .sortInMemory:
            keyPath = tally.keyPath
            message =
                "\(tally.objects) objects of \(entity) were fetched and sorted in memory"
                + (tally.keyPath.map { " by \($0)" } ?? "") + ": \(cost)."
            remedy =
                "Have the store sort: request.sortDescriptors = [NSSortDescriptor(key: \"\(tally.keyPath ?? "key")\", "
                + "ascending: true)]; for the first or last one, with request.fetchLimit = 1."
        case .missingIndex:
            let key = tally.keyPath ?? ""
            keyPath = key
            message =
                "A fetch of \(entity) goes through about \(tally.detail) rows to find \(tally.objects): \(key) has no index."
            remedy =
                "Declare a fetch index on \(entity).\(key): in the model editor, or entity.indexes = "
                + "[NSFetchIndexDescription(name: \"by\(key.prefix(1).uppercased() + key.dropFirst())\", elements: "
                + "[NSFetchIndexElementDescription(property: \(key), collationType: .binary)])]."
        case .unsavedChanges:
            keyPath = nil
            message = "A context held \(tally.detail) unsaved objects."
            remedy =
                "Save after every few hundred or thousand objects, and reset the context where they are no longer used, so "
                + "that memory and the time of a save stay bounded."
        }
    }

    private static func prefetching(_ relationship: String, of entity: String, isThere: Bool) -> String {
        if isThere {
            return
                "A fetch prefetches \(entity).\(relationship), but these objects came from elsewhere, or were refreshed "
                + "since. Use the fetched objects before they are refreshed, or fetch these objects in the same way."
        }
        return
            "Prefetch it with the fetch of \(entity): request.relationshipKeyPathsForPrefetching = [\"\(relationship)\"], or "
            + "MagicalRecord's .prefetching(\\.\(relationship))."
    }
}

extension Int64 {
    /// Nanoseconds as milliseconds with two digits.
    fileprivate var milliseconds: String {
        let hundredths = self / 10_000
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
