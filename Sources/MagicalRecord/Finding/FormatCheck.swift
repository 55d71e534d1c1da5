import CoreData

/// A check of a predicate format against the model: `year == "nineteen"` holds for no object if `year` is a number. Conditions
/// are checked by the compiler instead.
///
/// Covers comparisons of a key path with constants by equality, order, `IN` and `BETWEEN`. Everything else is left to the
/// store, unknown keys included. Visits the predicate once.
struct FormatCheck {
    private let entity: NSEntityDescription

    init(_ entity: NSEntityDescription) {
        self.entity = entity
    }

    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue`` with the entity, the key and the value.
    func check(_ predicate: NSPredicate) throws {
        switch predicate {
        case let compound as NSCompoundPredicate:
            // An array of `Any` at Apple's.
            for part: Any in compound.subpredicates {
                if let part = part as? NSPredicate { try check(part) }
            }
        case let comparison as NSComparisonPredicate: try check(comparison)
        default: break
        }
    }

    private func check(_ comparison: NSComparisonPredicate) throws {
        switch comparison.predicateOperatorType {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo:
            try check(comparison.leftExpression, Self.constants(comparison.rightExpression))
            try check(comparison.rightExpression, Self.constants(comparison.leftExpression))
        case .in, .between: try check(comparison.leftExpression, Self.elements(comparison.rightExpression))
        default: break
        }
    }

    private func check(_ side: NSExpression, _ values: [Any]) throws {
        guard !values.isEmpty, let path = Self.path(side), let subject = Subject(path, of: entity) else { return }
        for value in values where !subject.canEqual(value) {
            let shown = value is String ? "\"\(value)\"" : "a value of type \(type(of: value))"
            throw MagicalRecordError(
                .unconvertibleValue,
                "\(path.isEmpty ? "SELF" : path) is \(subject.name), and never compares with \(shown).",
                advice: "Give the value the type of the property.", entity: entity.name, key: path)
        }
    }

    /// Returns the key path from the object itself, which is empty for the object.
    private static func path(_ expression: NSExpression) -> String? {
        switch expression.expressionType {
        case .evaluatedObject: return ""
        case .keyPath:
            #if canImport(ObjectiveC)
            // That of a variable in a subquery is about other objects.
            guard expression.operand.expressionType == .evaluatedObject else { return nil }
            #endif
            return expression.keyPath
        default: return nil
        }
    }

    private static func constants(_ expression: NSExpression) -> [Any] {
        guard expression.expressionType == .constantValue, let value = expression.constantValue else { return [] }
        return value is NSNull ? [] : [value]
    }

    /// Returns the values of a list: constants, or the elements of a constant collection.
    private static func elements(_ expression: NSExpression) -> [Any] {
        let values: [Any]
        switch expression.expressionType {
        case .aggregate: values = (expression.collection as? [NSExpression] ?? []).flatMap(constants)
        case .constantValue:
            switch expression.constantValue {
            case let array as [Any]: values = array
            case let set as NSSet: values = set.allObjects
            case let set as NSOrderedSet: values = set.array
            default: values = []
            }
        default: values = []
        }
        return values.filter { !($0 is NSNull) }
    }
}

/// The kind of value that a key path leads to.
private enum Subject {
    case number(String)
    case date
    case text
    case uuid
    case uri
    case data
    case object(String)

    init?(_ path: String, of entity: NSEntityDescription) {
        var (owner, keys) = (entity, path.split(separator: ".").map(String.init)[...])
        while let key = keys.popFirst() {
            if key == "self" || key == "SELF" || key == "objectID" { continue }
            if key == "@count" {
                self = .number("a number")
                return
            }
            if let attribute = owner.attributesByName[key] {
                if keys.isEmpty {
                    self.init(attribute)
                } else if Array(keys) == ["length"], attribute.attributeType == .stringAttributeType {
                    self = .number("a length")
                } else {
                    return nil
                }
                return
            }
            guard let next = owner.relationshipsByName[key]?.destinationEntity else { return nil }
            owner = next
        }
        self = .object(owner.name ?? "an object")
    }

    private init?(_ attribute: NSAttributeDescription) {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: self = .number("an integer")
        case .doubleAttributeType, .floatAttributeType, .decimalAttributeType: self = .number("a number")
        case .booleanAttributeType: self = .number("a Boolean value")
        case .stringAttributeType: self = .text
        case .dateAttributeType: self = .date
        case .binaryDataAttributeType: self = .data
        case .UUIDAttributeType: self = .uuid
        case .URIAttributeType: self = .uri
        default: return nil
        }
    }

    var name: String {
        switch self {
        case .number(let name): name
        case .date: "a date"
        case .text: "text"
        case .uuid: "a UUID"
        case .uri: "a URI"
        case .data: "binary data"
        case .object(let name): "an object of \(name)"
        }
    }

    /// Numbers as text, and text as UUIDs and URIs, are converted by stores.
    func canEqual(_ value: Any) -> Bool {
        switch self {
        case .number:
            value is NSNumber || value is Date || value is Decimal || (value as? String).map(Self.isNumber) ?? false
        case .date: value is Date || value is NSNumber
        case .text: value is String || value is NSNumber || value is URL || value is UUID
        case .uuid: value is UUID || (value as? String).map { UUID(uuidString: $0) != nil } ?? false
        case .uri: value is URL || value is String
        case .data: value is Data
        case .object: value is NSManagedObject || value is NSManagedObjectID || value is URL || Self.isCollection(value)
        }
    }

    private static func isNumber(_ text: String) -> Bool {
        Double(text.trimmingCharacters(in: .whitespaces))?.isFinite ?? false
    }

    /// Returns whether a value is a collection, with which to-many relationships are compared.
    private static func isCollection(_ value: Any) -> Bool {
        value is NSSet || value is NSArray || value is NSOrderedSet
    }
}

extension NSPredicate {
    /// Parses a format and checks its comparisons by the entity: `year == "nineteen"` is an error where `year` is a number,
    /// not a predicate that holds for no object. For formats that users write.
    ///
    /// - Parameters:
    ///   - format: the predicate format.
    ///   - arguments: the values of its `%@`, `%K` and so on.
    ///   - entity: the entity of the objects that are asked for.
    /// - Throws: ``MagicalRecordError/Code/malformedFormat``, and ``MagicalRecordError/Code/unconvertibleValue`` with the key and
    ///   the value. Keys that the entity does not have are errors of the fetch.
    public static func parse(
        _ format: String, _ arguments: any CVarArg..., for entity: NSEntityDescription
    ) throws -> NSPredicate {
        let predicate = try PredicateParsing.predicate(format, arguments)
        try FormatCheck(entity).check(predicate)
        return predicate
    }
}
