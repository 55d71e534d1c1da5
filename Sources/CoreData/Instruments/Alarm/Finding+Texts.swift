extension Instruments.Finding {
    /// Creates the finding of a tally.
    init(_ tally: FindingTally) {
        let texts = FindingTexts(tally)
        self.init(
            kind: tally.kind, entity: texts.entity, keyPath: texts.keyPath, place: tally.places.first,
            callers: Array(tally.places.dropFirst()), message: texts.message, remedy: texts.remedy,
            repetitions: tally.count, queries: tally.queries, duration: .nanoseconds(tally.nanoseconds),
            eventIDs: tally.eventIDs)
    }
}

/// The texts of a finding.
private struct FindingTexts {
    let entity: String?
    let keyPath: String?
    let message: String
    let remedy: String

    init(_ tally: FindingTally) {
        let step = tally.kind == .repeatedFault ? tally.step : nil
        self.entity = step?.entity ?? tally.entity
        let entity = tally.entity ?? "objects"
        let cost = "\(tally.queries) \(tally.queries == 1 ? "query" : "queries"), \(tally.nanoseconds.milliseconds) ms"
        switch tally.kind {
        case .repeatedRelationshipFault:
            let name = tally.keyPath ?? ""
            keyPath = name
            message = "\(entity).\(name) was read object by object: \(tally.count) times, \(cost)."
            remedy = PrefetchingRemedy(tally).text
        case .repeatedFault:
            if let step {
                keyPath = step.relationship
                message =
                    "\(step.entity).\(step.relationship) was followed object by object: \(tally.count) faults of "
                    + "\(entity), \(cost)."
                remedy = PrefetchingRemedy(tally).text
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
                ? "Count all values with one request: request.propertiesToGroupBy = [\"\(key)\"] and a count "
                    + "expression, or MagicalRecord's .count(by: \\.\(key))."
                : "Fetch all with one request before the loop: NSPredicate(format: \"\(key) IN %@\", values), and look them "
                    + "up in a dictionary by \(key)."
        case .fetchToCount:
            keyPath = nil
            message = "\(tally.objects) objects of \(entity) were fetched, and none was used: \(cost)."
            remedy =
                "To count, use try context.count(for: request), or MagicalRecord's .count(where: condition). To find out whether "
                + "there is one, set request.fetchLimit = 1."
        case .fetchToDelete:
            keyPath = nil
            message = "\(tally.objects) objects of \(entity) were fetched to be deleted: \(cost)."
            remedy =
                "Delete them in the store: try context.execute(NSBatchDeleteRequest(fetchRequest: request)). It runs no "
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
                + "value), or MagicalRecord's .findAll(where: condition)."
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
                + "[NSFetchIndexElementDescription(property: entity.propertiesByName[\"\(key)\"]!, collationType: .binary)])]."
        case .unsavedChanges:
            keyPath = nil
            message = "A context held \(tally.detail) unsaved objects."
            remedy =
                "Save after every few hundred or thousand objects, and reset the context where they are no longer used, so "
                + "that memory and the time of a save stay bounded."
        }
    }
}

extension Int64 {
    /// The nanoseconds as milliseconds with two fractional digits.
    fileprivate var milliseconds: String {
        let hundredths = self / 10_000
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
