import CoreDataRowStorage
import Foundation
import PredicateFormat

extension ReportedPredicate {
    init(_ predicate: NSPredicate) {
        // The constants of a format's own text are no objects; what was filled in may be. The tree needs not be made for that.
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
    /// Whether a constant is or may hold a managed object or its ID.
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

    fileprivate static func isObject(_ value: Any?) -> Bool {
        guard let value else { return false }
        // To compare types takes a tenth of the time of a cast.
        let type = type(of: value)
        if type == String.self || type == Int.self || type == NSNumber.self || type == Double.self || type == Date.self
            || type == Bool.self || type == UUID.self || type == Int32.self || type == Int64.self || type == Int16.self
        {
            return false
        }
        switch value {
        case is NSNumber, is NSString, is NSNull: return false
        // The text of an ID may be a store of the program's to tell.
        case is NSManagedObject, is NSManagedObjectID: return true
        case let values as [Any]: return values.first.map(isObject) ?? false
        case let values as NSArray: return values.firstObject.map { isObject($0) } ?? false
        // Sets and whatever else there may be.
        default: return true
        }
    }
}
