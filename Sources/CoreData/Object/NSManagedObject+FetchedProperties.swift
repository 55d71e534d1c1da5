extension NSManagedObject {
    /// The result of a fetched property: fetched on first access, kept until the object becomes a fault.
    final func fetchedValue(of property: NSFetchedPropertyDescription) -> [NSManagedObject] {
        if let known = _extra?.fetched[property.name] { return known }
        guard let context, let template = property.fetchRequest else { return [] }
        let request = template.copy() as! FetchRequestBase
        request.predicate = template.predicate
        let result = (try? context.fetchObjects(request)) ?? []
        extra.fetched[property.name] = result
        return result
    }
}
