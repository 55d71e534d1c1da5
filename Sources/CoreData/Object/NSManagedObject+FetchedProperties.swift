extension NSManagedObject {
    /// Returns the result of a fetched property, which is fetched on first access and kept until the object becomes a fault.
    ///
    /// In the predicate of the property's request `$FETCH_SOURCE` is this object and `$FETCHED_PROPERTY` the property's
    /// description.
    final func fetchedValue(of property: NSFetchedPropertyDescription) -> [NSManagedObject] {
        if let known = _extra?.fetched[property.name] { return known }
        guard let context, let template = property.fetchRequest else { return [] }
        let request = template.copy() as! FetchRequestBase
        request.predicate = template.predicate?.withSubstitutionVariables([
            "FETCH_SOURCE": self, "FETCHED_PROPERTY": property,
        ])
        let result: [NSManagedObject]
        do {
            result = try context.fetchObjects(request)
        } catch  where (error as NSError).code != NSCoreDataError {
            context.note(readError: error, of: nil)
            return []
        } catch {
            // Apple's framework raises an exception: the request is part of the model, so this is a mistake in the program.
            fatalError(
                "The fetched property \"\(property.name)\" of \(layout.name) cannot be fetched: \(error.localizedDescription) Correct the request in the model."
            )
        }
        extra.fetched[property.name] = result
        return result
    }
}
