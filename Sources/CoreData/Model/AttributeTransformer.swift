import CoreDataRowStorage
import Foundation
import ModelFormat

/// The value transformer of a transformable attribute, looked up by name for every use.
final class AttributeTransformer: ValueCoding {
    private let attribute: NSAttributeDescription

    init(_ attribute: NSAttributeDescription) { self.attribute = attribute }

    func bytes(for value: Any) -> Data? {
        let (transformer, unarchives) = transformer
        return (unarchives ? transformer?.reverseTransformedValue(value) : transformer?.transformedValue(value))
            as? Data
    }

    func value(from bytes: Data) -> Any? {
        let (transformer, unarchives) = transformer
        return unarchives ? transformer?.transformedValue(bytes) : transformer?.reverseTransformedValue(bytes)
    }

    /// The name of the transformer if it is not registered; otherwise nil. Without the transformer, values can be neither read
    /// nor written, and the bytes in the store are preserved.
    var missingName: String? { transformer.0 == nil ? name.rawValue : nil }

    func failure(in entity: String?) -> NSError? {
        guard let name = missingName else { return nil }
        let entity = entity ?? attribute.owner?.name ?? ""
        return CoreDataError.make(
            NSCoreDataError,
            description:
                "The value transformer \"\(name)\" of the attribute \(entity).\(attribute.name) cannot be found.",
            advice:
                "Register it with ValueTransformer.setValueTransformer(_:forName:) under that name, or name a class of "
                + "the program.",
            entity: entity, key: attribute.name)
    }

    func refusal(of value: Any, bytes: Data?, in entity: String?) -> NSError? {
        let (transformer, _) = transformer
        guard let transformer else { return failure(in: entity) }
        let archiving = transformer as? any ArchivingTransformer
        if let bytes {
            // The classes of these values were checked when they were archived.
            if archiving != nil, ObjectArchiver.isKnown(value) { return nil }
            if self.value(from: bytes) != nil { return nil }
        }
        var reason =
            bytes == nil
            ? "The transformer \(type(of: transformer)) makes no Data of a value of type \(type(of: value))."
            : "The transformer \(type(of: transformer)) makes nothing of the Data that it made of a value of type "
                + "\(type(of: value))."
        var advice = "Set a value that the transformer can turn into Data and back, or name another transformer."
        var cause: (any Error)?
        do {
            if let archiving { _ = try KeyedArchive.data(of: value, allowing: archiving.readableClasses) }
        } catch let error as ClassNotAllowed {
            (reason, advice) = Self.explanation(of: error, transformer)
        } catch {
            cause = error
            reason = error.localizedDescription
            advice = (error as NSError).localizedRecoverySuggestion ?? advice
        }
        let entity = entity ?? attribute.owner?.name ?? ""
        return CoreDataError.make(
            NSCoreDataError,
            description: "The value of \(entity).\(attribute.name) cannot be saved, because it could not be read back.",
            reason: reason, advice: advice, entity: entity, key: attribute.name, underlying: cause,
            userInfo: [NSValidationKeyErrorKey: attribute.name])
    }

    private static func explanation(
        of error: ClassNotAllowed, _ transformer: ValueTransformer
    ) -> (reason: String, advice: String) {
        guard error.isSecure else {
            return (
                "It holds an object of the class \(error.name), which does not conform to NSSecureCoding.",
                "Let the class conform to NSSecureCoding."
            )
        }
        let line =
            "override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + "
            + "[\(error.shortName).self] }"
        let isOwn = type(of: transformer) != NSSecureUnarchiveFromDataTransformer.self
        return (
            "It holds an object of the class \(error.name), which the transformer \(type(of: transformer)) does not allow.",
            isOwn
                ? "Allow the class in \(type(of: transformer)): \(line)"
                : "Name a subclass of NSSecureUnarchiveFromDataTransformer in the model, which has: \(line)"
        )
    }

    private var name: NSValueTransformerName {
        let given = attribute.valueTransformerName.flatMap { $0.isEmpty ? nil : NSValueTransformerName(rawValue: $0) }
        return given ?? .unarchiveFromDataTransformerName
    }

    /// The transformer, and whether it converts data to values, in which case Core Data applies it in reverse.
    private var transformer: (ValueTransformer?, Bool) {
        let name = name
        let transformer = ValueTransformer.valueTransformer(forName: name)
        let unarchives =
            transformer is NSSecureUnarchiveFromDataTransformer || name.rawValue.hasSuffix("UnarchiveFromData")
        return (transformer, unarchives)
    }
}
