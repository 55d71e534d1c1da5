import CoreDataRowStorage
import Foundation
import ModelFormat

/// The failure of an automatic migration because no mapping can be inferred, with the code and the reason of Apple's framework:
/// programs compare both.
struct InferenceFailure {
    let url: URL
    /// The error thrown by ``NSMappingModel/inferredMappingModel(forSourceModel:destinationModel:)``.
    let error: NSError
    /// The versions of this step as text, if the migration has several.
    var step: String?
    /// The reasons for ignoring the program's mapping models.
    var doubts: [String] = []

    /// The error 134140 with all reasons.
    var failure: NSError {
        var info: [String: Any] = [:]
        for key in ["sourceModel", "destinationModel", "reasons"] { info[key] = error.userInfo[key] }
        info[NSURLErrorKey] = url
        return CoreDataError.make(
            NSMigrationMissingMappingModelError,
            description:
                "The store at \(url.path) could not be migrated\(step.map { " \($0)" } ?? ""). \(error.localizedFailureReason ?? "")",
            reason: "Persistent store migration failed, missing mapping model.",
            advice: ([error.localizedRecoverySuggestion].compactMap { $0 } + doubts).joined(separator: " "),
            underlying: error, userInfo: info)
    }
}
