import CoreDataRowStorage
import Foundation
import PredicateFormat

/// One column of a fetch of dictionaries.
struct MemoryColumn {
    let column: FetchColumn
    let isAggregate: Bool

    var name: String { column.name }

    /// Returns the columns of a fetch: all stored attributes and to-one relationships if it names none.
    static func columns(of fetch: StoreFetch, check: KeyPathCheck) throws -> [MemoryColumn] {
        guard let columns = fetch.table?.columns, !columns.isEmpty else {
            return fetch.layout.cells.filter { !$0.isTransient }.map {
                MemoryColumn(column: FetchColumn(name: $0.name, content: .path([$0.name])), isAggregate: false)
            }
        }
        return try columns.map { column in
            switch column.content {
            case .path(let path):
                try check.check(path: path)
                return MemoryColumn(column: column, isAggregate: false)
            case .expression(let node, let kind):
                var column = column
                let resolved = try ConditionResolver.resolve(node, for: check.layout, check.layouts)
                column.content = .expression(resolved, kind)
                return MemoryColumn(column: column, isAggregate: resolved.containsAggregate)
            }
        }
    }

    /// Returns the path of a column to group by; for a computed column, its name.
    static func path(of column: FetchColumn) -> [String] {
        guard case .path(let path) = column.content else { return [column.name] }
        return path
    }

    /// Returns the column's value for the rows of one dictionary, in the type that the column declares.
    func value(of group: [MemoryObject], _ layout: EntityLayout) throws -> Any? {
        switch column.content {
        case .path(let path): return group.first.flatMap { Self.follow(path, from: $0) }
        case .expression(let node, let kind):
            let value = Self.plain(try AggregateResolver(group).value(of: node))
            guard let value, let kind, !(value is MemoryObject) else { return value }
            return try DeclaredValue.of(value, as: kind, column: name, of: layout)
        }
    }

    /// Returns the value at a path of to-one relationships.
    static func follow(_ path: [String], from object: MemoryObject) -> Any? {
        var current: Any? = object
        for key in path { current = (current as? MemoryObject)?.value(forKey: key) }
        return plain(current)
    }

    private static func plain(_ value: Any?) -> Any? { value is NSNull ? nil : value }
}
