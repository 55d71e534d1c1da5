import Foundation

extension NSManagedObjectModel {
    /// Stores a fetch request under a name, or removes it with nil. Traps if the model is no longer editable.
    ///
    /// Accepts a request of any result type, because generic classes do not convert to each other off Apple's platforms.
    public func setFetchRequestTemplate(_ fetchRequestTemplate: FetchRequestBase?, forName name: String) {
        willEdit()
        templates[name] = fetchRequestTemplate.map { $0.retyped() }
    }

    /// Returns the request stored under a name. It is not a copy: copy it before changing it.
    public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        templates[name]
    }

    /// Returns a copy of the request stored under a name, with the variables of its predicate replaced.
    ///
    /// Every variable needs a value; use `NSNull()` for nil.
    public func fetchRequestFromTemplate(
        withName name: String,
        substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        guard let template = templates[name],
            let copy = template.copy() as? NSFetchRequest<any NSFetchRequestResult>
        else { return nil }
        copy.predicate = template.predicate?.withSubstitutionVariables(variables)
        return copy
    }

    /// All stored requests, by name.
    public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] { templates }
}
