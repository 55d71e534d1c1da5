import CoreData

/// A fetch of computed rows. Such fetches see what is in the store, not a context's unsaved changes.
struct AggregateFetch {
    let request = NSFetchRequest<NSDictionary>()

    /// Creates a fetch of properties, and of computed columns behind them.
    init(_ entity: NSEntityDescription, _ predicate: NSPredicate?, keys: [String], columns: [NSExpressionDescription]) {
        request.entity = entity
        request.predicate = predicate
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = keys as [Any] + columns
    }

    /// Returns the column of a function (`sum:`) of an attribute or to-one key path, which is empty for the object itself. Its
    /// type is by default the attribute's.
    static func column(
        _ name: String, _ function: String, of key: String, as type: NSAttributeType? = nil,
        in entity: NSEntityDescription
    ) throws -> NSExpressionDescription {
        // An unknown attribute is an error, before the expression traps for an unknown function.
        let type = try type ?? attributeType(of: key, in: entity)
        let subject = key.isEmpty ? NSExpression.expressionForEvaluatedObject() : NSExpression(forKeyPath: key)
        let column = NSExpressionDescription()
        column.name = name
        column.expression = NSExpression(forFunction: function, arguments: [subject])
        column.expressionResultType = type
        return column
    }

    /// Returns the type of the attribute at the end of a key path.
    ///
    /// - Throws: ``MagicalRecordError/Code/unknownKey``.
    static func attributeType(of keyPath: String, in entity: NSEntityDescription) throws -> NSAttributeType {
        let parts = keyPath.split(separator: ".").map(String.init)
        let owner = parts.dropLast().reduce(Optional(entity)) { $0?.relationshipsByName[$1]?.destinationEntity }
        if let owner, let last = parts.last {
            if let attribute = owner.attributesByName[last] { return attribute.attributeType }
            if owner.relationshipsByName[last]?.destinationEntity != nil { return .objectIDAttributeType }
        }
        throw MagicalRecordError(
            .unknownKey, "There is no attribute \(keyPath).",
            advice: "Known: \(entity.attributesByName.keys.sorted().joined(separator: ", ")).", entity: entity.name,
            key: keyPath)
    }

    /// Returns a column's value, or `nil` if the row has none.
    ///
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue`` for one that the type asked for cannot hold.
    func value<Value: MagicalRecord.AttributeValue>(_ column: String, of row: [String: Any]) throws -> Value? {
        let stored = row[column]
        if let value = Value(_stored: stored) { return value }
        guard let stored, !(stored is NSNull) else { return nil }
        let raw = (Value.Present.self as? any RawKeyType.Type)?.rawType
        throw MagicalRecordError(
            .unconvertibleValue, "\(stored) is not a value of \(raw ?? Value.self).",
            advice: raw == nil
                ? "Ask for the attribute with a type that can hold it." : "Add a case, or correct the value.",
            entity: request.entity?.name, key: column)
    }

    func rows(in context: NSManagedObjectContext) throws -> [[String: Any]] {
        try context.runAndWait {
            try context.results(of: request).map { row in
                var values: [String: Any] = [:]
                for case let (key as String, value) in row { values[key] = value }
                return values
            }
        }
    }
}

/// A function the store computes over many objects, with the type of what comes out.
struct Computation<Object: NSManagedObject, Value: MagicalRecord.AttributeValue> {
    private let function: String
    private let key: KeyPathName.Outcome
    private let type: NSAttributeType?

    /// Creates a function of an attribute. Without a type, the column has that of the attribute.
    init(_ function: String, _ key: KeyPath<Object, some Any>, _ type: NSAttributeType? = nil) {
        (self.function, self.key, self.type) = (function, KeyPathName.of(key), type)
    }

    /// Creates the number of objects.
    init() where Value == Int { (function, key, type) = ("count:", .success(""), .integer64AttributeType) }

    func column(named name: String, in entity: NSEntityDescription) throws -> NSExpressionDescription {
        try AggregateFetch.column(name, function, of: try key.get(), as: type, in: entity)
    }
}
