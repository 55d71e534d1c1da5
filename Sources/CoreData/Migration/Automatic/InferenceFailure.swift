import CoreDataRowStorage
import Foundation
import ModelFormat

/// An automatic migration for which no mapping can be inferred, with the code and the reason that Apple's framework gives:
/// programs compare both.
struct InferenceFailure {
    let url: URL
    /// What ``NSMappingModel/inferredMappingModel(forSourceModel:destinationModel:)`` throws.
    let error: NSError
    /// The versions of one step of several, in words.
    var step: String?
    /// Why mapping models of the program are not used.
    var doubts: [String] = []

    /// 134140 with all reasons.
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
