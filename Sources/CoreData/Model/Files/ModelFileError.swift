import CoreDataRowStorage
import Foundation
import ModelFormat

/// Where in a model something is: for error messages.
struct ModelPlace {
    var entity: String?
    var property: String?
    var template: String?
}

/// Errors of reading models, in Core Data's domain.
enum ModelFileError {
    /// The first problem with which a model cannot be used.
    ///
    /// Inverses that do not lead back are none: Apple's tools compile them, and each relationship is what it says of itself.
    static func gravest(of values: Model) -> ModelFormatError? {
        values.problems().first { $0.code != .invalidValue }
    }

    /// An error of the file reader as `NSCoreDataError`, or as Foundation's error where the file cannot be read.
    static func wrapped(_ error: ModelFormatError) -> NSError {
        let code = error.code == .unreadable ? CocoaError.fileReadNoSuchFile.rawValue : NSCoreDataError
        return CoreDataError.make(
            code, description: "The model cannot be loaded: \(error.message).", reason: error.description,
            advice: error.advice, entity: error.entity, key: error.property, underlying: error,
            userInfo: error.file.map { [NSFilePathErrorKey: $0] } ?? [:])
    }

    /// An error of the file writer as `NSCoreDataError`.
    static func unwritable(_ error: ModelFormatError, at url: URL) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "The model cannot be written: \(error.message).", reason: error.description,
            advice: error.advice, entity: error.entity, key: error.property, underlying: error,
            userInfo: [NSFilePathErrorKey: url.path])
    }

    /// The error for a property whose name every managed object has already.
    static func reserved(_ complaint: String, place: ModelPlace) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "The model cannot be loaded: a property has a reserved name.",
            reason: "\(complaint).", advice: "Rename the property, with its old name as renaming identifier.",
            entity: place.entity, key: place.property)
    }

    /// The error for a predicate or expression that cannot be parsed.
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
