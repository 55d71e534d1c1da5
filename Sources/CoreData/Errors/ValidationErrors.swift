import CoreDataRowStorage

/// A collector of validation errors: a single error is thrown unchanged, several are combined in one.
struct ValidationErrors {
    private var errors: [any Error] = []

    mutating func add(_ original: any Error) {
        let error = original as NSError
        if error.domain == NSCocoaErrorDomain, error.code == NSValidationMultipleErrorsError,
            let details = error.userInfo[NSDetailedErrorsKey] as? [NSError]
        {
            errors += details
        } else {
            // Unchanged, so that it can be caught by its type.
            errors.append(original)
        }
    }

    func throwIfAny() throws {
        guard let first = errors.first else { return }
        if errors.count == 1 { throw first }
        throw CoreDataError.make(
            NSValidationMultipleErrorsError, description: "Multiple validation errors occurred.",
            reason: errors.prefix(5).map(\.localizedDescription).joined(separator: " "),
            userInfo: [NSDetailedErrorsKey: errors.map { $0 as NSError }])
    }
}
