/// Turns the values of transformable attributes into bytes and back.
enum AttributeTransformer {
    /// The bytes of a value; nil where the attribute's transformer has none for it, or cannot be found.
    static func data(from value: Any, of attribute: NSAttributeDescription) -> Data? {
        let (transformer, unarchives) = transformer(of: attribute)
        return (unarchives ? transformer?.reverseTransformedValue(value) : transformer?.transformedValue(value))
            as? Data
    }

    /// The value bytes stand for; nil where the attribute's transformer has none for them, or cannot be found.
    static func value(from data: Data, of attribute: NSAttributeDescription) -> Any? {
        let (transformer, unarchives) = transformer(of: attribute)
        return unarchives ? transformer?.transformedValue(data) : transformer?.reverseTransformedValue(data)
    }

    /// The name of the attribute's transformer, if that cannot be found.
    ///
    /// Its values can then be neither read nor written, and the bytes in the store stay as they are.
    static func missingName(of attribute: NSAttributeDescription) -> String? {
        transformer(of: attribute).0 == nil ? name(of: attribute).rawValue : nil
    }

    /// The error for an attribute whose transformer cannot be found.
    static func missingError(_ name: String, of attribute: NSAttributeDescription, in entity: String) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: missingText(name, attribute.name, of: entity), advice: missingAdvice(name),
            entity: entity, key: attribute.name)
    }

    static func missingText(_ name: String, _ attribute: String, of entity: String) -> String {
        "The value transformer \"\(name)\" of the attribute \(entity).\(attribute) cannot be found."
    }

    static func missingAdvice(_ name: String) -> String {
        "Register it with ValueTransformer.setValueTransformer(_:forName:) under that name, or name a class of the program."
    }

    private static func name(of attribute: NSAttributeDescription) -> NSValueTransformerName {
        let given = attribute.valueTransformerName.flatMap { $0.isEmpty ? nil : NSValueTransformerName(rawValue: $0) }
        return given ?? .secureUnarchiveFromDataTransformerName
    }

    /// The attribute's transformer, and whether it is one of those that turn data into values: Core Data uses them backwards.
    private static func transformer(of attribute: NSAttributeDescription) -> (ValueTransformer?, Bool) {
        let name = name(of: attribute)
        let transformer = ValueTransformer.valueTransformer(forName: name)
        let unarchives =
            transformer is NSSecureUnarchiveFromDataTransformer || name.rawValue.hasSuffix("UnarchiveFromData")
        return (transformer, unarchives)
    }
}
