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
        let details = errors.prefix(Self.longest).map(Self.text).joined(separator: "; ")
        let more = errors.count > Self.longest ? "; and \(errors.count - Self.longest) more" : ""
        throw CoreDataError.make(
            NSValidationMultipleErrorsError, description: "\(errors.count) validation errors: \(details)\(more).",
            advice: "Correct every value before saving.", userInfo: [NSDetailedErrorsKey: errors.map { $0 as NSError }])
    }

    /// The maximum number of errors that the description contains.
    private static let longest = 5

    /// Returns the reason of an error of the model's rules, and the description of any other, without its period.
    private static func text(_ error: any Error) -> String {
        let text: String
        if let error = error as? BrieflyPrintedError {
            let (summary, reason) = (error.localizedDescription, error.localizedFailureReason)
            // A message of the model is in the description alone.
            text = reason.flatMap { summary.contains($0) ? $0 : nil } ?? summary
        } else {
            text = (error as? any LocalizedError)?.errorDescription ?? (error as NSError).localizedDescription
        }
        return BriefValue.shortened(text.hasSuffix(".") ? String(text.dropLast()) : text, to: 400)
    }
}
