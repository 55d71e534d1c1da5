import CoreDataRowStorage
import Foundation
import PredicateFormat

extension Probe {
    /// Records that the program uses the objects in a predicate's arguments.
    @inline(never)
    static func usesArguments(of predicate: NSPredicate) {
        guard isNeeded(.objects) else { return }
        if let filled = predicate.filledTemplate {
            filled.withArguments { $0.forEach(usesObjects) }
        } else {
            usesObjects(in: predicate.node)
        }
    }

    private static func usesObjects(in node: PredicateNode) {
        switch node {
        case .constant, .opaque: break
        case .comparison(let comparison):
            usesObjects(in: comparison.left)
            usesObjects(in: comparison.right)
        case .and(let nodes), .or(let nodes): nodes.forEach(usesObjects)
        case .not(let node): usesObjects(in: node)
        }
    }

    private static func usesObjects(in node: ExpressionNode) {
        switch node {
        case .constant(let value): usesObjects(in: value)
        case .keyPath(_, of: let base): usesObjects(in: base)
        case .aggregate(let elements), .function(_, let elements), .block(_, let elements):
            elements.forEach(usesObjects)
        case .message(let target, _, let arguments):
            usesObjects(in: target)
            arguments.forEach(usesObjects)
        case .set(_, let left, let right):
            usesObjects(in: left)
            usesObjects(in: right)
        case .subquery(let collection, _, let condition):
            usesObjects(in: collection)
            usesObjects(in: condition)
        case .conditional(let condition, let first, let second):
            usesObjects(in: condition)
            usesObjects(in: first)
            usesObjects(in: second)
        case .assignment(_, let value): usesObjects(in: value)
        case .evaluatedObject, .variable, .fetch, .symbolicIndex, .anyKey: break
        }
    }

    private static func usesObjects(in value: Any?) {
        switch value {
        case let object as NSManagedObject: uses(object, .reference)
        case is String, is NSString, is NSNumber, is NSManagedObjectID, is Data, is Date: break
        case let values as NSOrderedSet: values.forEach(usesObjects)
        case let values as NSDictionary: values.allValues.forEach(usesObjects)
        case let values as any Sequence: uses(elementsOf: values)
        default: break
        }
    }

    private static func uses(elementsOf values: some Sequence) { values.forEach { usesObjects(in: $0) } }
}
