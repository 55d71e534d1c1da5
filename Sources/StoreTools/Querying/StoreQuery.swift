#if canImport(CoreDataSQLiteStorage)
import Foundation
import ModelFormat

/// A query over the rows of a store's file, without classes and without an object graph.
///
/// Predicates, sort keys and columns are translated by the same code as fetches, and SQLite evaluates them. The file is
/// read as it is when the query runs, with the log beside it; no byte is changed, and the folder need not be writable.
///
/// ```swift
/// var query = StoreQuery(url, entity: "Person")
/// query.predicate = "age > %@"
/// query.arguments = [30]
/// query.sortKeys = [.init("lastUpdate", ascending: false)]
/// query.limit = 20
/// query.columns = ["name", "team.name", "messages.@count"]
/// try query.forEach { row in
///     print(row.uri, row.values)
///     return true
/// }
/// ```
///
/// A query is a value. It may be run on any thread, but one made by ``OpenStore/query(entity:)`` only on that store's.
public struct StoreQuery {
    /// A key path to sort by.
    public struct SortKey: Sendable, Hashable {
        /// An attribute, or a path over to-one relationships.
        public var keyPath: String
        /// True if smaller values come first. Rows without a value come before all others then.
        public var ascending: Bool

        /// Creates a sort key.
        public init(_ keyPath: String, ascending: Bool = true) {
            self.keyPath = keyPath
            self.ascending = ascending
        }
    }

    /// The store's file.
    public let url: URL
    /// The name of the entity.
    public let entity: String
    /// The model of the store; nil for the one in the file. Has no effect on the queries of an ``OpenStore``.
    public var model: Model?
    /// The condition in the predicate language, with `%@`, `%K`, `%d` … for ``arguments``; nil for all rows.
    ///
    /// Objects are compared by their URIs, as `URL`s or text (`team == "x-coredata://…"`), entities by their names, and dates
    /// also with text in the form of ISO 8601.
    public var predicate: String?
    /// One value for each specifier in ``predicate``.
    public var arguments: [Any] = []
    /// The order of the rows. Rows that it does not tell apart are in the order of their keys; without sort keys, the order
    /// is SQLite's.
    public var sortKeys: [SortKey] = []
    /// The greatest number of rows; nil for all.
    public var limit: Int?
    /// The number of rows to skip.
    public var offset = 0
    /// The key paths of the values; nil for all attributes and to-one relationships.
    ///
    /// Attributes (`name`), composite attributes and their elements (`location.street`), to-one relationships (`team`) and
    /// paths over them (`team.name`), aggregates over to-many relationships (`messages.@count`, `messages.@sum.size`, also
    /// `@min`, `@max` and `@avg`), to-many relationships as lists (`tags`, `tags.name`), `self` or `objectID`, and `entity`.
    public var columns: [String]?
    /// True if rows of subentities are included.
    public var includesSubentities = true
    /// The store to read; nil to open ``url`` for each run.
    let store: OpenStore?

    /// Creates a query for all rows of an entity.
    public init(_ url: URL, entity: String) {
        self.url = url
        self.entity = entity
        store = nil
    }

    init(_ store: OpenStore, entity: String) {
        self.url = store.url
        self.entity = entity
        self.store = store
    }

    private func opened() throws -> OpenStore { try store ?? OpenStore(url, model: model) }

    /// Passes the rows to `body` in order, one at a time, until it returns false.
    ///
    /// Memory does not grow with the number of rows, except that SQLite sorts rows that no index sorts. Lists of to-many
    /// relationships are read for 256 rows at a time.
    ///
    /// - Throws: ``StoreToolError``: ``StoreToolError/Code/invalidQuery`` before the first row for what does not fit the model
    ///   or cannot be translated; ``StoreToolError/Code/changed`` if the file was changed during the run, so that rows that
    ///   were passed before may be wrong; errors of opening and reading the file. Errors of `body` are thrown as they are.
    public func forEach(_ body: (Row) throws -> Bool) throws {
        try forEachCurrent { try body($0.row) }
    }

    /// Passes the rows as ``forEach(_:)`` does, without reading their values before they are asked for.
    ///
    /// - Throws: As ``forEach(_:)``.
    package func forEachCurrent(_ body: (CurrentRow) throws -> Bool) throws {
        let store = try opened()
        try store.reading { try QueryRun(QueryPlan(self, in: store), in: store).run(body) }
    }

    /// Returns all rows.
    ///
    /// - Throws: As ``forEach(_:)``.
    public func rows() throws -> [Row] {
        var rows: [Row] = []
        try forEach { row in
            rows.append(row)
            return true
        }
        return rows
    }

    /// Returns the number of rows, after ``offset`` and ``limit``.
    ///
    /// - Throws: As ``forEach(_:)``.
    public func count() throws -> Int {
        let store = try opened()
        return try store.reading { try QueryPlan(self, in: store).count() }
    }

    /// Returns the SQL that ``forEach(_:)`` runs, with `?1` … for the values of the predicate; one statement a line. The
    /// first selects the rows, the others the members of to-many relationships in ``columns``.
    ///
    /// - Throws: As ``forEach(_:)``.
    public func sql() throws -> String {
        let store = try opened()
        return try store.reading { try QueryPlan(self, in: store).statements().joined(separator: "\n") }
    }

    /// Returns the SQL that ``count()`` runs.
    ///
    /// - Throws: As ``forEach(_:)``.
    public func sqlOfCount() throws -> String {
        let store = try opened()
        return try store.reading { try QueryPlan(self, in: store).countStatement() }
    }
}
#endif
