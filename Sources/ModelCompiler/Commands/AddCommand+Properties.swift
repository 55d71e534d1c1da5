import CoreDataModelBuilding
import ModelFormat

extension AddCommand {
    static func addAttribute(
        _ path: String, _ typeName: String, _ arguments: Arguments, _ edited: inout EditedModel
    ) throws -> String {
        let (entity, name) = try split(path)
        var attribute = try attribute(name, typeName, edited)
        attribute.isOptional = !arguments.has("required")
        attribute.isTransient = arguments.has("transient")
        attribute.derivation = arguments["derived"]
        attribute.renamingIdentifier = arguments["renamed-from"]
        attribute.userInfo = try userInfo(arguments)
        attribute.defaultValue = try arguments["default"].map { text throws in
            try AttributeTexts.value(text, type: attribute.type, option: "default")
        }
        attribute.validation = try validation(arguments, attribute.type)
        try setType(of: &attribute, arguments)
        try edited.add(attribute, to: entity)
        if arguments.has("unique") { try edited.addUniqueness(of: name, in: entity) }
        if arguments.has("index") { try edited.addIndex(on: name, of: entity) }
        return "the attribute \(entity).\(name)"
    }

    private static func attribute(_ name: String, _ typeName: String, _ edited: EditedModel) throws -> Attribute {
        if let composite = edited.model.composites.first(where: { $0.name == typeName }) {
            var attribute = Attribute(name: name, type: .composite)
            attribute.compositeName = composite.name
            attribute.elements = composite.attributes
            return attribute
        }
        guard let type = AttributeTexts.type(typeName) else {
            let composites = edited.model.composites.map(\.name)
            throw Diagnostic(
                message: "there is no type \(typeName)", file: edited.file,
                advice: "The types are \(AttributeTexts.typeNames)"
                    + (composites.isEmpty ? "" : "; the composite types are \(composites.joined(separator: ", "))"))
        }
        return Attribute(name: name, type: type)
    }

    /// Sets the options that only some types have.
    private static func setType(of attribute: inout Attribute, _ arguments: Arguments) throws(UsageError) {
        let type = attribute.type
        if arguments.has("external") {
            guard type == .binary else { throw UsageError("--external is for the type Binary, not \(type.xmlName)") }
            attribute.allowsExternalBinaryDataStorage = true
        }
        for option in ["transformer", "value-class"] where arguments[option] != nil && type != .transformable {
            throw UsageError("--\(option) is for the type Transformable, not \(type.xmlName)")
        }
        attribute.valueTransformerName = arguments["transformer"]
        attribute.valueClassName = arguments["value-class"]
        if arguments.has("scalar") {
            guard type.hasScalarForm else { throw UsageError("--scalar: \(type.xmlName) has no scalar type") }
            attribute.usesScalarValueType = true
        } else if type.hasScalarForm {
            attribute.usesScalarValueType = !(arguments.has("object") || type == .date || attribute.isDerived)
        } else if type == .uuid {
            attribute.usesScalarValueType = false
        }
    }

    private static func validation(
        _ arguments: Arguments, _ type: AttributeType
    ) throws(UsageError) -> [ValidationRule] {
        var rules: [ValidationRule] = []
        for option in ["min", "max"] {
            guard let text = arguments[option] else { continue }
            switch type {
            case .string:
                guard let length = Int(text), length >= 0 else {
                    throw UsageError("--\(option) \(text): this is no length of a text")
                }
                rules.append(option == "min" ? .minimumLength(length) : .maximumLength(length))
            case .integer16, .integer32, .integer64, .decimal, .double, .float, .date:
                let limit = try AttributeTexts.value(text, type: type, option: option)
                rules.append(option == "min" ? .minimum(limit) : .maximum(limit))
            default: throw UsageError("--\(option) is for numbers, dates and texts, not for \(type.xmlName)")
            }
        }
        if let pattern = arguments["regex"] {
            guard type == .string, !pattern.isEmpty else {
                throw UsageError("--regex takes a pattern, and is for the type String")
            }
            rules.append(.pattern(pattern))
        }
        return rules
    }

    // MARK: Relationships

    static func addRelationship(
        _ path: String, _ destination: String, _ arguments: Arguments, _ edited: inout EditedModel
    ) throws -> String {
        let (entity, name) = try split(path)
        let isToMany = arguments.has("to-many")
        for option in ["min", "max"] where arguments[option] != nil && !isToMany {
            throw UsageError("--\(option) goes with --to-many")
        }
        if arguments.has("ordered"), !isToMany { throw UsageError("--ordered goes with --to-many") }
        if arguments.has("inverse-to-many"), arguments["inverse"] == nil {
            throw UsageError("--inverse-to-many goes with --inverse NAME")
        }
        var relationship = Relationship(
            name: name, destinationName: destination, inverseName: arguments["inverse"], isToMany: isToMany)
        relationship.isOptional = !arguments.has("required")
        relationship.isOrdered = arguments.has("ordered")
        relationship.minCount = try count("min", arguments) ?? 0
        relationship.maxCount = try count("max", arguments) ?? relationship.maxCount
        guard !isToMany || relationship.maxCount != 1 else { throw UsageError("--max 1: leave out --to-many instead") }
        relationship.deleteRule = try deleteRule(arguments["delete-rule"] ?? "nullify")
        relationship.renamingIdentifier = arguments["renamed-from"]
        relationship.userInfo = try userInfo(arguments)
        let hadInverse = arguments["inverse"].map { inverse in
            edited.model.entity(named: destination)?.relationships.contains { $0.name == inverse } == true
        }
        let inverse = arguments["inverse"].map { inverse in
            var new = Relationship(
                name: inverse, destinationName: entity, inverseName: name, isToMany: arguments.has("inverse-to-many"))
            new.isOptional = true
            return new
        }
        try edited.add(relationship, to: entity, inverse: inverse)
        let added = "the relationship \(entity).\(name)"
        guard let inverse, let hadInverse, inverse.name != name || destination != entity else { return added }
        return added
            + (hadInverse
                ? ", now the inverse of \(destination).\(inverse.name)"
                : " and its inverse \(destination).\(inverse.name)")
    }

    private static func count(_ option: String, _ arguments: Arguments) throws(UsageError) -> Int? {
        guard let text = arguments[option] else { return nil }
        guard let count = Int(text), count >= 0 else { throw UsageError("--\(option) \(text): this is no count") }
        return count
    }

    private static func deleteRule(_ text: String) throws(UsageError) -> DeleteRule {
        let plain = text.lowercased().filter { $0 != "-" && $0 != " " }
        guard let rule = DeleteRule.allCases.first(where: { $0.xmlName.lowercased().filter { $0 != " " } == plain })
        else { throw UsageError("--delete-rule \(text): write nullify, cascade, deny or no-action") }
        return rule
    }
}
