import CoreDataRuntimeSupport
import Foundation
import PredicateFormat

/// The value that a batch update assigns to one column. Assigning a composite attribute assigns all its elements' columns.
package struct ColumnAssignment {
    /// The path of the attribute or element.
    package let name: String
    package let value: BatchAssignment.Value
    /// Whether this is an element of a composite attribute that is set to nil as a whole: then a required element may be nil.
    package var isOfNil = false

    /// Returns the assignments of a request by column. An element's own assignment takes precedence over that of the
    /// composite attribute it belongs to.
    package static func all(_ given: [BatchAssignment], of layout: EntityLayout) throws -> [ColumnAssignment] {
        guard layout.hasComposites else { return given.map { ColumnAssignment(name: $0.name, value: $0.value) } }
        var result: [ColumnAssignment] = []
        for assignment in given.sorted(by: { depth(of: $0.name) < depth(of: $1.name) }) {
            for column in try columns(assignment, of: layout) {
                result.removeAll { $0.name == column.name }
                result.append(column)
            }
        }
        return result
    }

    private static func depth(of path: String) -> Int { path.utf8.count { $0 == UInt8(ascii: ".") } }

    private static func columns(
        _ assignment: BatchAssignment, of layout: EntityLayout
    ) throws -> [ColumnAssignment] {
        let cells = layout.elements(at: assignment.name)
        guard let first = cells.first, first.path != assignment.name else {
            return [ColumnAssignment(name: assignment.name, value: assignment.value)]
        }
        let depth = depth(of: assignment.name)
        let paths = cells.map { $0.elementPath.dropFirst(depth) }
        switch assignment.value {
        case .constant(let constant):
            let whole = try whole(constant, paths, of: assignment.name, layout)
            let values = paths.map { CompositeValue.element(at: $0, of: whole).flatMap(OptionalContents.unwrapped) }
            let isNil = values.allSatisfy { $0 == nil || $0 is NSNull }
            if isNil, !first.isOptional, depth == 0 { throw BatchValueCheck.missing(assignment.name, of: layout.name) }
            return zip(cells, values).map {
                ColumnAssignment(name: $0.path, value: .constant($1 ?? NSNull()), isOfNil: isNil && $0.isOptional)
            }
        case .expression(.keyPath(let keys, let base)):
            return zip(cells, paths).map {
                ColumnAssignment(name: $0.path, value: .expression(.keyPath(keys + $1, of: base)))
            }
        case .expression: throw refusal(of: assignment.name, layout)
        }
    }

    private static func whole(
        _ constant: Any, _ paths: [ArraySlice<String>], of name: String, _ layout: EntityLayout
    ) throws -> [String: Any] {
        if constant is NSNull { return [:] }
        guard let whole = constant as? [String: Any] else { throw refusal(of: name, layout) }
        if let stray = CompositeValue.strayPath(in: whole, elements: paths) {
            throw UnsupportedQuery.keyPath("\(name).\(stray)", in: layout)
        }
        return whole
    }

    private static func refusal(of name: String, _ layout: EntityLayout) -> NSError {
        UnsupportedQuery.make(
            "Invalid batch update: \(name) is a composite attribute",
            advice:
                "Set it to a dictionary of its elements, to nil or to the key path of another, or set its elements.",
            entity: layout.name, key: name)
    }
}
