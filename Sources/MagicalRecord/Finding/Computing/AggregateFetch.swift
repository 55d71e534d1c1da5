import CoreData

/// One computed column of an aggregate fetch.
struct AggregateColumn {
    let description: NSExpressionDescription

    /// - Parameters:
    ///   - name: the column's key in the result.
    ///   - function: a function name with its colon, `sum:`.
    ///   - key: the attribute or to-one key path; empty for the object itself.
    ///   - type: the type of the result.
    init(name: String, function: String, key: String, type: NSAttributeType) throws {
        let subject =
            key.isEmpty ? NSExpression.expressionForEvaluatedObject() : NSExpression(forKeyPath: key)
        description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(forFunction: function, arguments: [subject])
        description.expressionResultType = type
    }

    /// Returns the type of the attribute at the end of a key path.
    ///
    /// - Throws: ``MagicalRecordError/Code/unknownKey``.
    static func attributeType(of keyPath: String, in entity: NSEntityDescription) throws -> NSAttributeType {
        var current = entity
        let parts = keyPath.split(separator: ".").map(String.init)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, let attribute = current.attributesByName[part] {
                return attribute.attributeType
            }
            if let relationship = current.relationshipsByName[part], let next = relationship.destinationEntity {
                if index == parts.count - 1 { return .objectIDAttributeType }
                current = next
            } else {
                break
            }
        }
        throw MagicalRecordError(
            .unknownKey, "There is no attribute \(keyPath).",
            advice: "Known: \(entity.attributesByName.keys.sorted().joined(separator: ", ")).", entity: entity.name,
            key: keyPath)
    }
}

/// A fetch of computed rows. Such fetches see what is in the store, not a context's unsaved changes.
struct AggregateFetch {
    var entity: NSEntityDescription
    var predicate: NSPredicate?
    var columns: [AggregateColumn]
    var grouping: [String]
    var having: NSPredicate?
    var sort: [NSSortDescriptor] = []
    var plainColumns: [String] = []
    var isDistinct = false
    var limit: Int?
    var offset: Int?
    var includesSubentities = true

    /// Returns a column's value, or `nil` if the row has none.
    ///
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue`` for one that the type asked for cannot hold.
    func value<Value>(_ column: String, of row: [String: Any], _ convert: (Any?) -> Value?) throws -> Value? {
        let stored = row[column]
        if let value = convert(stored) { return value }
        guard let stored, !(stored is NSNull) else { return nil }
        throw MagicalRecordError(
            .unconvertibleValue, "\(stored) is not a value of \(Value.self).",
            advice: "Ask for the attribute with a type that can hold it.", entity: entity.name,
            key: column)
    }

    func rows(in context: NSManagedObjectContext) throws -> [[String: Any]] {
        let request = NSFetchRequest<NSDictionary>()
        request.entity = entity
        request.predicate = predicate
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = (grouping + plainColumns) as [Any] + columns.map(\.description)
        if !grouping.isEmpty { request.propertiesToGroupBy = grouping }
        request.havingPredicate = having
        if !sort.isEmpty { request.sortDescriptors = sort }
        request.returnsDistinctResults = isDistinct
        request.includesSubentities = includesSubentities
        // To a fetch request a limit of 0 is none at all.
        if limit == 0 { return [] }
        if let limit { request.fetchLimit = limit }
        if let offset { request.fetchOffset = offset }
        return try context.runAndWait {
            try context.results(of: request).map { row in
                var values: [String: Any] = [:]
                for case let (key as String, value) in row { values[key] = value }
                return values
            }
        }
    }
}
