import Foundation
import ModelFormat

/// A value that its new type cannot hold.
package struct UnfitValue: Error {
    /// The destination entity and the path of its attribute.
    package var entity: String
    package var attribute: String
    package var value: NSNumber
    package var source: AttributeType
    package var destination: AttributeType
    /// The ID of the source object.
    package var object: URL?

    package init(
        entity: String, attribute: String, value: NSNumber, source: AttributeType, destination: AttributeType,
        object: URL? = nil
    ) {
        self.entity = entity
        self.attribute = attribute
        self.value = value
        self.source = source
        self.destination = destination
        self.object = object
    }

    /// Returns the error with which the migration fails.
    ///
    /// - Parameters:
    ///   - store: the store that contains the value, if known.
    ///   - others: further values of the attribute that do not fit.
    package func failure(at store: URL? = nil, others: [UnfitValue] = [], count: Int = 1) -> NSError {
        let place = object.map { " in \($0.absoluteString)" } ?? ""
        let all = [self] + others
        let more = count > all.count ? "; \(count - all.count) more" : ""
        var info: [String: Any] = [
            NSAffectedObjectsErrorKey: all.compactMap(\.object), "value": value,
            NSValidationKeyErrorKey: attribute, NSValidationValueErrorKey: value,
        ]
        info[NSURLErrorKey] = store
        return CoreDataError.make(
            NSMigrationError,
            description:
                "The store\(store.map { " at \($0.nameInMessages)" } ?? "") could not be migrated: the value \(value) of \(entity).\(attribute)\(place) does not "
                + "fit \(destination.words), the new type of the attribute, which was \(source.words).",
            reason: "\(entity).\(attribute) became \(destination.words), which cannot hold "
                + all.map { "\($0.value)\($0.object.map { " of \($0.absoluteString)" } ?? "")" }
                .joined(separator: ", ") + more + ".",
            advice:
                "Change these values with the old version of the model, choose a type that can hold them, or convert "
                + "them with a mapping model.",
            entity: entity, key: attribute,
            userInfo: info)
    }
}
