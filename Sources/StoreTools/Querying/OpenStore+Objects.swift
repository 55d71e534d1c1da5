#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import Foundation

extension OpenStore {
    /// The names of the entities in the store, sorted.
    public var entities: [String] {
        layouts.all.filter { (try? requireEntity($0)) != nil }.map(\.name).sorted()
    }

    /// Returns a query for all rows of an entity. It keeps the store open.
    public func query(entity: String) -> StoreQuery { StoreQuery(self, entity: entity) }

    /// Returns the number of rows of each entity, without those of its subentities.
    ///
    /// Cost: one scan of the smallest index of each table.
    ///
    /// - Throws: ``StoreToolError`` if a table cannot be read.
    public func counts() throws -> [String: Int] {
        try reading {
            var counts: [String: Int] = [:]
            let session = try session()
            for name in entities {
                guard let layout = layouts.byName[name] else { continue }
                var fetch = StoreFetch(layout: layout)
                fetch.includesSubentities = false
                counts[name] = try session.countRows(fetch)
            }
            return counts
        }
    }

    /// Returns the row of an object.
    ///
    /// - Parameters:
    ///   - uri: the object's URI.
    ///   - columns: the key paths of the values; nil for all attributes and to-one relationships of the object's entity.
    /// - Returns: nil if the store has no such object.
    /// - Throws: ``StoreToolError/Code/invalidQuery`` for a URI of another store, or of no entity of the model.
    public func object(at uri: URL, columns: [String]? = nil) throws -> StoreQuery.Row? {
        try reading {
            let session = try session()
            guard let (layout, key) = try find(uri, session) else { return nil }
            return try rows([key], of: layout, columns, session).first
        }
    }

    /// Returns the objects of a relationship: of a to-one at most one, of a to-many all, in the relationship's order if it
    /// has one.
    ///
    /// - Parameters:
    ///   - relationship: the name of a relationship of the object's entity, or a path over to-one relationships to one.
    ///   - uri: the URI of the object.
    ///   - columns: the key paths of the values; nil for all attributes and to-one relationships of the destination.
    ///   - limit: the greatest number of objects; nil for all.
    /// - Throws: ``StoreToolError/Code/invalidQuery`` for a URI that is none of this store, an object that does not exist,
    ///   and a key that is no relationship; ``StoreToolError/Code/failed`` for a reference to an object that does not exist.
    public func related(
        _ relationship: String, of uri: URL, columns: [String]? = nil, limit: Int? = nil
    ) throws -> [StoreQuery.Row] {
        try reading {
            let session = try session()
            guard let (layout, key) = try find(uri, session) else {
                throw StoreToolError(.invalidQuery, "The store has no object \(uri.absoluteString).", url: url)
            }
            let paths = PropertyPaths(layouts: layouts)
            guard let destination = try paths.follow(paths.keys(of: relationship), from: layout).objects else {
                throw StoreToolError(
                    .invalidQuery, "\(layout.name).\(relationship) is not a relationship.",
                    advice: "Read it as a column of the object.", url: url)
            }
            let owner = try rows([key], of: layout, [relationship], session).first
            var members: [ObjectAddress] = []
            switch owner?.values[0] {
            case .object(let uri, _)?: members = [ObjectAddress(uri.absoluteString)].compactMap { $0 }
            case .list(let list)?:
                members = list.compactMap {
                    if case .object(let uri, _) = $0 { ObjectAddress(uri.absoluteString) } else { nil }
                }
            case .unreadable(let reason)?: throw StoreToolError(.failed, reason, advice: "Check the store.", url: url)
            default: break
            }
            if let limit { members = Array(members.prefix(max(0, limit))) }
            let found = try rows(members.map(\.key), of: destination, columns, session)
            let byKey = Dictionary(found.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
            return try members.map { member in
                if let row = byKey[member.key] { return row }
                throw StoreToolError(
                    .failed,
                    "\(layout.name)/p\(key).\(relationship) refers to \(member.entity)/p\(member.key), which does not "
                        + "exist.",
                    advice: "Check the store.", url: url)
            }
        }
    }

    /// Returns the rows of an entity with some keys, by key. Keys without a row are left out.
    ///
    /// - Throws: As ``StoreQuery/forEach(_:)``.
    package func rows(
        _ keys: [Int64], ofEntity entity: String, columns: [String]
    ) throws -> [Int64: StoreQuery.Row] {
        guard let layout = layouts.byName[entity], !keys.isEmpty else { return [:] }
        return try reading {
            let found = try rows(keys, of: layout, columns, session())
            return Dictionary(found.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Finds the entity and the key of an object, which may be of a subentity of the one that its URI names.
    private func find(_ uri: URL, _ session: any StoreSession) throws -> (EntityLayout, Int64)? {
        let (address, named) = try PredicateChecker.row(uri.absoluteString, layouts, storeUUID: identifier)
        guard let row = try rows([address.key], of: named, [], session).first, let layout = layouts.byName[row.entity]
        else { return nil }
        return (layout, address.key)
    }

    private func rows(
        _ keys: [Int64], of layout: EntityLayout, _ columns: [String]?, _ session: any StoreSession
    ) throws -> [StoreQuery.Row] {
        var query = query(entity: layout.name)
        query.columns = columns
        let plan = try QueryPlan(query, layout, KeyCondition.isOne(of: keys, layout, in: self), in: self)
        var rows: [StoreQuery.Row] = []
        try QueryRun(plan, in: self, session: session).run { current in
            rows.append(current.row)
            return true
        }
        return rows
    }
}
#endif
