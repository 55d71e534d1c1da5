import CoreData

/// Creates errors of a chain of migrations, which name the failed step. They have the domains and codes of Core Data's errors,
/// so that callers can distinguish them, without the models in some errors' user info.
enum MigrationStepError {
    typealias Leap = MagicalRecord.MigrationPath.Leap

    /// Returns the error for a missing mapping between two versions.
    static func missing(_ leap: Leap, of models: [NSManagedObjectModel], in bundles: [Bundle]) -> any Error {
        let step = words(leap, models)
        let places = bundles.map { $0.bundleURL.lastPathComponent }.joined(separator: ", ")
        let searched = places.isEmpty ? "none was given" : "none was given, and there is none in \(places)"
        let gap = "No migration leads from \(step): a mapping model is missing (\(searched))"
        let remedy = "Add a mapping model from \(step) to the program's resources or to `mappings:`"
        do {
            _ = try NSMappingModel.inferredMappingModel(
                forSourceModel: models[leap.from], destinationModel: models[leap.to])
        } catch {
            let failure = error as NSError
            return make(
                failure, description: "\(gap), and none can be inferred, since \(reasons(failure)).",
                advice: "\(remedy), or change the model so that a mapping can be inferred.")
        }
        return MagicalRecordError(.modelNotFound, "\(gap).", advice: "\(remedy).")
    }

    /// Returns the error for a step that failed. `copies`, its source and destination, no longer exist when the error is read, so
    /// the store's URL replaces theirs.
    static func failed(
        _ error: any Error, in step: MagicalRecord.MigrationPath.Step, of models: [NSManagedObjectModel], store: URL,
        copies: [URL]
    ) -> any Error {
        // Cancellation is not an error of the step.
        if error is MagicalRecordError { return error }
        let failure = retold(error as NSError, of: store, for: copies)
        let reason = failure.localizedFailureReason ?? ""
        let details = reason.isEmpty || failure.localizedDescription.contains(reason) ? "" : " \(reason)"
        return make(
            failure,
            description: "Migrating \(store.lastPathComponent) from "
                + "\(words(step.leap, models)) failed: "
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
    private static func words(_ leap: Leap, _ models: [NSManagedObjectModel]) -> String {
        func name(_ index: Int) -> String {
            let identifiers = models[index].versionIdentifiers.compactMap { $0.base as? String }.filter { !$0.isEmpty }
            let list = identifiers.sorted().joined(separator: ", ")
            return "version \(index + 1)" + (list.isEmpty ? "" : " (\(list))")
        }
        return "\(name(leap.from)) to \(name(leap.to))"
    }
}
