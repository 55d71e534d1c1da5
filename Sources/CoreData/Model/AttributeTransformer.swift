import CoreDataRowStorage

/// The value transformer of a transformable attribute, which is looked up by its name whenever it is needed.
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

    /// Values can then be neither read nor written, and the bytes in the store stay as they are.
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

    private var name: NSValueTransformerName {
        let given = attribute.valueTransformerName.flatMap { $0.isEmpty ? nil : NSValueTransformerName(rawValue: $0) }
        return given ?? .secureUnarchiveFromDataTransformerName
    }

    /// The transformer, and whether it is one of those that turn data into values: Core Data uses them backwards.
    private var transformer: (ValueTransformer?, Bool) {
        let name = name
        let transformer = ValueTransformer.valueTransformer(forName: name)
        let unarchives =
            transformer is NSSecureUnarchiveFromDataTransformer || name.rawValue.hasSuffix("UnarchiveFromData")
        return (transformer, unarchives)
    }
}
