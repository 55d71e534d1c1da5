import StoreTools

/// Rows of objects to which exported objects refer. They are read many at a time, before they are asked for.
struct RelatedRows {
    /// The number of rows that are read together.
    static let pageSize = 256
    /// The number of rows that are kept.
    private static let limit = 8_192

    private let store: OpenStore
    private var rows: [ExportWriter.Key: StoreQuery.Row] = [:]

    init(_ store: OpenStore) { self.store = store }

    mutating func removeAll() { rows.removeAll(keepingCapacity: true) }

    mutating func add(_ page: some Sequence<StoreQuery.Row>) {
        for row in page { rows[ExportWriter.Key(entity: row.entity, key: row.key)] = row }
    }

    /// Reads objects of an entity.
    mutating func read(_ keys: Set<Int64>, of entity: String, columns: [String]) throws {
        let missing = keys.filter { known(ExportWriter.Key(entity: entity, key: $0), columns) == nil }.sorted()
        for start in stride(from: 0, to: missing.count, by: Self.pageSize) {
            if rows.count > Self.limit { removeAll() }
            let page = Array(missing[start..<min(start + Self.pageSize, missing.count)])
            add(try store.rows(page, ofEntity: entity, columns: columns).values)
        }
    }

    /// Returns an object with some columns, or more; nil if it does not exist.
    func row(_ key: ExportWriter.Key, columns: [String]) throws -> StoreQuery.Row? {
        try known(key, columns) ?? store.rows([key.key], ofEntity: key.entity, columns: columns)[key.key]
    }

    private func known(_ key: ExportWriter.Key, _ columns: [String]) -> StoreQuery.Row? {
        rows[key].flatMap { columns.allSatisfy($0.columns.contains) ? $0 : nil }
    }
}
