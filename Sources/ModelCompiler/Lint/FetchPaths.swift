import ModelFormat
import ModelPredicates

/// Extracts the key paths of predicates and expressions and checks them against a model.
enum FetchPaths {
    /// Returns the paths from the fetched object; `nil` for malformed text.
    static func paths(ofPredicate text: String) -> [String]? {
        guard let predicate = try? FormatTextParser().predicate(text) else { return nil }
        var paths: [String] = []
        collect(predicate, &paths)
        return paths
    }

    /// Returns the paths from the object; `nil` for malformed text.
    static func paths(ofExpression text: String) -> [String]? {
        guard let expression = try? FormatTextParser().expression(text) else { return nil }
        var paths: [String] = []
        collect(expression, &paths)
        return paths
    }

    private static func collect(_ predicate: ArchivedPredicate, _ paths: inout [String]) {
        switch predicate {
        case .constant: break
        case .and(let parts), .or(let parts): for part in parts { collect(part, &paths) }
        case .not(let part): collect(part, &paths)
        case .comparison(let comparison):
            collect(comparison.left, &paths)
            collect(comparison.right, &paths)
        }
    }

    private static func collect(_ expression: ArchivedExpression, _ paths: inout [String]) {
        switch expression {
        case .keyPath(let path, of: .evaluatedObject): paths.append(path)
        case .keyPath(_, let base): collect(base, &paths)
        case .function(_, let target, let arguments):
            if let target { collect(target, &paths) }
            for argument in arguments { collect(argument, &paths) }
        case .aggregate(let items): for item in items { collect(item, &paths) }
        case .set(_, let left, let right):
            collect(left, &paths)
            collect(right, &paths)
        case .conditional(let test, let yes, let no):
            collect(test, &paths)
            collect(yes, &paths)
            collect(no, &paths)
        // The predicate inside refers to other objects.
        case .subquery(let collection, _, _): collect(collection, &paths)
        case .constant, .evaluatedObject, .variable, .fetch: break
        }
    }

    /// Returns the problem of a path from an entity; nil for a valid path.
    static func problem(with path: String, from entityName: String, in index: ModelIndex) -> String? {
        var entity = entityName
        var keys = path.split(separator: ".").map(String.init)[...]
        while let key = keys.popFirst() {
            // Operators and the keys after them, and keys defined by the framework.
            if key.hasPrefix("@") || ["self", "SELF", "objectID", "entity"].contains(key) { return nil }
            let family = [entity] + index.family(entity).map(\.name)
            if let relationship = family.lazy.flatMap({ index.relationships($0) }).first(where: { $0.name == key }) {
                entity = relationship.destinationName
            } else if family.contains(where: { index.attributes($0).contains { $0.name == key } }) {
                return nil
            } else if index.lineage(entity).contains(where: { $0.fetchedProperties.contains { $0.name == key } }) {
                return "the key path \(path) goes through the fetched property \(key), which stores do not know"
            } else {
                return "the key path \(path) leads nowhere: \(entity) has no property \(key)"
            }
        }
        return nil
    }
}
