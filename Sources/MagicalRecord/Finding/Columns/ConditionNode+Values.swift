import CoreData

// Conditions may cross threads: instead of a managed object they hold its ID. Only an object that has never been saved stands
// for itself, since its ID changes with its first save.

extension ConditionNode.Operand {
    /// Returns a value to compare with.
    static func value(_ value: some MagicalRecord.PredicateValue) -> Self {
        .constant(value.predicateConstant.map(held))
    }

    /// Returns the values of an `IN` list, with `NSNull` for nil.
    static func values(_ values: some Sequence<some MagicalRecord.PredicateValue>) -> Self {
        .list(values.map { $0.predicateConstant.map(held) ?? NSNull() })
    }

    /// Returns the values of an `IN` list, leaving out nil.
    static func presentValues(_ values: some Sequence<some MagicalRecord.PredicateValue>) -> Self {
        .list(values.compactMap { $0.predicateConstant.map(held) })
    }

    private static func held(_ value: Any) -> Any {
        let type = Swift.type(of: value)
        if type == Int.self || type == Int64.self || type == Int32.self || type == String.self || type == UUID.self {
            return value
        }
        // Off Apple's platforms a cast of a plain value first makes the object that stands for it.
        guard type is NSManagedObject.Type, let object = value as? NSManagedObject,
            !object.objectID.isTemporaryID
        else { return value }
        return object.objectID
    }

    /// Returns the path to a property of the objects that this path leads to.
    func following<Object: NSManagedObject, Value>(_ key: KeyPath<Object, Value>) -> Self {
        guard case .path(let path) = self else { return self }
        return .path(path.flatMap { path in KeyPathName.of(key).map { path.isEmpty ? $0 : path + "." + $0 } })
    }

    /// The names of the path, or an error for a computed value.
    var relationshipPath: KeyPathName.Outcome {
        if case .path(let path) = self { return path }
        return .failure(
            MagicalRecordError(
                .unsupportedCondition, "A computed value is no relationship.",
                advice: "Ask a relationship of the model for related objects."))
    }
}
