import Foundation

/// One column of a fetch of dictionaries.
struct MemoryColumn {
    enum Content {
        case path([String])
        case expression(NSExpressionDescription)
    }

    let name: String
    let content: Content
    let isAggregate: Bool

    /// The columns a fetch asks for: all stored attributes and to-one relationships if it names none.
    static func columns(of fetch: StoreFetch, check: KeyPathCheck) throws -> [MemoryColumn] {
        guard let properties = fetch.propertiesToFetch, !properties.isEmpty else {
            return fetch.layout.cells.filter { !$0.isTransient }.map {
                MemoryColumn(name: $0.name, content: .path([$0.name]), isAggregate: false)
            }
        }
        return try properties.map { property in
            if let description = property as? NSExpressionDescription {
                guard let expression = description.expression else {
                    throw StoreErrors.invalidRequest(
                        "The expression description \"\(description.name)\" has no expression.", entity: fetch.layout)
                }
                try ConditionResolver.check(expression, for: check.layout, check.layouts)
                return MemoryColumn(
                    name: description.name, content: .expression(description),
                    isAggregate: AggregateResolver.containsAggregate(expression))
            }
            let path = try path(of: property)
            try check.check(path: path)
            return MemoryColumn(name: path.joined(separator: "."), content: .path(path), isAggregate: false)
        }
    }

    /// The key path a property to fetch or to group by stands for.
    static func path(of property: Any) throws -> [String] {
        switch property {
        case let name as String: return name.split(separator: ".").map(String.init)
        case let description as NSPropertyDescription: return [description.name]
        default:
            throw StoreErrors.invalidRequest(
                "Invalid property \(property) passed to a fetch request: a name or a property description is needed.")
        }
    }

    func value(of group: [MemoryObject]) throws -> Any? {
        switch content {
        case .path(let path): return group.first.flatMap { Self.follow(path, from: $0) }
        case .expression(let description):
            guard let expression = description.expression else { return nil }
            let value = try AggregateResolver(group).value(of: expression)
            return Self.plain(value).map { AttributeValues.boxed($0, as: description.expressionResultType) }
        }
    }

    /// Follows a path of to-one steps.
    static func follow(_ path: [String], from object: MemoryObject) -> Any? {
        var current: Any? = object
        for key in path { current = (current as? MemoryObject)?.value(forKey: key) }
        return plain(current)
    }

    private static func plain(_ value: Any?) -> Any? { value is NSNull ? nil : value }
}
