import CoreDataRowStorage
import Foundation
import PredicateFormat

// Conversion of a fetch request for stores.

extension StoreFetch {
    /// Creates the fetch of a request for an entity. Not inlined, because the caller would create it on its stack and copy it.
    ///
    /// - Throws: `NSCoreDataError` when a dictionary request has columns that are neither names nor descriptions.
    @inline(never)
    init(layout: EntityLayout, _ request: FetchRequestBase) throws {
        // Settings are read one by one: passing them as a whole would copy them.
        self.init(layout: layout)
        includesSubentities = request.settings.includesSubentities
        predicate = request.settings.predicate
        if let descriptors = request.settings.sortDescriptors { sortDescriptors = descriptors }
        limit = max(0, request.settings.fetchLimit)
        offset = max(0, request.settings.fetchOffset)
        let isPlain =
            request.settings.propertiesToFetch == nil && request.settings.propertiesToGroupBy == nil
            && request.settings.havingPredicate == nil && !request.settings.returnsDistinctResults
        if !isPlain { addTable(try FetchTable(request.settings, of: layout), source: request) }
    }
}

extension FetchTable {
    fileprivate init(_ settings: FetchSettings, of layout: EntityLayout) throws {
        self.init()
        having = settings.havingPredicate
        isDistinct = settings.returnsDistinctResults
        guard settings.resultType == .dictionaryResultType else { return }
        columns = try settings.propertiesToFetch.map { try $0.map { try FetchColumn($0, of: layout) } }
        groups = try (settings.propertiesToGroupBy ?? []).map { try FetchColumn($0, of: layout) }
    }
}

extension FetchColumn {
    /// Creates the column for a member of `propertiesToFetch` or `propertiesToGroupBy`.
    fileprivate init(_ property: Any, of layout: EntityLayout) throws {
        switch property {
        case let computed as NSExpressionDescription:
            guard let expression = computed.expression else {
                throw StoreErrors.invalidRequest(
                    "Invalid fetch request: the expression description \"\(computed.name)\" has no expression",
                    entity: layout.name, key: computed.name)
            }
            self.init(
                name: computed.name,
                content: .expression(expression.node, CellKind(result: computed.expressionResultType)))
        case let description as NSPropertyDescription:
            self.init(path: description.path)
        case let path as String: self.init(path: path)
        default:
            throw StoreErrors.invalidRequest(
                "Invalid keypath \(property) passed to setPropertiesToFetch: or setPropertiesToGroupBy:: a name or a property "
                    + "description is needed", entity: layout.name)
        }
    }
}

extension FetchColumn {
    fileprivate init(path: String) {
        self.init(name: path, content: .path(path.split(separator: ".").map(String.init)))
    }
}

extension CellKind {
    /// Creates the kind of an expression's result; nil if it must be inferred from the expression.
    init?(result: NSAttributeType) {
        switch result {
        case .integer16AttributeType: self = .int16
        case .integer32AttributeType: self = .int32
        case .integer64AttributeType: self = .int64
        case .booleanAttributeType: self = .boolean
        case .doubleAttributeType: self = .double
        case .floatAttributeType: self = .float
        case .dateAttributeType: self = .date
        case .stringAttributeType: self = .string
        case .URIAttributeType: self = .uri
        case .binaryDataAttributeType: self = .data
        case .UUIDAttributeType: self = .uuid
        case .decimalAttributeType: self = .decimal
        default: return nil
        }
    }
}
