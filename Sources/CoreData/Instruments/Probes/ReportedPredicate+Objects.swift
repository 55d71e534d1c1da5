import CoreDataRowStorage
import Foundation
import PredicateFormat

extension ReportedPredicate {
    init(_ predicate: NSPredicate) {
        // Constants in a format string are no objects; its arguments may be. Checking them does not require the predicate's
        // tree.
        if let filled = predicate.filledTemplate {
            var holdsObjects = false
            filled.withArguments { holdsObjects = $0.contains(where: ExpressionNode.isObject) }
            if !holdsObjects {
                self = .predicate(predicate)
                return
            }
        }
        let node = predicate.node
        self = node.holdsObjects ? .text(node.predicateFormat, ComparedKeys(predicate)) : .predicate(predicate)
    }
}

extension PredicateNode {
    /// True if a constant is, or may contain, a managed object or its ID.
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
        // Rare enough to be printed immediately.
        default: true
        }
    }

    fileprivate static func isObject(_ value: Any?) -> Bool {
        guard let value else { return false }
        // Comparing types takes a tenth of the time of a cast.
        let type = type(of: value)
        if type == String.self || type == Int.self || type == NSNumber.self || type == Double.self || type == Date.self
            || type == Bool.self || type == UUID.self || type == Int32.self || type == Int64.self || type == Int16.self
        {
            return false
        }
        switch value {
        case is NSNumber, is NSString, is NSNull: return false
        // A store of the program may define the text of an ID.
        case is NSManagedObject, is NSManagedObjectID: return true
        case let values as [Any]: return values.first.map(isObject) ?? false
        case let values as NSArray: return values.firstObject.map { isObject($0) } ?? false
        // Sets and other values.
        default: return true
        }
    }
}
