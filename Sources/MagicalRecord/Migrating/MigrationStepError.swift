import CoreData

/// Creates errors of a chain of migrations, which name the failed step.
///
/// Domain and code are those of Core Data's error, so that callers can distinguish them. The models that Core Data puts into
/// some errors' user info are removed.
enum MigrationStepError {
    /// Returns the error for a missing mapping between two versions.
    static func missing(
        from source: Int, to destination: Int, of models: [NSManagedObjectModel], in bundles: [Bundle]
    ) -> any Error {
        let step = words(source, destination, models)
        let places = bundles.map { $0.bundleURL.lastPathComponent }.joined(separator: ", ")
        let searched = places.isEmpty ? "none was given" : "none was given, and there is none in \(places)"
        do {
            _ = try NSMappingModel.inferredMappingModel(
                forSourceModel: models[source], destinationModel: models[destination])
        } catch {
            let failure = error as NSError
            return make(
                failure,
                description:
                    "No migration leads from \(step): a mapping model is missing (\(searched)), and none can be "
                    + "inferred, since \(reasons(failure)).",
                advice:
                    "Add a mapping model from \(step) to the program's resources or to `mappings:`, or change the model "
                    + "so that a mapping can be inferred.")
        }
        return MagicalRecordError(
            .modelNotFound, "No migration leads from \(step): a mapping model is missing (\(searched)).",
            advice: "Add a mapping model from \(step) to the program's resources or to `mappings:`.")
    }

    /// Returns the error for a step that failed.
    ///
    /// - Parameter copies: the source and destination of the step. Temporary copies no longer exist when the error is read, so
    ///   the store's URL replaces theirs.
    static func failed(
        _ error: any Error, from source: Int, to destination: Int, of models: [NSManagedObjectModel], store: URL,
        copies: [URL]
    ) -> any Error {
        // Cancellation is not an error of the step.
        if error is MagicalRecordError { return error }
        let failure = retold(error as NSError, of: store, for: copies)
        let reason = failure.localizedFailureReason
        let details = reason == nil || failure.localizedDescription.contains(reason ?? "") ? "" : " \(reason ?? "")"
        return make(
            failure,
            description: "Migrating \(store.lastPathComponent) from \(words(source, destination, models)) failed: "
                + failure.localizedDescription + details,
            advice: failure.localizedRecoverySuggestion
                ?? "Correct the data with the old version of the program, or the mapping model of this step; the store was "
                + "left as it is.")
    }

    private static func retold(_ error: NSError, of store: URL, for copies: [URL]) -> NSError {
        let info = error.userInfo.mapValues { value -> Any in
            copies.reduce(value) { value, copy in
                if let url = value as? URL {
                    return url == copy || url.isFileURL && url.path == copy.path ? store : url
                }
                guard let text = value as? String else { return value }
                return copy.isFileURL
                    ? text.replacingOccurrences(of: copy.path, with: store.path)
                    : text.replacingOccurrences(of: copy.absoluteString, with: store.absoluteString)
            }
        }
        return NSError(domain: error.domain, code: error.code, userInfo: info)
    }

    private static func make(_ failure: NSError, description: String, advice: String) -> NSError {
        var info = failure.userInfo.filter { key, value in
            !(value is NSManagedObjectModel) && key != "metadata" && key != NSUnderlyingErrorKey
        }
        info[NSLocalizedDescriptionKey] = "\(description) \(advice)"
        info[NSLocalizedFailureReasonErrorKey] = description
        info[NSLocalizedRecoverySuggestionErrorKey] = advice
        return NSError(domain: failure.domain, code: failure.code, userInfo: info)
    }

    private static func reasons(_ failure: NSError) -> String {
        if let reasons = failure.userInfo["reasons"] as? [String] { return reasons.joined(separator: "; ") }
        return failure.userInfo["reason"] as? String ?? failure.localizedFailureReason ?? failure.localizedDescription
    }

    /// Describes the step by the positions of its versions, from 1, and their identifiers if they have any.
    private static func words(_ source: Int, _ destination: Int, _ models: [NSManagedObjectModel]) -> String {
        func name(_ index: Int) -> String {
            let identifiers = models[index].versionIdentifiers.compactMap { $0.base as? String }.filter { !$0.isEmpty }
            return "version \(index + 1)"
                + (identifiers.isEmpty ? "" : " (\(identifiers.sorted().joined(separator: ", ")))")
        }
        return "\(name(source)) to \(name(destination))"
    }
}
