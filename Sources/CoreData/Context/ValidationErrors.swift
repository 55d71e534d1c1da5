/// Collects validation errors: one is thrown as it is, several under one.
struct ValidationErrors {
    private var errors: [NSError] = []

    mutating func add(_ error: any Error) {
        let error = error as NSError
        if error.domain == NSCocoaErrorDomain, error.code == NSValidationMultipleErrorsError,
            let details = error.userInfo[NSDetailedErrorsKey] as? [NSError]
        {
            errors += details
        } else {
            errors.append(error)
        }
    }

    func throwIfAny() throws {
        guard let first = errors.first else { return }
        if errors.count == 1 { throw first }
        throw CoreDataError.make(
            NSValidationMultipleErrorsError, description: "Multiple validation errors occurred.",
            reason: errors.prefix(5).map(\.localizedDescription).joined(separator: " "),
            userInfo: [NSDetailedErrorsKey: errors])
    }
}
