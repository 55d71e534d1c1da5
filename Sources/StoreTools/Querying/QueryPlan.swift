#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import CoreDataSQLQueries
import CoreDataSQLiteStorage
import Foundation
import PredicateFormat

/// A query translated to SQL, with the way in which each of its columns is read.
struct QueryPlan {
    /// One column of the result.
    enum Column {
        case value(Int32, ValueReader)
        /// An object's key, followed by its entity number if several entities are possible.
        case object(Int32, EntityLayout, selectsEntity: Bool)
        /// The number of an entity.
        case entity(Int32)
        case composite(Int32, [(path: [String], reader: ValueReader)])
        case members(Members)
    }

    /// The members of a to-many relationship of the row, or of an object that the row refers to.
    struct Members {
        /// The position of the owner, and its entity as selected.
        var owner: (column: Int32, layout: EntityLayout, selectsEntity: Bool)
        var path: PropertyPath.Members
    }

    let store: OpenStore
    let layout: EntityLayout
    let fetch: StoreFetch
    let query: DictionaryQuery
    /// The key paths of the columns, and how they are read.
    let names: [String]
    let columns: [Column]
    /// True if the entity's number is selected after the key.
    let selectsEntity: Bool
    /// True if the query's limit is 0, which a fetch takes for none.
    let isEmpty: Bool

    var readsMembers: Bool {
        columns.contains { if case .members = $0 { true } else { false } }
    }

    /// Checks and translates a query.
    ///
    /// - Throws: ``StoreToolError/Code/invalidQuery``, or an error of the translation.
    init(_ query: StoreQuery, in store: OpenStore) throws {
        let paths = PropertyPaths(layouts: store.layouts)
        guard let layout = store.layouts.byName[query.entity] else { throw paths.unknownEntity(query.entity) }
        let checker = PredicateChecker(layout, store.layouts, storeUUID: store.identifier)
        let predicate = try query.predicate.map { try checker.predicate($0, arguments: query.arguments) }
        try self.init(query, layout, predicate, in: store)
    }

    /// Translates a query with a predicate that needs no check.
    init(_ query: StoreQuery, _ layout: EntityLayout, _ predicate: NSPredicate?, in store: OpenStore) throws {
        guard query.offset >= 0, query.limit ?? 0 >= 0 else {
            throw StoreToolError(.invalidQuery, "The limit and the offset of a query cannot be negative.")
        }
        try store.requireEntity(layout)
        self.store = store
        self.layout = layout
        isEmpty = query.limit == 0
        var fetch = StoreFetch(layout: layout)
        fetch.includesSubentities = query.includesSubentities
        fetch.predicate = predicate
        fetch.limit = query.limit ?? 0
        fetch.offset = query.offset
        let paths = PropertyPaths(layouts: store.layouts)
        for key in query.sortKeys { _ = try paths.follow(paths.keys(of: key.keyPath), from: layout) }
        fetch.sortDescriptors = query.sortKeys.map { NSSortDescriptor(key: $0.keyPath, ascending: $0.ascending) }
        if !query.sortKeys.isEmpty { fetch.sortDescriptors.append(NSSortDescriptor(key: "self", ascending: true)) }
        names = query.columns ?? Self.allNames(of: layout)
        let targets = try names.map { name in
            let keys = try paths.keys(of: name)
            return (keys, try paths.follow(keys, from: layout))
        }
        var table = FetchTable()
        // The row itself comes first.
        table.columns = [FetchColumn(name: "", content: .path([]))] + zip(names, targets).map(Self.column)
        fetch.addTable(table, source: store)
        self.fetch = fetch
        self.query = try DictionaryQuery(fetch, store.engine)
        guard case .object(_, let selectsEntity) = self.query.columns[0].result else {
            throw StoreToolError(.failed, "The keys of \(layout.name) cannot be selected.")
        }
        self.selectsEntity = selectsEntity
        columns = try Self.columns(self.query, targets.map(\.1), store)
    }

    /// Returns the names of all stored attributes and to-one relationships.
    private static func allNames(of layout: EntityLayout) -> [String] {
        var names: Set<String> = []
        return layout.cells.compactMap { cell in
            let name = cell.compositeName ?? cell.name
            guard !cell.isTransient, cell.kind != .boxed, names.insert(name).inserted else { return nil }
            return name
        }
    }

