import CoreDataRowStorage
import Foundation
import ModelFormat

/// A position in a model, for error messages.
struct ModelPlace {
    var entity: String?
    var property: String?
    var template: String?
}

/// Errors of reading models, in Core Data's domain.
enum ModelFileError {
    /// Returns the first problem that makes a model unusable.
    ///
    /// Mismatched inverses are accepted: Apple's tools compile them, and each relationship is used as declared.
    static func gravest(of values: Model) -> ModelFormatError? {
        values.problems().first { $0.code != .invalidValue }
    }

    /// Returns an error of the file reader as `NSCoreDataError`, or as Foundation's error if the file cannot be read.
    static func wrapped(_ error: ModelFormatError) -> NSError {
        let code = error.code == .unreadable ? CocoaError.fileReadNoSuchFile.rawValue : NSCoreDataError
        return CoreDataError.make(
            code, description: "The model cannot be loaded: \(error.message).", reason: error.description,
            advice: error.advice, entity: error.entity, key: error.property, underlying: error,
            userInfo: error.file.map { [NSFilePathErrorKey: $0] } ?? [:])
    }

    /// Returns an error of the file writer as `NSCoreDataError`.
    static func unwritable(_ error: ModelFormatError, at url: URL) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "The model cannot be written: \(error.message).", reason: error.description,
            advice: error.advice, entity: error.entity, key: error.property, underlying: error,
            userInfo: [NSFilePathErrorKey: url.path])
    }

    /// Returns the error for a property with the name of a member of every managed object.
    static func reserved(_ complaint: String, place: ModelPlace) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "The model cannot be loaded: a property has a reserved name.",
            reason: "\(complaint).", advice: "Rename the property, with its old name as renaming identifier.",
            entity: place.entity, key: place.property)
    }

    /// Returns the error for a predicate or expression that cannot be parsed.
    static func text(_ text: String, kind: String, place: ModelPlace, underlying: any Error) -> NSError {
        let owner =
            place.template.map { "the fetch request template \($0)" }
            ?? "\(place.entity ?? "").\(place.property ?? "")"
        return CoreDataError.make(
            NSCoreDataError, description: "The model cannot be loaded: the \(kind) of \(owner) cannot be parsed.",
            reason: "\(text): \(underlying)", advice: "Correct the \(kind) in the model.", entity: place.entity,
            key: place.property, underlying: underlying)
    }
}
