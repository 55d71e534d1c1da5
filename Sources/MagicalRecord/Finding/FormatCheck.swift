import CoreData

#if canImport(ObjectiveC)
internal import MagicalRecordExceptions
#endif

/// A check of a predicate format against the model: `year == "nineteen"` holds for no object if `year` is a number. Conditions
/// are checked by the compiler instead.
///
/// Covers comparisons of a key path with constants by equality, order, `IN` and `BETWEEN`. Everything else is left to the
/// store, unknown keys included. Visits the predicate once.
struct FormatCheck {
    let entity: NSEntityDescription

    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue`` with the entity, the key and the value.
    func check(_ predicate: NSPredicate) throws {
        switch predicate {
        case let compound as NSCompoundPredicate:
            // An array of `Any` at Apple's.
            for case let part as NSPredicate in compound.subpredicates as [Any] { try check(part) }
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
        switch expression.expressionType {
        case .aggregate: return (expression.collection as? [NSExpression] ?? []).flatMap(constants)
        case .constantValue:
            let list = expression.constantValue
            let values = list as? [Any] ?? (list as? NSSet)?.allObjects ?? (list as? NSOrderedSet)?.array ?? []
            return values.filter { !($0 is NSNull) }
        default: return []
        }
    }
}

/// The kind of value that a key path leads to, and the values that it can equal. Stores convert numbers as text, and text as
/// UUIDs and URIs.
private struct Subject {
    let name: String
    let canEqual: (Any) -> Bool

    init?(_ path: String, of entity: NSEntityDescription) {
        var (owner, keys) = (entity, path.split(separator: ".").map(String.init)[...])
        while let key = keys.popFirst() {
            if key == "self" || key == "SELF" || key == "objectID" { continue }
            if key == "@count" {
                self.init(number: "a number")
                return
            }
            if let attribute = owner.attributesByName[key] {
                switch Array(keys) {
                case []: self.init(attribute)
                case ["length"] where attribute.attributeType == .stringAttributeType: self.init(number: "a length")
                default: return nil
                }
                return
            }
            guard let next = owner.relationshipsByName[key]?.destinationEntity else { return nil }
            owner = next
        }
        self.init("an object of \(owner.name ?? "an object")") {
            // To-many relationships are compared with collections.
            $0 is NSManagedObject || $0 is NSManagedObjectID || $0 is URL || $0 is NSSet || $0 is NSArray
                || $0 is NSOrderedSet
        }
    }

    private init?(_ attribute: NSAttributeDescription) {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: self.init(number: "an integer")
        case .doubleAttributeType, .floatAttributeType, .decimalAttributeType: self.init(number: "a number")
        case .booleanAttributeType: self.init(number: "a Boolean value")
        case .stringAttributeType: self.init("text") { $0 is String || $0 is NSNumber || $0 is URL || $0 is UUID }
        case .dateAttributeType: self.init("a date") { $0 is Date || $0 is NSNumber }
        case .binaryDataAttributeType: self.init("binary data") { $0 is Data }
        case .UUIDAttributeType:
            self.init("a UUID") { $0 is UUID || ($0 as? String).flatMap(UUID.init(uuidString:)) != nil }
        case .URIAttributeType: self.init("a URI") { $0 is URL || $0 is String }
        default: return nil
        }
    }

    private init(number name: String) {
        self.init(name) { value in
            if let text = value as? String {
                return Double(text.trimmingCharacters(in: .whitespaces))?.isFinite ?? false
            }
            return value is NSNumber || value is Date || value is Decimal
        }
    }

    private init(_ name: String, canEqual: @escaping (Any) -> Bool) { (self.name, self.canEqual) = (name, canEqual) }
}

/// Format strings to predicates, with an error for those that do not parse.
enum PredicateParsing {
    static func predicate(_ format: String, _ arguments: [any CVarArg]) throws -> NSPredicate {
        do {
            #if canImport(ObjectiveC)
            return try withVaList(arguments) { list in
                Result { try MRThrowingCalls.predicate(format: format, arguments: list) }
            }.get()
            #else
            return try NSPredicate.parse(format, arguments: arguments)
            #endif
        } catch {
            throw MagicalRecordError(
                .malformedFormat, "The predicate format \"\(format)\" does not parse.",
                advice: "Values belong in arguments (%@), names of keys in %K.", underlying: error)
        }
    }
}

extension NSPredicate {
    /// Parses a format and checks its comparisons by the entity: `year == "nineteen"` is an error where `year` is a number,
    /// not a predicate that holds for no object. For formats that users write.
    ///
    /// - Throws: ``MagicalRecordError/Code/malformedFormat``, and ``MagicalRecordError/Code/unconvertibleValue`` with the key and
    ///   the value. Keys that the entity does not have are errors of the fetch.
    public static func parse(
        _ format: String, _ arguments: any CVarArg..., for entity: NSEntityDescription
    ) throws -> NSPredicate {
        let predicate = try PredicateParsing.predicate(format, arguments)
        try FormatCheck(entity: entity).check(predicate)
        return predicate
    }
}