    private static func column(_ name: String, _ target: (keys: [String], path: PropertyPath)) -> FetchColumn {
        switch target.path {
        case .aggregate(isTotal: true):
            // As an expression, a sum or mean has all its digits.
            return FetchColumn(name: name, content: .expression(.keyPath(target.keys, of: .evaluatedObject), nil))
        case .members(let members): return FetchColumn(name: name, content: .path(members.prefix))
        default: return FetchColumn(name: name, content: .path(target.keys))
        }
    }

    private static func columns(
        _ query: DictionaryQuery, _ targets: [PropertyPath], _ store: OpenStore
    ) throws -> [Column] {
        var place = Int32(query.columns[0].sql.count)
        return try zip(query.columns.dropFirst(), targets).map { column, target in
            defer { place += Int32(column.sql.count) }
            switch (column.result, target) {
            case (.object(let layout, let selectsEntity), .members(let members)):
                if !members.rest.isEmpty { try requireOneRelationship(members, store) }
                return .members(Members(owner: (place, layout, selectsEntity), path: members))
            case (.object(let layout, let selectsEntity), _):
                return .object(place, layout, selectsEntity: selectsEntity)
            case (.value, .entity): return .entity(place)
            case (.value(let type), _): return .value(place, ValueReader(type, store.engine.files))
            case (.composite(let elements), _):
                return .composite(
                    place, elements.map { (path: $0.path, reader: ValueReader($0.type, store.engine.files)) })
            }
        }
    }

    private static func requireOneRelationship(_ members: PropertyPath.Members, _ store: OpenStore) throws {
        let paths = PropertyPaths(layouts: store.layouts)
        guard case .members = try paths.follow(members.rest, from: members.destination) else { return }
        let path = (members.prefix + [members.relationship.name] + members.rest).joined(separator: ".")
        throw StoreToolError(
            .invalidQuery, "\(path) leads over more than one to-many relationship.",
            advice: "End the path after the first one, and query \(members.destination.name) for the rest.")
    }

    // MARK: Statements

    /// Returns the query for the values of members; nil if the members themselves are the values.
    static func valueQuery(
        of members: PropertyPath.Members, keys: [Int64], in store: OpenStore
    ) throws -> QueryPlan? {
        guard !members.rest.isEmpty else { return nil }
        var query = StoreQuery(store, entity: members.destination.name)
        query.columns = [members.rest.joined(separator: ".")]
        return try QueryPlan(
            query, members.destination, KeyCondition.isOne(of: keys, members.destination, in: store), in: store)
    }

    /// Returns the statements of the query and of its to-many relationships.
    func statements() throws -> [String] {
        var statements = [query.text.statement(in: store.engine.dialect).text]
        for case .members(let members) in columns {
            let references = try store.engine.referenceStatement(members.path.relationship, of: members.path.owner)
            if let references { statements.append(references) }
            let values = try Self.valueQuery(of: members.path, keys: [], in: store)
            if let values { statements += try values.statements() }
        }
        return statements
    }

    func countStatement() throws -> String { try store.engine.countStatement(fetch) }

    func count() throws -> Int {
        if isEmpty { return 0 }
        return try store.session().countRows(fetch)
    }
}

/// Conditions for rows by their keys.
enum KeyCondition {
    /// Returns the condition that a row is the one with a key.
    static func `is`(_ key: Int64, _ layout: EntityLayout, in store: OpenStore) -> NSPredicate {
        NSPredicate(node: .comparison(ComparisonNode(.evaluatedObject, .equalTo, .constant(row(key, layout, store)))))
    }

    /// Returns the condition that a row has one of some keys.
    static func isOne(of keys: [Int64], _ layout: EntityLayout, in store: OpenStore) -> NSPredicate {
        NSPredicate(
            node: .comparison(ComparisonNode(.evaluatedObject, .in, .constant(keys.map { row($0, layout, store) }))))
    }

    private static func row(_ key: Int64, _ layout: EntityLayout, _ store: OpenStore) -> RowConstant {
        RowConstant(ObjectAddress(storeUUID: store.identifier, entity: layout.name, key: key), layout)
    }
}
#endif
