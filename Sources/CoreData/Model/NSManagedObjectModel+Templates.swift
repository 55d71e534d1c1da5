import Foundation

extension NSManagedObjectModel {
    /// Stores a fetch request under a name, or removes it with nil. Only while the model is editable.
    ///
    /// Takes a request of any result type: generic classes do not convert into each other off Apple.
    public func setFetchRequestTemplate(_ fetchRequestTemplate: FetchRequestBase?, forName name: String) {
        willEdit()
        templates[name] = fetchRequestTemplate.map { $0.retyped() }
    }

    /// The request stored under a name, itself: copy it before changing it.
    public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        templates[name]
    }

    /// A copy of the request stored under a name, with the variables of its predicate replaced.
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

    /// All stored requests.
    public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] { templates }
}
