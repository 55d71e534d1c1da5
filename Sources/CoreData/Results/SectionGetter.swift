import CoreDataRowStorage

extension FetchedResultsControllerBase {
    /// Throws if the name of the only section is computed by a getter that key-value coding cannot find.
    final func checkSectionGetter(_ request: FetchRequestBase, _ results: ResultsSnapshot) throws {
        guard let keyPath = sectionNameKeyPath,
            let model = managedObjectContext.persistentStoreCoordinator?.managedObjectModel
        else { return }
        var entity = try request.resolveEntity(in: model)
        let keys = keyPath.split(separator: ".").map(String.init)
        for key in keys.dropLast() {
            guard let destination = entity.relationshipsByName[key]?.destinationEntity else { return }
            entity = destination
        }
        guard let key = keys.last, let attribute = entity.attributesByName[key], attribute.isTransient,
            case let type = entity.managedObjectClass, type != NSManagedObject.self,
            ComputedProperties.keyPath(for: key, of: type) == nil, !MethodOverrides.readsValues(type),
            !results.objects.contains(where: { ($0 as? NSManagedObject)?.value(forKeyPath: keyPath) != nil })
        else { return }
        throw CoreDataError.make(
            NSCoreDataError, description: "The sections have no names.",
            reason:
                "\"\(key)\" is a transient attribute of \(entity.name ?? "?") that none of the fetched objects has a value "
                + "of. A getter of \(type) is not found by its name where there is no Objective-C runtime.",
            advice: "Let \(type) conform to ComputedKeys: static var computedKeys: [String: AnyKeyPath] { "
                + "[\"\(key)\": \\\(type).\(key)] }. Or override value(forKey:), or set the attribute in awakeFromFetch().",
            entity: entity.name, key: keyPath)
    }
}
