import PredicateFormat

extension ReportedPredicate {
    init(_ predicate: NSPredicate) {
        let node = predicate.node
        self = node.holdsObjects ? .text(node.predicateFormat, ComparedKeys(predicate)) : .predicate(predicate)
    }
}

extension PredicateNode {
    /// Whether a constant is or may hold a managed object.
    fileprivate var holdsObjects: Bool {
        switch self {
        case .constant: false
        case .comparison(let comparison): comparison.left.holdsObjects || comparison.right.holdsObjects
        case .and(let nodes), .or(let nodes): nodes.contains(where: \.holdsObjects)
        case .not(let node): node.holdsObjects
        // Only its code knows.
        case .opaque: true
        }
    }
}

extension ExpressionNode {
    fileprivate var holdsObjects: Bool {
        switch self {
        case .evaluatedObject, .variable, .symbolicIndex, .anyKey: false
        case .keyPath(_, of: let base): base.holdsObjects
        case .constant(let value): Self.isObject(value)
        case .aggregate(let elements), .function(_, let elements): elements.contains(where: \.holdsObjects)
        // Rare enough to be printed at once.
        default: true
        }
    }

    private static func isObject(_ value: Any?) -> Bool {
        switch value {
        case nil, is String, is Int, is Double, is Bool, is Date, is NSNumber, is NSString, is NSManagedObjectID: false
        case is NSManagedObject: true
        case let values as [Any]: values.first.map(isObject) ?? false
        case let values as NSArray: values.firstObject.map { isObject($0) } ?? false
        // Sets and whatever else there may be.
        default: true
        }
    }
}
