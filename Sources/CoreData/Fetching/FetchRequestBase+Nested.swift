import CoreDataRowStorage

extension FetchRequestBase: NestedFetching {
    package final var nestedFetch: NestedFetch? {
        guard let entity = settings.entityName ?? settings.entity?.name else { return nil }
        var fetch = NestedFetch(entityName: entity, includesSubentities: settings.includesSubentities)
        if let first = settings.propertiesToFetch?.first {
            fetch.property = (first as? String) ?? (first as? NSPropertyDescription)?.name
        }
        fetch.predicate = settings.predicate?.node
        return fetch
    }
}
