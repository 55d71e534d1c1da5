/// Checks attributes and entities for parts that compile in Xcode but deserve a warning.
extension ProblemChecker {
    mutating func checkDefaults() {
        for type in model.composites {
            for attribute in type.attributes { check(attribute, in: type.name) }
        }
        for entity in model.entities {
            for attribute in entity.attributes { check(attribute, in: entity.name) }
            if let count = entity.extraAttributes["XD_PSK_fetchRequestsArray"] {
                warn(
                    .unsupported, "the entity has fetch requests in the form of Xcode 3 (\(count)), which are not read",
                    entity.name, nil, advice: "Open and save the model in a newer Xcode, which writes XML")
            }
        }
    }

    private mutating func check(_ attribute: Attribute, in entity: String) {
        for key in ["defaultValueString", "defaultDateTimeInterval"] {
            guard let text = attribute.extraAttributes[key] else { continue }
            let result =
                attribute.defaultValue.flatMap(ConstantText.text(of:)).map { "is read as \($0)" } ?? "is ignored"
            warn(
                .unreadableDefault,
                "the default value \"\(text)\" is not a valid \(attribute.type.xmlName) and \(result)",
                entity, attribute.name, advice: "Correct or remove the default value")
        }
        if attribute.valueTransformerName == Self.misspelledTransformer {
            warn(
                .misspelledName, "there is no transformer \(Self.misspelledTransformer)", entity, attribute.name,
                advice: "Write NSSecureUnarchiveFromData, which Core Data uses instead")
        }
    }

    /// A misspelling that occurs in published models. Core Data falls back to the standard transformer.
    private static let misspelledTransformer = "NSSecureUnarchiveFromDataTransformerName"
}
