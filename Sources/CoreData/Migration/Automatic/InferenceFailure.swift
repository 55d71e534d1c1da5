import Foundation
import ModelFormat

/// An automatic migration for which no mapping can be inferred, with the code and the reason that Apple's framework gives:
/// programs compare both.
struct InferenceFailure {
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    let url: URL
    /// What ``NSMappingModel/inferredMappingModel(forSourceModel:destinationModel:)`` throws.
    let error: NSError

    /// 134110 with entity and attribute where nothing but values for required attributes is missing, else 134140.
    var failure: NSError {
        let refusals = ModelComparison(source: source, destination: destination).refusals
        let isMissingValue =
            !refusals.isEmpty && refusals.allSatisfy { $0.kind == .missingDefault || $0.kind == .required }
        return isMissingValue ? missingValues(refusals[0]) : missingMapping
    }

    private var missingMapping: NSError {
        make(
            NSMigrationMissingMappingModelError, "Persistent store migration failed, missing mapping model.", [:], error
        )
    }

    private func missingValues(_ refusal: InferenceRefusal) -> NSError {
        let names = ["entity": refusal.entity, "attribute": refusal.property, "property": refusal.property]
            .compactMapValues { $0 }
        let reason = "Validation error missing attribute values on mandatory destination attribute"
        let cause = CoreDataError.make(
            NSMigrationError, description: error.localizedFailureReason ?? reason, reason: reason, underlying: error,
            userInfo: names)
        return make(NSMigrationError, "Cannot migrate store in-place: \(reason)", names, cause)
    }

    private func make(_ code: Int, _ reason: String, _ names: [String: String], _ cause: NSError) -> NSError {
        var info: [String: Any] = names
        for key in ["sourceModel", "destinationModel", "reasons"] { info[key] = error.userInfo[key] }
        info[NSURLErrorKey] = url
        return CoreDataError.make(
            code,
            description: "The store at \(url.path) could not be migrated. \(error.localizedFailureReason ?? "")",
            reason: reason, advice: error.localizedRecoverySuggestion, underlying: cause, userInfo: info)
    }
}
